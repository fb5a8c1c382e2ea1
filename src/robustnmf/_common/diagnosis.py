"""How far a result can be trusted, and why: the record that every judgement of data carries."""

from __future__ import annotations

from dataclasses import dataclass

from robustnmf._common.checks import check_choice

RELIABLE = "reliable"
"""The data have structure, hidden entries are predicted well, and one story fits best."""
DOUBTFUL = "doubtful"
"""Something speaks against the result; what is not clearly wrong is reported, not replaced."""
NO_STRUCTURE = "no structure"
"""Entries cannot be told from one another: nothing is learned, so nothing is replaced."""
UNDECIDED = "undecided"
"""Different accounts of what is corrupt fit equally well; nothing is replaced."""
VERDICTS = (RELIABLE, DOUBTFUL, UNDECIDED, NO_STRUCTURE)


class TrustWarning(UserWarning):
    """The result should not be relied on without looking: `Diagnosis.reasons` says why."""


@dataclass(frozen=True)
class Diagnosis:
    """How far a result can be trusted.

    Attributes
    ----------
    verdict : {"reliable", "doubtful", "undecided", "no structure"}
        In one word.
    reasons : tuple of str
        Each a whole thought without a full stop; empty only if the verdict is ``"reliable"``.

    Examples
    --------
    >>> diagnosis = Diagnosis("doubtful", ("there are only 4 samples for each component",))
    >>> print(diagnosis)
    doubtful: there are only 4 samples for each component
    >>> diagnosis.trusted
    False
    """

    verdict: str
    reasons: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("verdict", self.verdict, VERDICTS)

    @property
    def trusted(self) -> bool:
        """Whether the verdict is ``"reliable"``."""
        return self.verdict == RELIABLE

    def __str__(self) -> str:
        return f"{self.verdict}: {'; '.join(self.reasons)}" if self.reasons else self.verdict


def gravest(*diagnoses: Diagnosis) -> Diagnosis:
    """Return the gravest verdict, with the reasons of all, each once.

    Examples
    --------
    >>> print(gravest(Diagnosis("reliable"), Diagnosis("undecided", ("two stories fit",))))
    undecided: two stories fit
    """
    verdict = max((d.verdict for d in diagnoses), key=VERDICTS.index)
    reasons = dict.fromkeys(reason for d in diagnoses for reason in d.reasons)
    return Diagnosis(verdict, tuple(reasons))
