"""Documents with spam in them: find words that do not belong, and topics that are not misled.

The documents are those of Python's own modules: word counts, kept sparse from end to end. Into a
third of them spam words were pasted, many times each.

python examples/text.py [FOLDER]    leaves text.png there
"""

import importlib
import sys
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from robustnmf import RobustNMF
from robustnmf.metrics import detection_scores
from robustnmf.plot import plot_corruption

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rng = np.random.default_rng(0)
warnings.simplefilter("ignore")


def documents():
    """Return what the functions of SciPy say about themselves."""
    texts = []
    for name in ("linalg", "optimize", "signal", "stats", "ndimage", "sparse", "interpolate"):
        module = importlib.import_module(f"scipy.{name}")
        texts += [getattr(module, one).__doc__ or "" for one in dir(module) if one[0] != "_"]
    return [text for text in texts if len(text) > 1500]


texts = documents()
counter = CountVectorizer(max_features=600, stop_words="english", token_pattern="[a-z]{4,}")
counts = counter.fit_transform(texts).astype(float)
words = counter.get_feature_names_out()

# Spam: in a third of the documents two to four words that do not belong come many times.
wrong = sparse.lil_array(counts.shape)
for document in rng.choice(len(texts), len(texts) // 3, replace=False):
    absent = np.flatnonzero(counts[[document]].toarray()[0] == 0)
    for word in rng.choice(absent, rng.integers(2, 5), replace=False):
        wrong[document, word] = rng.integers(30, 60)
spam = sparse.csr_array(counts + wrong)
# The tenth time that a word comes tells less than the first.
X = spam.sqrt()

model = RobustNMF(n_components=7, lam="auto", random_state=0).fit(X)
found = model.detect(X)
precision, recall, _ = detection_scores(wrong.tocsr(), found)
print(f"{len(texts)} documents, {len(words)} words, {wrong.nnz} pasted counts")
print(f"found: {found.nnz}; recall {recall:.2f}, precision {precision:.2f}")
for topic in model.components_:
    print("topic:", ", ".join(words[np.argsort(-topic)[:6]]))

figure = Figure(figsize=(12, 5), layout="constrained")
axes = figure.subplots(1, 2)
for ax, mask, title in zip(axes, (wrong.tocsr(), found), ("pasted", "found"), strict=True):
    plot_corruption(mask, ax=ax)
    ax.set(xlabel=f"word ({title})", ylabel="document")
figure.savefig(folder / "text.png")
