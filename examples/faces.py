"""A hundred faces with wrong pixels: learn clean parts, find the pixels, restore the faces.

python examples/faces.py [FOLDER]    leaves faces.png there
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from sklearn.decomposition import NMF

from robustnmf import RobustNMF
from robustnmf.datasets import corrupt, load_faces
from robustnmf.metrics import detection_scores, msre
from robustnmf.plot import plot_before_after, plot_parts

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# One pixel of twelve becomes black or white. Nobody tells the method which.
faces = load_faces("builtin")
clean = faces.data / 255
X, wrong = corrupt(clean, "salt_pepper", 50, high=1.0, random_state=0)

model = RobustNMF(n_components=20, lam="auto", random_state=0).fit(X)
restored = model.denoise(X)
plain = NMF(n_components=20, init="nndsvda", max_iter=1000, tol=1e-3, random_state=0).fit(X)

precision, recall, f1 = detection_scores(wrong, model.detect(X))
print(f"wrong pixels: precision {precision:.2f}, recall {recall:.2f}, F1 {f1:.2f}")
print("squared error of a face, against the clean one:")
print(f"  corrupted         {msre(clean, X):.2f}")
print(f"  W H of plain NMF  {msre(clean, plain.inverse_transform(plain.transform(X))):.2f}")
print(f"  restored          {msre(clean, restored):.2f}")

figure = Figure(figsize=(16, 4.4), layout="constrained")
axes = figure.subplots(1, 4)
plot_before_after(X[::4], restored[::4], image_shape=faces.image_shape, axes=axes[:3])
plot_parts(model, image_shape=faces.image_shape, ax=axes[3])
axes[3].set_title("parts")
figure.savefig(folder / "faces.png")
