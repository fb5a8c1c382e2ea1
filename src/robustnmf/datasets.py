"""Faces to learn from, and noise at known entries to find."""

from robustnmf._datasets.corruption import corrupt
from robustnmf._datasets.faces import Faces, load_faces

__all__ = ["Faces", "corrupt", "load_faces"]
