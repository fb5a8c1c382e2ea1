"""A picture with a spectrum in every pixel: find dead detector elements, and the materials.

Three materials mix in every pixel of a scene, as minerals do in satellite pictures. The detector
has dead and hot elements, and a few of its lines are dead in some bands. The spectra of the
materials are learned all the same.

python examples/hyperspectral.py [FOLDER]    leaves hyperspectral.png there
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.ndimage import gaussian_filter

from robustnmf import RobustNMF
from robustnmf.metrics import detection_scores
from robustnmf.plot import plot_noise, plot_parts

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rng = np.random.default_rng(0)

# Each material reflects in its own bands, and its share varies smoothly over the scene.
height, width, wavelengths = 60, 60, np.linspace(400, 1000, 80)
peaks = [[(480, 40), (900, 60)], [(560, 35), (760, 50)], [(650, 30), (980, 90)]]
spectra = np.array(
    [sum(np.exp(-(((wavelengths - c) / w) ** 2)) for c, w in material) for material in peaks]
)
shares = gaussian_filter(rng.random((3, height, width)), (0, 5, 5))
shares = np.clip(shares - np.quantile(shares, 0.3, axis=(1, 2), keepdims=True), 0, None)
shares = shares.reshape(3, -1).T / shares.max()
clean = shares @ spectra + 0.02
cube = clean * rng.normal(1, 0.01, clean.shape)

# One element in twenty-five is stuck, and ten lines of the picture are dead in some bands.
wrong = rng.random(cube.shape) < 0.04
for line in rng.choice(height, 10, replace=False):
    bands = rng.choice(80, 12, replace=False)
    wrong.reshape(height, width, 80)[line, :, bands] = True
cube[wrong] = rng.choice([0.0, 1.5], wrong.sum())

model = RobustNMF(n_components=3, lam="auto", random_state=0).fit(cube)
restored = model.denoise(cube)

# Elements that were dark anyway are not wrong by much, and nobody can find those.
visible = wrong & (abs(cube - clean) > 0.1)
precision, recall, _ = detection_scores(visible, model.detect(cube) & (visible | ~wrong))
print(f"dead and hot elements: precision {precision:.3f}, recall {recall:.3f}")
error = [np.sqrt(np.mean((data - clean) ** 2)) for data in (cube, restored)]
print(f"error: {error[0]:.3f} before, {error[1]:.3f} after")


def angle(a, b):
    """Degrees between two spectra; 0 is the same colour."""
    return np.degrees(np.arccos(min(1, a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


# Learned parts come in any order.
order = [int(np.argmin([angle(part, s) for part in model.components_])) for s in spectra]
angles = [angle(model.components_[i], s) for i, s in zip(order, spectra, strict=True)]
print("angle to the true spectra:", ", ".join(f"{a:.1f}°" for a in angles))

band = 45
figure = Figure(figsize=(14, 4), layout="constrained")
axes = figure.subplots(1, 4)
axes[0].imshow(cube[:, band].reshape(height, width), cmap="gray", vmin=0, vmax=1)
axes[0].set_title(f"{wavelengths[band]:.0f} nm, as measured")
axes[1].imshow(restored[:, band].reshape(height, width), cmap="gray", vmin=0, vmax=1)
axes[1].set_title("restored")
noise = model.noise_[:, [band]].T
plot_noise(noise, image_shape=(height, width), ax=axes[2])
axes[2].set_title("found noise")
plot_parts(model.components_[order], x=wavelengths, ax=axes[3])
axes[3].set(title="spectra of the materials", xlabel="nm")
figure.savefig(folder / "hyperspectral.png")
