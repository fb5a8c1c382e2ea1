"""How all fused kernels are compiled.

Compiling is what a first fit waits for, so kernels are written to be compiled quickly:

- A kernel calls at most helpers marked `inlined`, and each of these at one place. A helper that is
  compiled by itself is optimised by itself, and once more in everything that calls it.
- Scratch arrays come from the caller. Making one inside costs more to compile than most loops.
- Elements are copied in loops: assigning to a slice brings in code that words an error message.
- One signature: what differs (memory order, optional arrays) is an argument, not another type.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.floating]

# NaN marks a missing entry, so "no NaN" must not be among the assumptions of fast math. Nobody
# calls a kernel from C.
_compiled = partial(
    njit,
    nogil=True,
    fastmath={"reassoc", "contract", "nsz"},
    error_model="numpy",
    no_cfunc_wrapper=True,
)
jit = _compiled(cache=True)
inlined = _compiled(inline="always")
