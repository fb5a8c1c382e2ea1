"""One photograph with wrong pixels: find them and put right ones in their place.

python examples/photograph.py [FOLDER]    leaves photograph.png and noisy.png there
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image
from scipy.ndimage import median_filter
from skimage.data import astronaut

from robustnmf.image import denoise_image
from robustnmf.metrics import detection_scores, psnr
from robustnmf.plot import plot_before_after

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rng = np.random.default_rng(0)

# One pixel in ten gets any value in all of its colours.
clean = astronaut()[20:220, 130:330]
wrong = rng.random(clean.shape[:2]) < 0.1
noisy = np.where(wrong[..., None], rng.integers(0, 256, clean.shape), clean).astype(np.uint8)
Image.fromarray(noisy).save(folder / "noisy.png")

# The same as: robustnmf denoise noisy.png
restored = denoise_image(noisy, channel_axis=2, random_state=0)

changed = (restored != noisy).any(axis=2)
visible = (abs(noisy.astype(int) - clean) > 20).any(axis=2)
precision, recall, _ = detection_scores(visible, changed)
print(f"wrong pixels: precision {precision:.2f}, recall {recall:.2f}")
print("PSNR against the clean photograph:")
print(f"  noisy           {psnr(clean, noisy):.1f} dB")
print(f"  median filter   {psnr(clean, median_filter(noisy, (3, 3, 1))):.1f} dB")
print(f"  restored        {psnr(clean, restored):.1f} dB")

figure = Figure(figsize=(13, 4.6), layout="constrained")
plot_before_after(noisy, restored, axes=figure.subplots(1, 3))
figure.savefig(folder / "photograph.png")
