"""A camera that does not move: tell what moves from what stays.

Coins lie on a table while balls roll over it and the light flickers. The background is what the
frames have in common, the foreground is the noise.

python examples/video.py [FOLDER]    leaves video.png there
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from skimage.data import coins
from skimage.transform import resize

from robustnmf.image import denoise_stack
from robustnmf.metrics import detection_scores, psnr

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rng = np.random.default_rng(0)

# Fifty frames: the light changes, and a few balls cross the picture.
height, width, n_frames = 57, 72, 50
still = resize(coins(), (height, width), anti_aliasing=True)
light = 0.85 + 0.15 * np.sin(np.arange(n_frames) / 5)
background = light[:, None, None] * still
frames, moving = background.copy(), np.zeros(background.shape, dtype=bool)
rows, columns = np.mgrid[:height, :width]
for _ in range(4):
    x, y = rng.uniform(0, width), rng.uniform(0, height)
    speed, radius, grey = rng.uniform(-2.5, 2.5, 2), rng.uniform(3, 6), rng.choice([0.05, 0.95])
    for t in range(n_frames):
        centre = (x + speed[0] * t) % width, (y + speed[1] * t) % height
        ball = (columns - centre[0]) ** 2 + (rows - centre[1]) ** 2 < radius**2
        frames[t][ball], moving[t][ball] = grey, True
frames = np.clip(frames + rng.normal(0, 0.01, frames.shape), 0, 1)

# One part: the scene; its weight is the light. What no light explains is in front of it.
found = denoise_stack(frames, n_components=1, random_state=0, return_details=True)
foreground = abs(found.foreground) > 0.02

visible = moving & (abs(frames - background) > 0.1)
precision, recall, _ = detection_scores(visible, foreground & (visible | ~moving))
print(f"moving pixels: precision {precision:.2f}, recall {recall:.2f}")
print(f"background: {psnr(background, frames):.1f} dB as filmed, ", end="")
print(f"{psnr(background, found.background):.1f} dB as found")

figure = Figure(figsize=(12, 7), layout="constrained")
for column, t in enumerate((5, 20, 45)):
    for row, (title, pictures) in enumerate(
        (("filmed", frames), ("background", found.background), ("foreground", foreground))
    ):
        ax = figure.add_subplot(3, 3, 3 * row + column + 1)
        ax.imshow(pictures[t], cmap="gray", vmin=0, vmax=1)
        ax.set_axis_off()
        ax.set_title(f"{title}, frame {t}", fontsize="medium")
figure.savefig(folder / "video.png")
