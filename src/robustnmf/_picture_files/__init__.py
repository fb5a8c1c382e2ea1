"""Picture files: read as arrays, written in the same format, bit depth and metadata."""
