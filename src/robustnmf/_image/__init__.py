"""How pictures are restored; the public names are in `robustnmf.image`."""
