"""The container: what comes back, and what a reader makes of files that nobody sane wrote."""

import io
import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from robustnmf._saving import RefusedError, container
from saved_files import BLANK, TYPES, pack

NAMES = st.text(min_size=1, max_size=20).filter(lambda name: name != container.METADATA)
ARRAYS = st.sampled_from(list(TYPES.values())).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)


def read(raw):
    file = io.BytesIO(raw)
    header = container.read_header(file, len(raw))
    return header.metadata, container.read_tensors(file, header)


def written(tensors, metadata=None):
    file = io.BytesIO()
    container.write(file, tensors, metadata or {})
    return file.getvalue()


@given(tensors=st.dictionaries(NAMES, ARRAYS, max_size=4), words=st.dictionaries(NAMES, st.text()))
def test_what_was_written_comes_back(tensors, words):
    words.pop("sha256", None)
    metadata, found = read(written(tensors, words))
    assert {key: metadata[key] for key in words} == words
    assert found.keys() == tensors.keys()
    for name, array in tensors.items():
        assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape


def test_safetensors_reads_what_we_write(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    tensors = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": np.array([True, False, True]),
        "none": np.empty(0, np.int64),
        "one": np.float32(2.5).reshape(()),
    }
    (tmp_path / "t").write_bytes(written(tensors, {"what": "a test"}))
    found = numpy.load_file(tmp_path / "t")
    assert found.keys() == tensors.keys()
    for name, array in tensors.items():
        assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_arrays_begin_at_multiples_of_their_width():
    raw = written({"b": np.ones(3, bool), "a": np.ones(3), "c": np.ones(3, np.float32)})
    length = int.from_bytes(raw[:8], "little")
    assert length % 8 == 0
    for name, told in json.loads(raw[8 : 8 + length]).items():
        if name != "__metadata__":
            assert told["data_offsets"][0] % np.dtype(TYPES[told["dtype"]]).itemsize == 0


def test_an_array_of_another_order_of_memory_and_bytes_comes_back():
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3)).astype(">f8")
    (found,) = read(written({"a": array}))[1].values()
    assert_array_equal(found, array)
    assert found.dtype.isnative
    assert found.flags.c_contiguous


def test_what_has_no_type_here_is_not_written():
    with pytest.raises(ValueError, match="complex128 cannot be saved"):
        written({"a": np.ones(2, complex)})


def test_every_length_short_of_the_whole_is_refused():
    raw = written({"a": np.arange(3.0), "b": np.ones(2, bool)}, {"what": "a test"})
    for length in range(len(raw)):
        with pytest.raises(RefusedError):
            read(raw[:length])
    with pytest.raises(RefusedError, match="1 bytes belong to no array"):
        read(raw + b"\0")


def test_every_flipped_byte_is_noticed():
    raw = written({"a": np.arange(3.0), "b": np.ones(2, bool)}, {"what": "a test"})
    for place in range(len(raw)):
        for change in (1, 128):
            spoiled = bytearray(raw)
            spoiled[place] ^= change
            with pytest.raises(RefusedError):
                read(bytes(spoiled))


def header_of(**tensors):
    return {"__metadata__": {"sha256": BLANK}, **tensors}


def tensor(dtype="F64", shape=(1,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_the_files_of_these_tests_are_good_before_they_are_spoiled():
    assert read(pack(header_of(a=tensor()), bytes(8)))[1] == {"a": [0.0]}


HOSTILE = {
    "nothing": b"",
    "too short": b"\x02\0\0\0",
    "no header": (0).to_bytes(8, "little") + b"{}",
    "huge header": (2**63).to_bytes(8, "little") + b"{}",
    "largest header": b"\xff" * 100,
    "header beyond the end": (1000).to_bytes(8, "little") + b"{}",
    "not JSON": pack(b"{nonsense"),
    "not UTF-8": pack(b'{"\xff\xfe": 1}'),
    "UTF-16": pack('{"__metadata__": {}}'.encode("utf-16")),
    "a list": pack(b"[]"),
    "no words": pack(b"{}"),
    "words of another type": pack({"__metadata__": {"sha256": BLANK, "n": 1}}),
    "words that are none": pack({"__metadata__": "words"}),
    "deep lists": pack(b"[" * 100_000),
    "deep objects": pack(b'{"a":' * 100_000),
    "key twice": pack(b'{"__metadata__": {}, "__metadata__": {}}'),
    "NaN": pack(b'{"__metadata__": {}, "a": NaN}'),
    "infinity": pack(b'{"__metadata__": {}, "a": -Infinity}'),
    "a number of many digits": pack(b'{"__metadata__": {}, "a": ' + b"9" * 10_000 + b"}"),
    "no checksum": pack({"__metadata__": {}}),
    "checksum that is none": pack({"__metadata__": {"sha256": "é" * 64}}),
    "checksum twice": pack({"__metadata__": {"sha256": "1" * 64, "again": "1" * 64}}),
    "wrong checksum": pack({"__metadata__": {"sha256": "1" * 64}}),
    "array that is none": pack(header_of(a=[])),
    "array without a type": pack(header_of(a={"shape": [0], "data_offsets": [0, 0]})),
    "unknown type": pack(header_of(a=tensor("BF16", (4,))), bytes(8)),
    "type that is no word": pack(header_of(a=tensor(["F64"])), bytes(8)),
    "objects": pack(header_of(a=tensor("O")), bytes(8)),
    "negative size": pack(header_of(a=tensor(shape=(-1,))), bytes(8)),
    "two negative sizes": pack(header_of(a=tensor(shape=(-1, -1))), bytes(8)),
    "size that is true": pack(header_of(a=tensor(shape=(True,))), bytes(8)),
    "size that is a fraction": pack(header_of(a=tensor(shape=(1.0,))), bytes(8)),
    "size that overflows": pack(
        header_of(a=tensor(shape=(2**61 + 1, 8), offsets=(0, 64))), bytes(64)
    ),
    "nothing of a huge size": pack(header_of(a=tensor(shape=(0, 2**62), offsets=(0, 0)))),
    "huge": pack(header_of(a=tensor(shape=(2**40,), offsets=(0, 2**43))), bytes(8)),
    "many sizes": pack(header_of(a=tensor(shape=(1,) * 65)), bytes(8)),
    "offsets the wrong way": pack(header_of(a=tensor(offsets=(8, 0))), bytes(8)),
    "negative offsets": pack(header_of(a=tensor(offsets=(-8, 0))), bytes(8)),
    "three offsets": pack(header_of(a=tensor(offsets=(0, 4, 8))), bytes(8)),
    "offsets beyond the end": pack(header_of(a=tensor(offsets=(8, 16))), bytes(8)),
    "more than the shape": pack(header_of(a=tensor(offsets=(0, 16))), bytes(16)),
    "one on the other": pack(header_of(a=tensor(), b=tensor()), bytes(8)),
    "half on the other": pack(header_of(a=tensor(), b=tensor(offsets=(4, 12))), bytes(12)),
    "a gap": pack(header_of(a=tensor(), b=tensor(offsets=(16, 24))), bytes(24)),
    "a gap at the beginning": pack(header_of(a=tensor(offsets=(8, 16))), bytes(16)),
    "bytes left over": pack(header_of(a=tensor()), bytes(9)),
    "neither true nor false": pack(header_of(a=tensor("BOOL", (8,))), b"\0\1\2\0\0\0\0\0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once_and_in_little_memory(name):
    tracemalloc.start()
    try:
        with pytest.raises(RefusedError):
            read(HOSTILE[name])
        # Deep objects are parsed before they are found to be too deep.
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_header_takes_no_more_than_some_times_its_size_in_memory(monkeypatch):
    monkeypatch.setattr(container, "MOST_HEADER", 2**19)
    inside = b"[]," * (container.MOST_HEADER // 3 - 10)
    tracemalloc.start()
    try:
        with pytest.raises(RefusedError, match="says nothing of where it comes from"):
            read(pack(b'{"a":[' + inside + b"[]]}"))
        assert tracemalloc.get_traced_memory()[1] < 30 * container.MOST_HEADER
    finally:
        tracemalloc.stop()
    with pytest.raises(RefusedError, match="no file that robustnmf saved"):
        read(pack(b" " * (container.MOST_HEADER + 8)))


def test_what_is_too_much_to_read_is_not_written():
    with pytest.raises(ValueError, match="too much to say"):
        written({}, {"content": "x" * container.MOST_HEADER})


def test_a_file_that_is_cut_while_it_is_read_is_refused():
    raw = written({"a": np.arange(3.0)})
    file = io.BytesIO(raw)
    header = container.read_header(file, len(raw))
    file.truncate(len(raw) - 1)
    with pytest.raises(RefusedError, match="changed while it was read"):
        container.read_tensors(file, header)


def test_an_array_that_comes_in_parts_is_written_like_a_whole_one():
    A, b = np.arange(12.0).reshape(6, 2), np.arange(3, dtype=np.int64)
    parts = container.Parts(A.shape, A.dtype, lambda: (A[i : i + 4] for i in range(0, 6, 4)))
    files = [io.BytesIO(), io.BytesIO()]
    for file, whole in zip(files, (A, parts), strict=True):
        container.write(file, {"A": whole, "b": b}, {"what": "a test"})
    assert files[0].getvalue() == files[1].getvalue()
    files[1].seek(0)
    header = container.read_header(files[1], len(files[1].getvalue()))
    stored = container.stored_arrays(files[1], header)
    assert_array_equal(stored["A"][2:5], A[2:5])
    assert_array_equal(stored["b"][:], b)
    assert (stored["A"].ndim, stored["A"].shape, stored["A"].dtype) == (2, (6, 2), np.float64)


def test_parts_that_are_not_what_they_said_are_refused():
    parts = container.Parts((6, 2), np.dtype(float), lambda: [np.ones((5, 2))])
    with pytest.raises(ValueError, match="A changed while it was written"):
        container.write(io.BytesIO(), {"A": parts}, {})
