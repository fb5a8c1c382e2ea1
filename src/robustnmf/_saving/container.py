"""The container: arrays by name, and words about them, laid out as safetensors does.

    8 bytes      length of the header, little-endian
    header       JSON: for each array its dtype, shape and place; words under ``__metadata__``
    the rest     the arrays, one after the other, without gaps

The package safetensors reads these files; this is a reader of our own because it has to check more:
the words hold a checksum of the whole file, and nothing may be left over. Whatever a file claims of
itself is compared with its size before memory is asked for.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._saving.refusal import DAMAGED, RefusedError, shown

# Each number is stored little-endian.
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}
# Parsed, a header takes up to twenty times its size in memory; one of ours has some thousand bytes.
MOST_HEADER = 8 * 2**20
MOST_DIMENSIONS = 8
METADATA = "__metadata__"
CHECKSUM = "sha256"
_BLANK = "0" * 64
# Bytes of a file that is only looked through.
_AT_ONCE = 2**20


class Header(NamedTuple):
    """What the beginning of a file says of the rest, in part checked."""

    text: bytes
    metadata: dict[str, str]
    tensors: dict[str, Any]
    """What is said of each array; `read_tensors` checks it."""
    left: int
    """Bytes after the header."""


class Place(NamedTuple):
    """Where an array lies, by the header."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


class Parts(NamedTuple):
    """An array to be written that is not in memory, some rows at a time."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    parts: Callable[[], Iterable[Array]]
    """Gives them in order."""

    @property
    def nbytes(self) -> int:
        """Its size."""
        return math.prod(self.shape) * self.dtype.itemsize


class StoredArray:
    """An array in a file, of which rows are read as they are asked for."""

    def __init__(self, file: BinaryIO, first: int, place: Place) -> None:
        self.shape, self.dtype = place.shape, place.dtype.newbyteorder("=")
        self._file, self._first, self._stored = file, first + place.begin, place.dtype

    @property
    def ndim(self) -> int:
        """The number of its dimensions."""
        return len(self.shape)

    def __getitem__(self, rows: slice) -> Array:
        begin, end, _ = rows.indices(self.shape[0])
        array = np.empty((end - begin, *self.shape[1:]), dtype=self._stored)
        self._file.seek(self._first + begin * math.prod(self.shape[1:]) * array.itemsize)
        _fill(array, self._file)
        return array.astype(self.dtype, copy=False)


def write(
    file: BinaryIO, tensors: Mapping[str, Array | Parts], metadata: Mapping[str, str]
) -> None:
    """Write arrays and words, with a checksum, to a file that is empty.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write(file, {"a": np.arange(3.0)}, {"what": "an example"})
    >>> size = file.seek(0, io.SEEK_END)
    >>> _ = file.seek(0)
    >>> header = read_header(file, size)
    >>> header.metadata["what"], read_tensors(file, header)
    ('an example', {'a': array([0., 1., 2.])})
    """
    table: dict[str, Any] = {METADATA: {CHECKSUM: _BLANK, **metadata}}
    # The widest first, so that each begins at a multiple of its width.
    arrays = {name: _stored(array) for name, array in tensors.items()}
    order = sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize)
    end = 0
    for name in order:
        array, begin = arrays[name], end
        end += array.nbytes
        table[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(table, allow_nan=False, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    if len(text) > MOST_HEADER:
        raise ValueError(
            f"there is too much to say of what is saved: {len(text):,} bytes, where "
            f"{MOST_HEADER:,} are the most"
        )
    digest = hashlib.sha256(text)
    file.write(len(text).to_bytes(8, "little"))
    file.write(text)
    for name in order:
        array, written = arrays[name], 0
        for part in array.parts() if isinstance(array, Parts) else (array,):
            raw = _bytes_of(_stored(part))
            digest.update(raw)
            file.write(raw)
            written += len(raw)
        if written != array.nbytes:
            raise ValueError(f"{name} changed while it was written: {written} bytes of it came")
    file.seek(8 + text.index(_BLANK.encode()))
    file.write(digest.hexdigest().encode())


def read_header(file: BinaryIO, size: int) -> Header:
    """Read the beginning of a file of a known size."""
    foreign = "it is no file that robustnmf saved"
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if len(first) < 8 or not 2 <= length <= min(MOST_HEADER, size - 8):
        raise RefusedError(f"{foreign}, or it was cut short at the very beginning: {DAMAGED}")
    text = file.read(length)
    if len(text) < length:
        raise RefusedError(f"it changed while it was read: {DAMAGED}")
    table = strict_json(text, "its header")
    if not isinstance(table, dict) or not isinstance(table.get(METADATA), dict):
        raise RefusedError(f"{foreign}: its header says nothing of where it comes from")
    metadata = table.pop(METADATA)
    if not all(isinstance(value, str) for value in metadata.values()):
        raise RefusedError(f"{foreign}: its header holds something else than words in {METADATA}")
    return Header(text, metadata, table, size - 8 - length)


def read_tensors(file: BinaryIO, header: Header) -> dict[str, Array]:
    """Read the arrays that follow a header, and compare the checksum."""
    places, found = _places(header), {}
    digest, given = _checksum(header)
    for place in places:
        array = np.empty(place.shape, dtype=place.dtype)
        digest.update(_fill(array, file))
        found[place.name] = array
    _compare(digest, given)
    for name, array in found.items():
        # Any other byte would be a truth value that is neither.
        if array.dtype == bool and (array.view(np.uint8) > 1).any():
            raise RefusedError(f"the array {shown(name)} holds something else than true and false")
        found[name] = array.astype(array.dtype.newbyteorder("="), copy=False)
    return found


def stored_arrays(file: BinaryIO, header: Header) -> dict[str, StoredArray]:
    """Return the arrays that follow a header where they are; the checksum is compared first."""
    places = _places(header)
    digest, given = _checksum(header)
    first = file.tell()
    while chunk := file.read(_AT_ONCE):
        digest.update(chunk)
    _compare(digest, given)
    return {place.name: StoredArray(file, first, place) for place in places}


def _places(header: Header) -> list[Place]:
    """Return where the arrays lie, in order; all that follows the header is in one of them."""
    places = sorted((_place(*item) for item in header.tensors.items()), key=lambda p: p[3:])
    at = 0
    for place in places:
        if place.begin != at or place.end > header.left:
            raise RefusedError(
                f"it is damaged or cut short: the array {shown(place.name)} should lie at "
                f"{place.begin} to {place.end}, where {at} to {header.left} is left: {DAMAGED}"
            )
        at = place.end
    if at != header.left:
        raise RefusedError(f"it is damaged: {header.left - at} bytes belong to no array: {DAMAGED}")
    return places


def _checksum(header: Header) -> tuple[Any, str]:
    """Return the checksum as far as the header goes, and what it has to become."""
    given = header.metadata.get(CHECKSUM, "")
    named_once = given.isascii() and header.text.count(given.encode()) == 1
    if len(given) != len(_BLANK) or not named_once:
        raise RefusedError(f"it is damaged: it has no checksum: {DAMAGED}")
    return hashlib.sha256(header.text.replace(given.encode(), _BLANK.encode())), given


def _compare(digest: Any, given: str) -> None:
    if digest.hexdigest() != given:
        raise RefusedError(f"it is damaged: its checksum does not fit: {DAMAGED}")


def _fill(array: Array, file: BinaryIO) -> memoryview:
    """Read a whole array, and return its bytes."""
    raw = _bytes_of(array)
    if file.readinto(raw) != len(raw):  # type: ignore[attr-defined]
        raise RefusedError(f"it changed while it was read: {DAMAGED}")
    return raw


def strict_json(text: bytes, what: str) -> Any:
    """Parse JSON as the standard has it: UTF-8, each key once, no NaN, no infinity."""

    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a key is there twice")
        return found

    def never(word: str) -> Any:
        raise ValueError(f"{word} is no number")

    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=each_once, parse_constant=never)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{what} cannot be read ({shown(str(error))}): {DAMAGED}") from error


def _place(name: str, told: Any) -> Place:
    """Check what a header says of an array, but for where the others lie."""
    wrong = RefusedError(
        f"its header says of the array {shown(name)} what makes no sense: {shown(told)}"
    )
    if not isinstance(told, dict) or set(told) != {"dtype", "shape", "data_offsets"}:
        raise wrong
    dtype, shape, offsets = told["dtype"], told["shape"], told["data_offsets"]
    if not (isinstance(dtype, str) and dtype in DTYPES):
        raise RefusedError(f"the array {shown(name)} is of an unknown type: {shown(dtype)}")
    if not (_are_counts(shape) and len(shape) <= MOST_DIMENSIONS):
        raise wrong
    if not (_are_counts(offsets) and len(offsets) == 2):
        raise wrong
    begin, end = offsets
    stored = DTYPES[dtype]
    if math.prod(shape) * stored.itemsize != end - begin:
        raise wrong
    # An array without entries must not be of a size that none can have, either.
    if math.prod(max(size, 1) for size in shape) * stored.itemsize > np.iinfo(np.int64).max:
        raise wrong
    return Place(name, stored, tuple(shape), begin, end)


def _are_counts(found: Any) -> bool:
    return isinstance(found, list) and all(type(n) is int and n >= 0 for n in found)


def _stored(array: Array | Parts) -> Any:
    """Return an array as it is stored: little-endian, row after row."""
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _NAMES:
        raise ValueError(f"arrays of {array.dtype} cannot be saved: use float64 or float32")
    if isinstance(array, Parts):
        return array._replace(dtype=dtype)
    return np.asarray(array, dtype=dtype, order="C")


def _bytes_of(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
