"""Picture files: read as arrays, written in the same format, bit depth and metadata."""

from robustnmf._picture_files.names import KIND_OF, kind_of

__all__ = ["KIND_OF", "kind_of"]
