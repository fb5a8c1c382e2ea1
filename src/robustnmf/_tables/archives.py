"""Files that hold several arrays: NumPy's NPZ and MATLAB's MAT."""

from __future__ import annotations

import shutil
import zipfile
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robustnmf._common.memory import in_words
from robustnmf._tables.arrays import DEFAULT_NAME, ArrayTable, as_matrix, pick
from robustnmf._tables.format import Format
from robustnmf._tables.room import require_cells, require_unpacked
from robustnmf._tables.table import Changes, Frame, TableError

# MATLAB's classes of numbers.
_MAT_TYPES: dict[str, Any] = {
    "double": np.float64,
    "single": np.float32,
    "logical": np.bool_,
    **{name: np.dtype(name) for name in ("int8", "int16", "int32", "int64")},
    **{name: np.dtype(name) for name in ("uint8", "uint16", "uint32", "uint64")},
}
# What SciPy keeps of a sparse matrix.
_SPARSE = frozenset({"format", "shape", "data"})
_FEWER_VARIABLES = "save fewer or smaller variables, or take NPY or HDF5"


class NpzTable(ArrayTable):
    """One of the arrays of an archive, or its sparse matrix; all else is carried along.

    Parameters
    ----------
    path : Path
        The file.
    name : str or None
        Which array; needed if there are several tables.
    """

    def __init__(self, path: Path, name: str | None) -> None:
        # The arrays, and once more the one that changes.
        require_unpacked(path, times=2)
        self._path = path
        with zipfile.ZipFile(path) as archive:
            self._compressed = any(info.compress_type for info in archive.infolist())
            headers = dict(_header(archive, info) for info in archive.infolist())
        self._sparse = set(headers) >= _SPARSE
        if self._sparse:
            from scipy import sparse

            matrix = sparse.load_npz(path)
            super().__init__(_dense("the sparse matrix", matrix))
            self._format = matrix.format
            return
        self.name = pick(headers, name)
        with np.load(path, allow_pickle=False) as arrays:
            super().__init__(arrays[self.name])

    def write(self, path: Path, changes: Changes) -> None:
        """Write the archive again, with this array changed and all else byte for byte."""
        new = np.concatenate([self.changed(rows, changes) for rows in self.blocks()])
        if self._sparse:
            from scipy import sparse

            sparse.save_npz(path, sparse.csr_array(new).asformat(self._format), self._compressed)
            return
        with zipfile.ZipFile(self._path) as old, zipfile.ZipFile(path, "w") as archive:
            for info in old.infolist():
                made = zipfile.ZipInfo(info.filename, info.date_time)
                made.compress_type, made.external_attr = info.compress_type, info.external_attr
                # The size is not known beforehand, and may be beyond what a plain zip can hold.
                with archive.open(made, "w", force_zip64=True) as file:
                    if info.filename.removesuffix(".npy") == self.name:
                        np.lib.format.write_array(file, new, allow_pickle=False)
                    else:
                        with old.open(info.filename) as source:
                            shutil.copyfileobj(source, file)


class MatTable(ArrayTable):
    """One of the arrays of a MATLAB file; the others are carried along.

    Parameters
    ----------
    path : Path
        The file, up to version 7.
    name : str or None
        Which array; needed if there are several tables.
    """

    def __init__(self, path: Path, name: str | None) -> None:
        from scipy import sparse
        from scipy.io import loadmat, whosmat
        from scipy.io.matlab import MatlabFunction, MatlabOpaque

        try:
            kinds = {}
            for key, shape, kind in whosmat(path):
                kinds[key] = kind
                if kind != "sparse":
                    # The variables, and once more the one that changes.
                    size = 2 * np.dtype(_MAT_TYPES.get(kind, np.float64)).itemsize
                    require_cells(f"variable {key!r}", shape, size, _FEWER_VARIABLES)
            found = loadmat(path)
        except NotImplementedError as error:
            raise TableError(
                "this is MATLAB's version 7.3, which is HDF5: read it with --format hdf5, "
                "or save it with -v7"
            ) from error
        self._all = {
            key: _as_matlab(value, kinds.get(key))
            for key, value in found.items()
            if not key.startswith("__")
        }
        for key, value in self._all.items():
            if isinstance(value, MatlabFunction | MatlabOpaque):
                raise TableError(
                    f"variable {key!r} is an object of MATLAB, which cannot be written again: "
                    "save the table without it"
                )
        self.name = pick(self._all, name)
        chosen = self._all[self.name]
        self._sparse = sparse.issparse(chosen)
        super().__init__(_dense(f"sparse matrix {self.name!r}", chosen) if self._sparse else chosen)

    def write(self, path: Path, changes: Changes) -> None:
        """Write all variables again, this one with its changes."""
        from scipy.io import savemat

        new = np.concatenate([self.changed(rows, changes) for rows in self.blocks()])
        if self._sparse:
            from scipy import sparse

            new = sparse.csc_array(new)
        savemat(path, self._all | {self.name: new}, do_compression=True)


def _as_matlab(value: Any, kind: str | None) -> Any:
    """Return an array in the type of its class: MATLAB keeps whole numbers in smaller ones."""
    if (
        kind not in _MAT_TYPES
        or not isinstance(value, np.ndarray)
        or value.dtype.kind not in "iufb"
    ):
        return value
    return value.astype(_MAT_TYPES[kind], copy=False)


class Header(NamedTuple):
    """What is known of an array before it is read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def _header(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[str, Header]:
    """Return the name and the header of an array, or raise if it declares more than there is."""
    name = info.filename.removesuffix(".npy")
    if name == info.filename:
        # Something else, which is no table.
        return name, Header((), np.dtype(np.uint8))
    with archive.open(info) as file:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
            version, np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(file)
    declared = 0 if dtype.hasobject else prod(shape) * dtype.itemsize
    if declared > info.file_size:
        raise TableError(
            f"array {name!r} declares {in_words(declared)} but has {in_words(info.file_size)}: "
            "is the file cut off?"
        )
    return name, Header(shape, dtype)


def _dense(name: str, matrix: Any) -> Any:
    # A cell that is not stored is a zero, and may be as wrong as any other.
    require_cells(name, matrix.shape, 24, "take fewer rows or columns")
    return matrix.toarray()


def _write_npz(frame: Frame, path: Path) -> None:
    arrays: dict[str, Any] = {DEFAULT_NAME: as_matrix(frame), "columns": np.array(frame.names)}
    np.savez_compressed(path, **arrays)


def _write_mat(frame: Frame, path: Path) -> None:
    from scipy.io import savemat

    variables = {DEFAULT_NAME: as_matrix(frame), "columns": frame.names}
    savemat(path, variables, do_compression=True)


NPZ = Format(
    title="NPZ",
    suffixes=(".npz",),
    read=lambda path, dataset, dialect: NpzTable(path, dataset),
    write=_write_npz,
    holds_words=False,
)
MAT = Format(
    title="MAT",
    suffixes=(".mat",),
    read=lambda path, dataset, dialect: MatTable(path, dataset),
    write=_write_mat,
    holds_words=False,
)
