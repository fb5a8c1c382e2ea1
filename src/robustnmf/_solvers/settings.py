"""The settings of the solvers, by step."""

from __future__ import annotations

from typing import NamedTuple


class HalsSettings(NamedTuple):
    """How often HALS sweeps, and how far it extrapolates.

    Chosen by `robustnmf bench tuning`; docs/performance.md shows the ranking.
    """

    sweeps_w: int = 8
    """Sweeps on W in each pass."""
    sweeps_h: int = 16
    """Sweeps on H after each pass."""
    first_reach: float = 0.5
    """How far to extrapolate at first."""
    growth: float = 1.05
    """By what that grows while it works, up to a cap."""
    cap_growth: float = 1.01
    """By what the cap grows."""
    shrink: float = 1.5
    """By what the reach is divided when it does not work."""


HALS = HalsSettings()


class UnreadSettings(NamedTuple):
    """How far HALS goes on a device before its objective is read."""

    steps: int = 5
    """So many passes. Of each it keeps W until then, because one of them may turn out to have been
    the last one. No study chose it."""


UNREAD = UnreadSettings()


class RuleSettings(NamedTuple):
    """The multiplicative rules: the paper's, and those of WNMF.

    No study chose them: the papers name none, and each is small beside the data.
    """

    nonzero: float = 0.01
    """Ep never becomes exactly zero under the rule, so "E is nonzero" needs a tolerance: this share
    of the mean of the data, about one grey level of a picture with 256 of them."""
    first_noise: float = 0.1
    """Ep and En start at this share of the mean: positive, and small beside the data."""
    hint: float = 0.01
    """What a missing entry counts under WNMF, which never loosens the hold. How far its predictions
    of missing entries may be off with it, tests/estimators/test_missing.py says."""


RULE = RuleSettings()


class HeadStartSettings(NamedTuple):
    """Fits to ever more of the rows, before all rows are looked at.

    Chosen by `robustnmf bench tuning`.
    """

    least_rows: int = 64
    """The first sample has so many rows a component. With fewer, it would teach its own
    peculiarities. ..."""
    growth: int = 4
    """... Each of the next ones is so many times as large, ..."""
    most_rows: int = 1024
    """... with no more rows a component than this, from which on they teach nothing new, ..."""
    most: float = 0.5
    """... and no more than this share of the rows."""
    iterations: int = 40
    """Of each fit, ..."""
    tol: float = 1e-3
    """... or until it settles so far."""


HEAD_START = HeadStartSettings()


class LooseningSettings(NamedTuple):
    """HALS where missing entries are held by a guess.

    That it goes further than HALS in as many passes, tests/solvers/test_loosening.py shows.
    """

    every: int = 10
    """The hint is found anew after so many passes."""
    more_sweeps: int = 2
    """So many times the sweeps of HALS: where entries are missing, a pass costs more than these."""


LOOSENING = LooseningSettings()


class GrowingSettings(NamedTuple):
    """The guess at missing entries, learned in stages.

    No study chose them; what the guess is to reach, tests/solvers/test_growing.py and
    tests/estimators/test_missing.py say.
    """

    iterations: int = 30
    """Of each stage, ..."""
    tolerance: float = 1e-3
    """... or fewer: no stage need be right to the last digit."""
    most_rows: int = 1000
    """More rows than these teach the later stages nothing."""
    hidden: float = 0.05
    """The share of the entries that is hidden from them, to see what they are worth."""
    smaller: float = 0.9
    """So many of the errors there are looked at, from the smallest on."""
    rest: float = 0.1
    """New components begin at this share of the usual size, so as not to drown the guess."""
    loud: float = 4.0
    """A row is loud when its values are this many times the usual ones."""


GROWING = GrowingSettings()


class OnlineSettings(NamedTuple):
    """Learning from one batch of rows after the other.

    `robustnmf bench minibatch` shows what it comes to.
    """

    start_rows: int = 256
    """It begins with a fit to so many rows a component, ..."""
    start_entries: int = 2**24
    """... or, where rows are long, to so many entries, for they have to be in memory, ..."""
    least_rows: int = 16
    """... but to no fewer rows a component than this; ..."""
    start_iterations: int = 100
    """... of so many iterations, ..."""
    start_tol: float = 1e-3
    """... or until it settles so far."""
    first_repeats: int = 4
    """While fewer rows were seen, a batch is gone over so many times."""
    repeats: int = 2
    """Where rows come but once, each batch is: parts that change are followed more closely."""
    young: int = 1024
    """Until so many rows a component were seen, only the later half of them counts, about: what
    came first was explained by components that were hardly learned."""
    settled: float = 1e-3
    """A batch is explained when further rounds are expected to lower its loss by no more than this
    share. ..."""
    most_rounds: int = 8
    """... After so many its rows are solved for exactly, which takes about as long."""


ONLINE = OnlineSettings()
