"""A scene to restore: smooth shades, edges and a texture, none of it from a file."""

import numpy as np


def draw_scene(height=96, width=96):
    y, x = np.mgrid[:height, :width]
    scene = 90 + 50 * np.sin(x / 17) * np.cos(y / 23) + 0.3 * y
    scene += np.where((x - 0.6 * width) ** 2 + (y - 0.4 * height) ** 2 < (0.2 * width) ** 2, 60, 0)
    scene += np.where(x + 2 * y > 2.2 * width, -30, 0)
    scene += 6 * np.sin(x * 1.3) * (y > 0.7 * height)
    return np.clip(np.rint(scene), 0, 255).astype(np.uint8)
