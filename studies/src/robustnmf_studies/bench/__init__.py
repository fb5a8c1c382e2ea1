"""Benchmarks: what is measured side by side, what it should be, and whether it is.

``robustnmf bench`` is this package's command. To add a benchmark:

1. Write one function ``(plan, case, tell) -> list of Row`` in the module that it belongs to
   (`races`, `fits`, `iteration`, `processes`, `tuning`, or a new one). Where both sides are plain
   calls, `results.side_by_side` times them in turn and makes a row of the ratios; otherwise
   `timing.alternate` and `results.compared` do. The key of a row is ``name.case``, with more behind
   it where a case has several rows; `plan` has the sizes and the number of rounds.
2. Add one row to `registry.BENCHMARKS`: its name, what it is in words, the function as
   ``module.function``, and its cases, each with its usual share of the time and its target.

The command line, the tables, the verdicts and the page in the documentation follow from these.
"""
