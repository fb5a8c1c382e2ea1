"""The kernels in the array API: NumPy, PyTorch, CuPy, JAX, strict.

Shapes: a block has b rows (samples) of m features; k components.
X (b×m) holds NaN where an entry is missing, P = W H is the current prediction, and every function
returns new arrays. A missing entry behaves as if it had been predicted exactly: residual 0.

The kernels of detection count by classes and groups, for which the array API has no words; they are
in plain NumPy.
"""

from robustnmf._kernels.portable.detection import (
    class_counts,
    compare_values,
    count_beyond,
    far_counts,
    far_shares,
    level_of,
    log_odds,
    mean_square_scale,
    scale_of,
    spread_sums,
    thresholds,
)
from robustnmf._kernels.portable.judging import (
    beyond,
    class_index,
    row_losses,
    sample_spreads,
    value_range,
)
from robustnmf._kernels.portable.newton import solve_squared_l1
from robustnmf._kernels.portable.noise import (
    clean_squared_l0,
    clean_squared_l1,
    clean_truncated,
    clean_weighted,
    hold_missing,
    noise_squared_l0,
    noise_squared_l1,
)
from robustnmf._kernels.portable.quadratic import (
    quadratic_filled,
    quadratic_squared_l0,
    quadratic_squared_l1,
    quadratic_weighted,
    step_length_squared_l1,
)
from robustnmf._kernels.portable.rule import paper_rule
from robustnmf._kernels.portable.small import solve_quadratic_rows
from robustnmf._kernels.portable.sweep import sweep_rows
from robustnmf._kernels.portable.swept import swept_left_out, swept_squared_l1, swept_truncated

__all__ = [
    "beyond",
    "class_counts",
    "class_index",
    "clean_squared_l0",
    "clean_squared_l1",
    "clean_truncated",
    "clean_weighted",
    "compare_values",
    "count_beyond",
    "far_counts",
    "far_shares",
    "hold_missing",
    "level_of",
    "log_odds",
    "mean_square_scale",
    "noise_squared_l0",
    "noise_squared_l1",
    "paper_rule",
    "quadratic_filled",
    "quadratic_squared_l0",
    "quadratic_squared_l1",
    "quadratic_weighted",
    "row_losses",
    "sample_spreads",
    "scale_of",
    "solve_quadratic_rows",
    "solve_squared_l1",
    "spread_sums",
    "step_length_squared_l1",
    "sweep_rows",
    "swept_left_out",
    "swept_squared_l1",
    "swept_truncated",
    "thresholds",
    "value_range",
]
