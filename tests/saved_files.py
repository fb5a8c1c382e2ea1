"""Files of models made by hand, and models taken apart, for the tests of saving."""

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
