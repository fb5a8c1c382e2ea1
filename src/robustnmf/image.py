"""Images without their corrupt pixels: one image, or a stack of aligned ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robustnmf._image.denoise import denoise_image
from robustnmf._image.result import Denoised

if TYPE_CHECKING:
    from robustnmf._image.stack import DenoisedStack, denoise_stack

__all__ = ["Denoised", "DenoisedStack", "denoise_image", "denoise_stack"]


def __getattr__(name: str) -> Any:
    # Stacks are factorized by the estimators, which load scikit-learn; a picture need not wait.
    if name in __all__:
        from robustnmf._image import stack

        return getattr(stack, name)
    raise AttributeError(f"module 'robustnmf.image' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
