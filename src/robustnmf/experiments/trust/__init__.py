"""Trust: real tables and matrices that nothing was tuned on, errors of many kinds, and rivals."""
