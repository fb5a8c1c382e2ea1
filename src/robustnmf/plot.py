"""Pictures of parts, noise and fits; each function draws into `ax` and returns it."""

from robustnmf._plot.before_after import plot_before_after
from robustnmf._plot.convergence import plot_convergence
from robustnmf._plot.corruption import plot_corruption
from robustnmf._plot.images import plot_images
from robustnmf._plot.noise import plot_noise
from robustnmf._plot.parts import plot_parts
from robustnmf._plot.rank import plot_rank

__all__ = [
    "plot_before_after",
    "plot_convergence",
    "plot_corruption",
    "plot_images",
    "plot_noise",
    "plot_parts",
    "plot_rank",
]
