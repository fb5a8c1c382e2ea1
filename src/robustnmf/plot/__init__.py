"""Pictures of parts, noise and fits; each function draws into `ax` and returns it."""

from robustnmf.plot.before_after import plot_before_after
from robustnmf.plot.convergence import plot_convergence
from robustnmf.plot.corruption import plot_corruption
from robustnmf.plot.images import plot_images
from robustnmf.plot.noise import plot_noise
from robustnmf.plot.parts import plot_parts
from robustnmf.plot.rank import plot_rank

__all__ = [
    "plot_before_after",
    "plot_convergence",
    "plot_corruption",
    "plot_images",
    "plot_noise",
    "plot_parts",
    "plot_rank",
]
