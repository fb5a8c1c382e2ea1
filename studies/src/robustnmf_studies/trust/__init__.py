"""Trust: real tables and matrices that nothing was tuned on, errors of many kinds, and rivals.

``robustnmf reproduce trust`` is this package's command; ``trust-tuning`` is the same on the
edition of the data that may be looked at while a method is being made.
"""
