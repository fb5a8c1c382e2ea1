"""Files of models made by hand, and models taken apart, for the tests of saving."""

import copy
import hashlib
import json

import numpy as np

BLANK = "0" * 64
TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1", "BOOL": "?"}


def pack(header, data=b""):
    """A file with this header, whose checksum fits if the header has a blank one."""
    if isinstance(header, dict):
        header = json.dumps(header).encode()
    digest = hashlib.sha256(header + data).hexdigest()
    header = header.replace(BLANK.encode(), digest.encode(), 1)
    return len(header).to_bytes(8, "little") + header + data


def taken_apart(raw):
    """The header of a file, as a dict with a blank checksum, its content, and the data."""
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    words = header.pop("__metadata__") | {"sha256": BLANK}
    content = json.loads(words.pop("content"))
    return {"__metadata__": words, **header}, content, bytearray(raw[8 + length :])


def put_together(header, content, data):
    """A file of what `taken_apart` returned, perhaps changed."""
    if not isinstance(content, str):
        content = json.dumps(content)
    words = {**header["__metadata__"], "content": content}
    return pack({**header, "__metadata__": words}, bytes(data))


def array_of(header, data, name):
    """One of the arrays, which lies in the data: to write to it changes them."""
    begin, end = header[name]["data_offsets"]
    array = np.frombuffer(memoryview(data)[begin:end], dtype=TYPES[header[name]["dtype"]])
    return array.reshape(header[name]["shape"])


NASTY = [
    None, True, False, 0, -1, 1, 127, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, "", "inf", "NaN",
    "learned.components", "__class__", "os.system", "x" * 10_000, [], [[]], {}, {"class": "none"},
    {"class": "detection"}, [0] * 1000, [0, 8], "F32", "BOOL", "I64", "O", "\ud800",
]  # fmt: skip


def spots(tree):
    """All places of a tree of JSON: what holds it, and the key."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield tree, key
        if isinstance(value, dict | list):
            yield from spots(value)


def change(tree, rng):
    """Change something in a tree of JSON."""
    holder, key = rng.choice(list(spots(tree)))
    action = rng.randrange(4)
    if action == 0 and isinstance(holder, dict):
        holder[f"{key}{rng.choice(['', 's', '.0'])}x"] = holder.pop(key)
    elif action == 1:
        del holder[key]
    elif action == 2:
        other, name = rng.choice(list(spots(tree)))
        holder[key] = copy.deepcopy(other[name])
    else:
        holder[key] = copy.deepcopy(rng.choice(NASTY))


def mutated(raw, rng):
    """A file in which something was changed; half the time with a checksum that fits."""
    kind = rng.choice(["bytes", "header", "content", "data", "text"])
    if kind == "bytes":
        spoiled = bytearray(raw)
        for _ in range(rng.choice([1, 2, 20])):
            place = rng.randrange(len(spoiled))
            spoiled[place : place + rng.choice([0, 1, 1, 1, 9])] = rng.randbytes(
                rng.choice([0, 1, 1, 1, 8])
            )
        return bytes(spoiled)
    header, content, data = taken_apart(raw)
    if kind == "header":
        change(header, rng)
    elif kind == "content":
        change(content, rng)
    elif kind == "data":
        for _ in range(rng.choice([1, 5])):
            place = rng.randrange(len(data))
            few = rng.choice([rng.randbytes(8), b"\xff" * 8, bytes(8), b"\0\0\0\0\0\0\xf0\x7f"])
            data[place : place + 8] = few[: len(data) - place]
    else:
        text = json.dumps(content)
        place = rng.randrange(len(text))
        content = text[:place] + rng.choice('{}[],:"\\0-e\0é') + text[place + rng.randrange(2) :]
    words = header.get("__metadata__")
    if not isinstance(words, dict):
        words = {"sha256": "0" * 64}
    return put_together({**header, "__metadata__": words}, content, data)
