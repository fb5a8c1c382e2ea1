"""Plain numbers in a text, such as -12.50: read many at a time, not cell by cell.

Nearly all cells of nearly all files are digits with a point among them. Rows of such a text are cut
into cells and read with a few operations on all their letters at once, and give exactly the numbers
that `float` gives. What is written in any other way is only said to be so, for somebody slower.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array

# Longer cells are no plain numbers.
_LONGEST = 24
# So many digits are a whole number that float64 holds exactly, and so is the power of ten that
# their decimals need: one division then rounds as `float` does.
_EXACT = 15
_POWERS = np.array([float(f"1e{k}") for k in range(_EXACT + 1)])
_WHOLE_POWERS = 10 ** np.arange(_EXACT + 2)
_END, _RETURN, _TAB, _BLANK, _QUOTE, _ZERO = b'\n\r\t "0'
_SIGNS = b"+-"


@dataclass(frozen=True)
class PlainNumbers:
    """The cells of some rows of a text; all arrays have the shape (rows, columns).

    Attributes
    ----------
    text : str
        The rows.
    starts, stops : int arrays
        Where each cell stands in it, with its quotes and blanks.
    empty : bool array
        Cells with nothing in them.
    plain : bool array
        Those that hold a plain number.
    values : array
        The numbers; NaN elsewhere.
    whole, decimals : int arrays
        How many digits a plain number has before the sign, and after it (-1: there is no sign).
    leading : uint8 array
        The first letter without quotes and blanks, and without + or -.
    """

    text: str
    starts: Array
    stops: Array
    empty: Array
    plain: Array
    values: Array
    whole: Array
    decimals: Array
    leading: Array

    def raw(self, row: int, column: int) -> str:
        """Return a cell as it stands in the text."""
        return self.text[self.starts[row, column] : self.stops[row, column]]


def can_cut(delimiter: str) -> bool:
    """Return whether `cut` finds the cells that this separates as `split_cells` does."""
    # What has no place in Latin-1 is seen as a question mark; a blank stands for many.
    return delimiter.isascii() and delimiter not in ' ?"'


def cut(text: str, shape: tuple[int, int], delimiter: str, decimal: str) -> PlainNumbers | None:
    r"""Cut rows into cells and read those that are plain numbers.

    Parameters
    ----------
    text : str
        The records, with the ends of their lines.
    shape : tuple of int
        How many rows and columns there are to be.
    delimiter : str
        Between cells; one that `can_cut`.
    decimal : {".", ","}
        Before decimals.

    Returns
    -------
    PlainNumbers or None
        None if there are more or fewer cells.

    Examples
    --------
    >>> found = cut("1.50,x\n-2,.5e1\n", (2, 2), ",", ".")
    >>> found.plain.tolist(), found.values[:, 0].tolist(), found.decimals[:, 0].tolist()
    ([[True, False], [True, False]], [1.5, -2.0], [2, -1])
    """
    # One byte for each letter, so that places in the one are places in the other.
    letters = np.frombuffer(text.encode("latin-1", "replace"), np.uint8)
    quoted = '"' in text
    ends = _ends(letters, delimiter, quoted)
    if len(ends) != shape[0] * shape[1]:
        return None
    closed = np.append(letters, np.uint8(_END))[ends].reshape(shape) == _END
    if not closed[:, -1].all() or closed[:, :-1].any():
        return None
    begins = np.append(0, ends[:-1] + 1)
    start, stop = _stripped(letters, begins, ends, quoted)
    leading = letters[np.minimum(start, len(letters) - 1)]
    negative = leading == _SIGNS[1]
    signed = (negative | (leading == _SIGNS[0])) & (start < stop)
    leading = np.where(signed, letters[np.minimum(start + 1, len(letters) - 1)], leading)
    plain, values, whole, decimals = _read(letters, start + signed, stop, decimal)
    for i in np.flatnonzero(plain & np.isnan(values)):
        # More digits than float64 holds.
        values[i] = float(text[start[i] + signed[i] : stop[i]].replace(decimal, "."))
    values[negative] *= -1
    columns = (begins, ends, start == stop, plain, values, whole, decimals, leading)
    return PlainNumbers(text, *(array.reshape(shape) for array in columns))


def _ends(letters: Array, delimiter: str, quoted: bool) -> Array:
    """Return where cells end."""
    ends = (letters == ord(delimiter)) | (letters == _END)
    if quoted:
        # What stands after an odd number of quotes is inside of them; bytes that run over stay odd.
        ends &= (np.cumsum(letters == _QUOTE, dtype=np.uint8) & 1) == 0
    found = np.flatnonzero(ends)
    # The last line of a file may have no end.
    return found if len(letters) and letters[-1] == _END else np.append(found, len(letters))


def _stripped(letters: Array, start: Array, stop: Array, quoted: bool) -> tuple[Array, Array]:
    """Leave out blanks around cells, and quotes, and blanks within these."""
    start, stop = _without_blanks(letters, start, stop)
    if quoted:
        last = len(letters) - 1
        both = (stop - start > 1) & (letters[np.minimum(start, last)] == _QUOTE)
        both &= letters[stop - 1] == _QUOTE
        start, stop = _without_blanks(letters, start + both, stop - both)
    return start, stop


def _without_blanks(letters: Array, start: Array, stop: Array) -> tuple[Array, Array]:
    blank = np.zeros(256, dtype=bool)
    blank[[_BLANK, _TAB, _RETURN]] = True
    last = len(letters) - 1
    while (more := (start < stop) & blank[letters[np.minimum(start, last)]]).any():
        start = start + more
    while (more := (start < stop) & blank[letters[stop - 1]]).any():
        stop = stop - more
    return start, stop


def _read(
    letters: Array, start: Array, stop: Array, decimal: str
) -> tuple[Array, Array, Array, Array]:
    """Return which cells without a sign are plain numbers, these, and their digits."""
    length = stop - start
    fits = (length > 0) & (length <= _LONGEST)
    length = np.where(fits, length, 0).astype(np.int8)
    width = int(length.max(initial=1))
    # Cells stand below one another, flush right; what is left of them is filled with zeros.
    at = np.arange(-width, 0)[:, None]
    inside = at >= -length
    cells = letters[np.maximum(stop + at, 0)]
    point = (cells == ord(decimal)) & inside
    digits = cells - np.uint8(_ZERO)
    digits[~inside | point] = 0
    points = point.sum(axis=0, dtype=np.int8)
    count = length - points
    plain = fits & (digits < 10).all(axis=0) & (points <= 1) & (count > 0)
    # The letters after the point, of which there is one at the most.
    after = (point * np.arange(width - 1, -1, -1, dtype=np.int8)[:, None]).sum(0, dtype=np.int8)
    number = np.zeros(len(start), dtype=np.int64)
    for row in digits:
        # Of more digits than it holds nothing is used.
        number *= 10
        number += row
    # The point stands in the number as a zero.
    exact = plain & (count <= _EXACT)
    pointed = np.flatnonzero(exact & (points == 1))
    places = after[pointed]
    upper, lower = np.divmod(number[pointed], _WHOLE_POWERS[places + 1])
    values = np.where(exact, number, np.nan)
    values[pointed] = (upper * _WHOLE_POWERS[places] + lower) / _POWERS[places]
    decimals = np.where(points == 1, after, np.int8(-1))
    return plain, values, count - after, decimals
