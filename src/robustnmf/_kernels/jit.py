"""How all fused kernels are compiled.

Compiling is what a first fit waits for, so kernels are written to be compiled quickly:

- Functions of functions are shunned. What is compiled by itself is optimised by itself, and once
  more in everything that calls it. What several kernels share is a `helper`; what is only there to
  be read is `inlined`, and called at one place, or in kernels that no fit needs together.
- Scratch arrays come from the caller. Making one inside costs more to compile than most loops.
- Elements are copied in loops: assigning to a slice brings in code that words an error message.
  The larger of two numbers is an expression: `max` is a function of its own.
- One signature: what differs (memory order, optional arrays) is an argument, not another type.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robustnmf._kernels.notice import watch_compiling

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
helper = _compiled(no_cpython_wrapper=True)
inlined = _compiled(inline="always")

watch_compiling()
