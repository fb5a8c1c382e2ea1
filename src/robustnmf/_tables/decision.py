"""Deciding how a column writes its numbers, from all of its cells together.

``1.196`` is one and a bit, or a thousand and more. What settles it is another cell that can be
read in one way only: in the same column, or else in another one of the same file. Where no cell
settles it, sizes may: ``935`` and ``1.196`` are neighbours only if the second is a thousand and
more. And where nothing does, the column is left alone, for a wrong guess would ruin it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from robustnmf._tables.styles import MARKS, SHARES, Style
from robustnmf._tables.survey import NOTATION, OTHER, POINTS, Survey


@dataclass(frozen=True)
class Decision:
    """How a column is read: its style, why it cannot be read, what its owner should know."""

    style: Style
    why_not: str = ""
    note: str = ""


def decided(
    surveys: Sequence[Survey], decimal: str | None, thousands: str | None
) -> tuple[str, list[Decision]]:
    """Decide how each column of a file writes its numbers.

    Parameters
    ----------
    surveys : sequence of Survey
        One a column.
    decimal, thousands : str or None
        As the user said it; None means: find out. No groups are an empty text.

    Returns
    -------
    decimal : str
        What most of the file uses.
    decisions : list of Decision
    """
    known = decimal or _of_the_file(surveys, thousands)
    if known is not None or thousands == "":
        return known or ".", [_decision(each, decimal, thousands, known) for each in surveys]
    known = _of_the_sizes(surveys)
    decisions = [_decision(each, decimal, thousands, known) for each in surveys]
    # What was guessed is told once, of the first column that it matters to.
    for j, (survey, decision) in enumerate(zip(surveys, decisions, strict=True)):
        sign = decision.style.thousands
        if sign in POINTS and not survey.groups[sign] and not decision.why_not:
            cell, row = survey.first["unclear", sign]
            note = f"{cell!r} in row {row + 1} is read as {_digits(cell)}; if not, --decimal {sign}"
            decisions[j] = replace(decision, note=note)
            break
    return known or ".", decisions


def _of_the_sizes(surveys: Sequence[Survey]) -> str | None:
    """Return the decimal sign that the sizes of cells suggest, if no column contradicts."""
    votes = {
        OTHER[sign]
        for survey in surveys
        for sign in POINTS
        if survey.numbers > survey.strange and survey.seems_grouped(sign)
    }
    return votes.pop() if len(votes) == 1 else None


def _of_the_file(surveys: Sequence[Survey], thousands: str | None) -> str | None:
    """Return the decimal sign that cells settle which can be read in one way only."""
    if thousands in POINTS:
        return OTHER[thousands]
    votes: Counter[str] = Counter()
    for survey in surveys:
        # Dates and addresses have points, too.
        if survey.numbers > survey.strange:
            for sign in POINTS:
                votes[sign] += survey.groups[OTHER[sign]]
                if not _mistyped(survey, sign):
                    votes[sign] += survey.decimals[sign]
    if votes["."] == votes[","]:
        return None
    return max(POINTS, key=lambda sign: votes[sign])


def _decision(
    survey: Survey, decimal: str | None, thousands: str | None, known: str | None
) -> Decision:
    if survey.strange >= survey.numbers:
        # Words, whatever numbers are among them.
        return Decision(Style(known or "."))
    unit, why = _unit(survey)
    point = OTHER[thousands] if decimal is None and thousands in POINTS else decimal
    if point is None:
        point, doubt = _point(survey, known, thousands)
        why = why or doubt
    if thousands is None:
        candidates = {
            sign: survey.groups[sign] + survey.unclear[sign] for sign in MARKS if sign != point
        }
        best = max(candidates, key=lambda sign: candidates[sign])
        thousands = best if candidates[best] else ""
    return Decision(Style(point, "" if thousands == point else thousands, unit), why)


def _unit(survey: Survey) -> tuple[str, str]:
    """Return the column's unit, and the cell that has another one."""
    ranked = [unit for unit, _ in survey.units.most_common() if unit]
    if not ranked:
        return "", ""
    unit = ranked[0]
    others = [other for other in survey.units if other != unit]
    if unit not in SHARES:
        # An amount without its currency is still one.
        others = [other for other in others if other]
    if not others:
        return unit, ""
    cell, row = survey.first["units", others[0]]
    return unit, f"{cell!r} in row {row + 1} is not in {unit}, as other cells are"


def _point(survey: Survey, known: str | None, thousands: str | None) -> tuple[str, str]:
    """Return the decimal sign of a column, and why it is in doubt."""
    votes = {sign: survey.decimals[sign] + survey.groups[OTHER[sign]] for sign in POINTS}
    default = known or "."
    if max(votes.values()):
        point = max(POINTS, key=lambda sign: (votes[sign], sign == default))
        if votes[point] > NOTATION.few * (votes[point] + survey.unclear[point]):
            return point, ""
        # A few cells are as likely mistyped as they settle anything.
        return (point, _mistyped(survey, point)) if known in (None, point) else (default, "")
    signs = [sign for sign in POINTS if survey.unclear[sign]]
    if not signs:
        return default, ""
    if len(signs) == 2:
        cells = [survey.first["unclear", sign] for sign in signs]
        (one, _), (other, row) = sorted(cells, key=lambda item: item[1])
        return default, f"{other!r} in row {row + 1} and {one!r} above use both signs"
    (sign,) = signs
    if thousands == "":
        return known or sign, ""
    if known is None:
        return _by_size(survey, sign)
    # Decimals elsewhere in the file are no proof if sizes speak against it in many cells.
    against = known == sign and survey.seems_grouped(sign) and survey.small > _few(survey, sign)
    return known, _either(survey, sign) if against else ""


def _few(survey: Survey, sign: str) -> float:
    return NOTATION.few * (survey.small + survey.unclear[sign])


def _by_size(survey: Survey, sign: str) -> tuple[str, str]:
    """Decide by the sizes of the cells what a sign means that may mean either."""
    if survey.seems_grouped(sign):
        return OTHER[sign], ""
    # Where all cells have the sign they are all read a thousand times too small or none, which
    # is the same in proportion. A few without it are mistyped.
    thousands = survey.large > 2 * NOTATION.few * survey.unclear[sign]
    many = survey.small > _few(survey, sign) or thousands
    return sign, _either(survey, sign) if many else ""


def _mistyped(survey: Survey, point: str) -> str:
    """Say why a few cells cannot settle what many others seem to contradict."""
    votes = survey.decimals[point]
    most = NOTATION.few * (votes + survey.unclear[point])
    if not survey.seems_grouped(point) or not 0 < votes <= most:
        return ""
    cell, row = survey.first["decimals", point]
    return (
        f"{cell!r} in row {row + 1} has decimals, but in most cells {point!r} seems to mark "
        f"thousands: correct it, or say --decimal {point}"
    )


def _either(survey: Survey, sign: str) -> str:
    cell, row = survey.first["unclear", sign]
    return (
        f"{cell!r} in row {row + 1} may have decimals or be {_digits(cell)}: "
        f"say --decimal {sign} or --thousands {sign}"
    )


def _digits(cell: str) -> str:
    return "".join(c for c in cell if c.isdigit())
