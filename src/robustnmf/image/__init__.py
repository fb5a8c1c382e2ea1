"""Images without their corrupt pixels: one image, or a stack of aligned ones."""

from robustnmf.image._result import Denoised
from robustnmf.image.denoise import denoise_image
from robustnmf.image.stack import DenoisedStack, denoise_stack

__all__ = ["Denoised", "DenoisedStack", "denoise_image", "denoise_stack"]
