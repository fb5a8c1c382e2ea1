"""The kernels as fused Numba loops for NumPy arrays, float32 and float64.

Same names, signatures and results as `portable`, which explains the mathematics. Here a row is read
once, its residual stays in cache, and the GIL is released, so blocks can run on threads. P is
overwritten with the cleaned rows. Every row is computed by itself and in one fixed order: its
result is the same bit for bit whatever block or thread it falls into.
"""

from robustnmf._kernels.cpu.detection import (
    class_counts,
    clean_truncated,
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
from robustnmf._kernels.cpu.judging import (
    beyond,
    class_index,
    row_losses,
    sample_spreads,
    value_range,
)
from robustnmf._kernels.cpu.newton import solve_squared_l1
from robustnmf._kernels.cpu.noise import (
    clean_squared_l0,
    clean_squared_l1,
    clean_weighted,
    hold_missing,
    noise_squared_l0,
    noise_squared_l1,
)
from robustnmf._kernels.cpu.quadratic import (
    quadratic_filled,
    quadratic_squared_l0,
    quadratic_squared_l1,
    quadratic_weighted,
    step_length_squared_l1,
)
from robustnmf._kernels.cpu.rule import paper_rule
from robustnmf._kernels.cpu.small import solve_quadratic_rows
from robustnmf._kernels.cpu.sweep import sweep_rows
from robustnmf._kernels.cpu.swept import swept_left_out, swept_squared_l1, swept_truncated

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
