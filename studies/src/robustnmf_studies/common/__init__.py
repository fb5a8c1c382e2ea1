"""What all studies share: how points are computed, kept, drawn and written."""
