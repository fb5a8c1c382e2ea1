"""The names of the comparisons, apart from their code: asking for a list must load nothing."""

from __future__ import annotations

# Name: what is compared, and whether it runs when nothing is named.
NAMES: dict[str, tuple[str, bool]] = {
    "paper-rule": ("hals against the paper's rule, to the objective of its iteration 1,000", True),
    "noise-off": ("noise off, against scikit-learn's cd, to the objective it stops at", True),
    "defaults": ("a robust fit against scikit-learn's plain cd and mu, as they come", True),
    "others": ("other robust methods: time and quality (needs the 'bench' extra)", True),
    "gemm": ("one robust iteration against three matrix products of the same size", True),
    "memory": ("peak memory beyond the input, float64 and uint8", True),
    "growth": ("time of an iteration as n, m and k double", True),
    "threads": ("two threads against one", True),
    "import": ("import time beyond scikit-learn's", True),
    "compile": ("first call with an empty and a warm cache of kernels", True),
    "tuning": ("sweeps and extrapolation of hals, ranked (only when named)", False),
}
