"""Pictures: how well `robustnmf.image.denoise_image` restores them, beside the alternatives.

``robustnmf reproduce images`` is this package's command.
"""

from robustnmf_studies.images.study import run_study

__all__ = ["run_study"]
