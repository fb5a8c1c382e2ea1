"""Data in, factors out: one fit, or the answer for new rows, at a given price of noise."""
