"""With the noise term off: how much sooner `hals` is where scikit-learn's plain NMF stops."""

from __future__ import annotations

import itertools
import math
import time
from statistics import median

from sklearn.decomposition import NMF

from robustnmf._core.noise import SquaredL1
from robustnmf_studies.bench.plan import LARGE, SMALL, Plan, Size
from robustnmf_studies.bench.problems import Problem, clean_problem, large_problem, small_problem
from robustnmf_studies.bench.race import NO_NOISE, race, squared_error
from robustnmf_studies.bench.results import FASTER, Row, compared
from robustnmf_studies.bench.timing import Share, alternate, part, unconverged_is_fine

# Enough for it to stop by its tolerance.
_MAX_ITER = 20_000
# Rounds at the small size, where they are cheap and local minima many.
_STARTS = 5


def compare(plan: Plan, share: Share) -> list[Row]:
    """Race to the objective at which scikit-learn stops, at both sizes, on data without errors.

    Each round has its own start, the same for both sides: from a single one, which of two local
    minima a method falls into would decide everything.
    """
    small = clean_problem(small_problem(plan))
    rounds = max(plan.repeat, _STARTS)
    rows = [_row("small", small, SMALL, rounds, part(share, 0.0, 0.2))]
    large = large_problem(plan.converge, wrong=False)
    return [*rows, _row("large", large, LARGE, plan.repeat, part(share, 0.2, 1.0))]


def _row(case: str, problem: Problem, target: Size, repeat: int, share: Share) -> Row:
    starts = (problem.restarted(seed) for seed in itertools.count())
    here: Problem
    wanted: list[float] = []
    n_iter: list[int] = []

    def theirs() -> float:
        nonlocal here
        here = next(starts)
        W, H = here.start()
        model = NMF(here.size.k, init="custom", solver="cd", max_iter=_MAX_ITER)
        began = time.perf_counter()
        W = model.fit_transform(here.X, W=W, H=H)
        gone = time.perf_counter() - began
        wanted.append(squared_error(here.X, W, model.components_))
        n_iter.append(model.n_iter_)
        return gone

    def ours() -> float:
        return race(here, SquaredL1(NO_NOISE), wanted[-1:])[0]

    # They go first, for only then is it known where they stop.
    with unconverged_is_fine():
        rounds = alternate(repeat, theirs, ours, share=share)
    lost = sum(math.isinf(time) for _, time in rounds)
    note = f"it stops after {median(n_iter):.0f} iterations"
    if lost:
        note += f"; from {lost} of {repeat} starts we end in a worse local minimum than it does"
    return compared(
        f"noise-off.{case}",
        f"noise off, to the objective it stops at; {problem.size}",
        FASTER,
        [(ours, theirs) for theirs, ours in rounds],
        rival="scikit-learn cd",
        exact=problem.size == target,
        note=note,
        details={"objectives": wanted, "their_iterations": n_iter, "lost": lost},
    )
