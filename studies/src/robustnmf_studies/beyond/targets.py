"""The targets, each with the test that decides it from the numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from robustnmf_studies.beyond import decide
from robustnmf_studies.beyond.decide import MOST_GAP, MOST_SPOILED, SALT
from robustnmf_studies.beyond.measures import SURE
from robustnmf_studies.beyond.settings import (
    CORRUPTION_NAMES,
    CORRUPTIONS,
    DIGITS,
    FOREIGN,
    FOREIGN_NAMES,
    LFW,
    ORL,
    SET_NAMES,
    SYNTHETIC,
)
from robustnmf_studies.common.frames import Numbers
from robustnmf_studies.common.targets import NOTHING, UNKNOWN, Judged
from robustnmf_studies.common.verdicts import Finding


class Target(NamedTuple):
    """One target.

    Attributes
    ----------
    name : str
        Short name, for programs.
    sentence : str
        What is asked for.
    decide : callable
        From the numbers to the finding.
    """

    name: str
    sentence: str
    decide: Callable[[Numbers], Finding]


def _targets() -> list[Target]:
    made = []
    for (n, pixels), (least, most) in SALT.items():
        place = f"{n} ORL faces, {pixels} px of salt"
        f1 = functools.partial(decide.salt_f1, n, pixels, least)
        error = functools.partial(decide.salt_error, n, pixels, most)
        made.append(Target(f"f1-{n}-{pixels}", f"{place}: F1 ≥ {least:.2f}", f1))
        made.append(
            Target(f"wh-{n}-{pixels}", f"{place}: W H error ≤ {most:.2f} of the oracle's", error)
        )
    for data in (ORL, LFW, DIGITS, SYNTHETIC):
        for corruption in CORRUPTIONS:
            # Rows of synthetic data are no pictures.
            if (data, corruption) == (SYNTHETIC, "occlusion"):
                continue
            noise = f"{SET_NAMES[data]}, {CORRUPTION_NAMES[corruption]}"
            words = f"{noise}: F1 at most {MOST_GAP} below the oracle's best threshold"
            gap = functools.partial(decide.other_corruption, data, corruption)
            made.append(Target(f"{data}-{corruption}", words, gap))
    made += [
        Target("none", "No corruption: ≤ 0.5 % flagged", decide.nothing_wrong),
        Target("cost", "Auto takes ≤ 4 fits at λ = 0.04", decide.cost),
        Target("sure", f"Scored above {SURE}: ≥ 85 % right", decide.sure_ones),
        Target(
            "refit-wh",
            "W H error below RobustNMF+WNMF's",
            functools.partial(decide.beats_refit, "wh_relative"),
        ),
        Target(
            "refit-noise",
            "Error of the noise's size below RobustNMF+WNMF's",
            functools.partial(decide.beats_refit, "noise_error"),
        ),
        Target("rank-exact", "Rank 3 to 20, synthetic: exact in 8 of 10", decide.rank_exact),
        Target("rank-miss", "Rank 3 to 20, synthetic: never off by more than 2", decide.rank_miss),
        Target("rank-cost", "Choosing the rank takes ≤ 15 fits with lam='auto'", decide.rank_cost),
    ]
    made += [
        Target(
            f"foreign-{kind}",
            f"5 % {FOREIGN_NAMES[kind]}: error on faces ≤ {MOST_SPOILED} of that without",
            functools.partial(decide.foreign, kind),
        )
        for kind in FOREIGN
    ]
    return made


TARGETS = tuple(_targets())


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every target from the numbers.

    Examples
    --------
    >>> judge({})[0].verdict
    'not measured'
    """
    return [_judged(target, target.decide(numbers)) for target in TARGETS]


def _judged(target: Target, finding: Finding) -> Judged:
    # The verdict says already that there are no figures.
    measured = NOTHING if finding.verdict == UNKNOWN else finding.measured
    return Judged(target.sentence, measured, finding.verdict, finding.where, target.name)
