"""One kind of picture a file; the public names are in `robustnmf.plot`."""
