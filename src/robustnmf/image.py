"""Images without their corrupt pixels: one image, or a stack of aligned ones."""

from robustnmf._image.denoise import denoise_image
from robustnmf._image.result import Denoised
from robustnmf._image.stack import DenoisedStack, denoise_stack

__all__ = ["Denoised", "DenoisedStack", "denoise_image", "denoise_stack"]
