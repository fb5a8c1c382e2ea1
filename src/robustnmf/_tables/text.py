"""Text cut into records and cells, so that joined again it is what it was, letter for letter."""

from __future__ import annotations

import codecs
import re
from collections import Counter

from robustnmf._tables.table import TableError

# Any number of blanks, which belong to the cell after them.
BLANKS = " "
_WORD = re.compile(r' *(?:"[^"]*"|[^ "])+(?: +$)?')
# In this order: a comma may be the decimal point of a table that something else separates.
_DELIMITERS = ("\t", ";", "|", ",")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# So many records tell what separates their cells, and what stands before decimals.
_SAMPLE = 50
# A mark at the beginning of a text, by the encoding that stands for either order of bytes.
_MARKS = {
    "utf-8": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
    "utf-32": ((codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")),
}


def decoded(content: bytes, encoding: str) -> tuple[str, bytes, str]:
    """Return a text, the mark before it, and its encoding without a mark.

    Parameters
    ----------
    content : bytes
        Of the file.
    encoding : str
        As the user named it.

    Returns
    -------
    text : str
    mark : bytes
        The byte order mark; may be empty.
    encoding : str
        Which gives the bytes after the mark, piece by piece.
    """
    if b"\x00" in content[:4096] and encoding == "utf-8":
        raise TableError(
            "this is not text: name the kind of file with --format, or its --encoding (utf-16?)"
        )
    try:
        name = codecs.lookup(encoding).name.removesuffix("-sig")
        marks = _MARKS.get(name, ())
        mark, plain = next((pair for pair in marks if content.startswith(pair[0])), (b"", name))
        if name in ("utf-16", "utf-32") and not mark:
            plain = f"{name}-le"
        text = content[len(mark) :].decode(plain)
        # Encodings with a state, or with two ways to write a letter, may not give it back.
        if (
            name not in _MARKS
            and not plain.startswith(("utf-16", "utf-32"))
            and text.encode(plain) != content
        ):
            raise TableError(
                f"{encoding} would not give every letter back as it was: save the file as UTF-8"
            )
    except LookupError as error:
        raise TableError(f"there is no encoding {encoding!r}: try utf-8 or latin-1") from error
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        line = content[:start].count(b"\n") + 1
        raise TableError(
            f"line {line} is not {encoding}: pass the file's own --encoding, e.g. latin-1 or utf-16"
        ) from error
    return text, mark, plain


def cut_up(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return what is above the table, its records, and the blank lines after each of them.

    A record may span lines inside quotes.

    Parameters
    ----------
    text : str
        All of it.

    Returns
    -------
    top, records, after : lists of str
    """
    if "\n" not in text and "\r" in text:
        raise TableError("lines end in \\r alone: save the file with \\n or \\r\\n")
    top: list[str] = []
    records: list[str] = []
    after: list[str] = []
    open_since = 0
    for number, line in enumerate(_LINE.findall(text), 1):
        odd = line.count('"') % 2 == 1
        if open_since:
            records[-1] += line
            open_since = 0 if odd else open_since
        elif not records and (not line.strip() or line.startswith("#")):
            top.append(line)
        elif not line.strip():
            after[-1] += line
        else:
            records.append(line)
            after.append("")
            open_since = number if odd else 0
    if open_since:
        raise TableError(f"a quote in line {open_since} is never closed: is the file cut off?")
    return top, records, after


def split_cells(body: str, delimiter: str) -> list[str]:
    """Return the cells of a record, with their quotes and blanks.

    Parameters
    ----------
    body : str
        Without the end of its line.
    delimiter : str
        Between cells; a blank stands for any number of them.

    Returns
    -------
    list of str

    Examples
    --------
    >>> split_cells('"Smith, Bob", 3', ",")
    ['"Smith, Bob"', ' 3']
    >>> split_cells("  1.5   20 ", " ")
    ['  1.5', '   20 ']
    """
    if delimiter == BLANKS:
        return _WORD.findall(body)
    cells = body.split(delimiter)
    if '"' not in body:
        return cells
    merged: list[str] = []
    inside = False
    for cell in cells:
        if inside:
            merged[-1] += delimiter + cell
        else:
            merged.append(cell)
        inside ^= bool(cell.count('"') % 2)
    return merged


def join_cells(cells: list[str], delimiter: str) -> str:
    """Return the record that has these cells.

    Parameters
    ----------
    cells : list of str
        As `split_cells` returned them; some may have changed.
    delimiter : str
        Between cells.

    Returns
    -------
    str
    """
    return ("" if delimiter == BLANKS else delimiter).join(cells)


def unquoted(raw: str) -> str:
    """Return a cell without the blanks and quotes around it.

    Parameters
    ----------
    raw : str
        As it stands in the file.

    Returns
    -------
    str
    """
    cell = raw.strip()
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"').strip()
    return cell


def requoted(raw: str, new: str, delimiter: str) -> str:
    """Return a cell with another content, but the blanks and quotes that it had.

    Parameters
    ----------
    raw : str
        As it stands in the file.
    new : str
        The content, without quotes in it.
    delimiter : str
        Between cells; a content that holds it is quoted.

    Returns
    -------
    str

    Examples
    --------
    >>> requoted('  "935" ', "1,196", ","), requoted(" 935", "1,196", ","), requoted("", "5", ",")
    ('  "1,196" ', ' "1,196"', '5')
    """
    inside = raw.strip()
    if inside[:1] == '"' and (first := raw.find('"')) < (last := raw.rfind('"')):
        return raw[: first + 1] + new + raw[last:]
    if delimiter in new:
        new = f'"{new}"'
    return raw.replace(inside, new, 1) if inside else new


def sniffed_delimiter(records: list[str]) -> str:
    """Return what separates the cells: what cuts all records into as many.

    Parameters
    ----------
    records : list of str
        Of the file, with headings.

    Returns
    -------
    str
    """
    sample = [record.rstrip("\r\n") for record in records[:_SAMPLE]]
    common = {}
    for delimiter in _DELIMITERS:
        counts = Counter(len(split_cells(body, delimiter)) for body in sample)
        (width, times), *_ = counts.most_common(1)
        if width > 1 and times == len(sample):
            return delimiter
        common[delimiter] = times if width > 1 else 0
    best = max(_DELIMITERS, key=lambda delimiter: common[delimiter])
    if common[best]:
        return best
    return " " if all(" " in body.strip() for body in sample) else ","


def sniffed_decimal(records: list[str], delimiter: str) -> str:
    """Return the decimal sign that the first records suggest.

    Parameters
    ----------
    records : list of str
        Of the file, without headings.
    delimiter : str
        Between cells.

    Returns
    -------
    str
    """
    if delimiter == ",":
        return "."
    commas = points = 0
    for record in records[:_SAMPLE]:
        for raw in split_cells(record.rstrip("\r\n"), delimiter):
            cell = unquoted(raw)
            commas += bool(re.fullmatch(r"[+-]?\d+,\d+", cell))
            points += bool(re.fullmatch(r"[+-]?\d+\.\d+", cell))
    return "," if commas > points else "."
