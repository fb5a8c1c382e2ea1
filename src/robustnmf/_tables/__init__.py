"""How tables are read, judged, repaired and written; the public names are in `robustnmf.tables`."""
