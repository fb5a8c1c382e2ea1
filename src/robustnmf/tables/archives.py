"""Files that hold several arrays: NumPy's NPZ and MATLAB's MAT."""

from __future__ import annotations

import zipfile
from math import prod
from pathlib import Path

import numpy as np
from scipy import sparse

from robustnmf._memory import in_words
from robustnmf.tables.arrays import ArrayTable, pick
from robustnmf.tables.room import require_cells, require_unpacked
from robustnmf.tables.table import Changes, TableError

# Bytes of a number in MATLAB's classes; all others have up to 8.
_MAT_BYTES = {
    "single": 4,
    "int8": 1,
    "uint8": 1,
    "logical": 1,
    "int16": 2,
    "uint16": 2,
    "char": 4,
    "int32": 4,
    "uint32": 4,
}
_FEWER_VARIABLES = "save fewer or smaller variables, or take NPY or HDF5"


class NpzTable(ArrayTable):
    """One of the arrays of an archive; the others are carried along.

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
        with zipfile.ZipFile(path) as archive:
            self._compressed = any(info.compress_type for info in archive.infolist())
            for info in archive.infolist():
                _refuse_cut_off(archive, info)
        with np.load(path, allow_pickle=False) as arrays:
            self._all = dict(arrays.items())
        self.name = pick(self._all, name)
        super().__init__(self._all[self.name])

    def write(self, path: Path, changes: Changes) -> None:
        """Write all arrays again, this one with its changes."""
        new = np.concatenate([self.changed(rows, changes) for rows in self.blocks()])
        save = np.savez_compressed if self._compressed else np.savez
        save(path, **(self._all | {self.name: new}))


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
        from scipy.io import loadmat, whosmat

        try:
            for key, shape, kind in whosmat(path):
                if kind != "sparse":
                    # The variables, and once more the one that changes.
                    require_cells(
                        f"variable {key!r}", shape, 2 * _MAT_BYTES.get(kind, 8), _FEWER_VARIABLES
                    )
            found = loadmat(path)
        except NotImplementedError as error:
            raise TableError(
                "this is MATLAB's version 7.3, which is HDF5: read it with --format hdf5, "
                "or save it with -v7"
            ) from error
        self._all = {key: value for key, value in found.items() if not key.startswith("__")}
        self.name = pick(self._all, name)
        chosen = self._all[self.name]
        self._sparse = sparse.issparse(chosen)
        if self._sparse:
            # A cell that is not stored is a zero, and may be as wrong as any other.
            require_cells(
                f"the sparse matrix {self.name!r}",
                chosen.shape,
                3 * 8,
                "take fewer rows or columns",
            )
            chosen = chosen.toarray()
        super().__init__(chosen)

    def write(self, path: Path, changes: Changes) -> None:
        """Write all variables again, this one with its changes."""
        from scipy.io import savemat

        new = np.concatenate([self.changed(rows, changes) for rows in self.blocks()])
        if self._sparse:
            new = sparse.csc_array(new)
        savemat(path, self._all | {self.name: new}, do_compression=True)


def _refuse_cut_off(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Raise if the header of an array declares more numbers than there are."""
    if not info.filename.endswith(".npy"):
        return
    with archive.open(info) as file:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
            version, np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(file)
    declared = prod(shape) * dtype.itemsize
    if declared > info.file_size:
        name = info.filename.removesuffix(".npy")
        raise TableError(
            f"array {name!r} declares {in_words(declared)} but has {in_words(info.file_size)}: "
            "is the file cut off?"
        )
