"""Faces and corruption; the public names are in `robustnmf.datasets`."""
