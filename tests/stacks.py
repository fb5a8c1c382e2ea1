"""Stacks as the steps of their restoration take them."""

import numpy as np

from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.pictures import Pictures
from robustnmf._image.planes import channels_first


def pictures_of(stack, data_range=None, room=np.zeros):
    """Return an array of shape (n, height, width), or with channels (n, channels, ...)."""
    source = channels_first(stack, None) if stack.ndim == 3 else stack
    planes = source.reshape(-1, *source.shape[2:])
    return Pictures(source, source.shape, GreyScale.estimate(planes, data_range), room)
