"""Benchmarks: what is measured side by side, what it should be, and whether it is.

``robustnmf bench`` is this package's command. To add a benchmark:

1. Write one function ``(plan, case, tell) -> list of Row`` in the module that it belongs to
   (`races`, `fits`, `iteration`, `processes`, `tuning`, or a new one). It times both sides in turn
   with `timing.alternate`, makes a row of the rounds with `results.compared`, and gives it the key
   ``name.case``.
2. Add one row to `registry.BENCHMARKS`: its name, what it is in words, the function as
   ``module.function``, its cases with their usual share of the time, and the targets of its keys.

The command line, the tables, the verdicts and the page in the documentation follow from these.
"""
