"""`robustnmf clean`: beside pandas and the bare fit, from the shell, and as tables grow."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf import RobustNMF
from robustnmf.tables import clean_table, read_table, write_table
from robustnmf_studies.bench.iteration import exponent
from robustnmf_studies.bench.plan import SMALL_TABLE, TABLE, Plan
from robustnmf_studies.bench.results import EXPONENT, SECONDS, SHARE, Row, compared
from robustnmf_studies.bench.timing import Tell, alternate, seconds, unconverged_is_fine
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.processes import in_new_process, peak_bytes, reset_peak

# Of the cells, so many are wrong, and so many have no value.
_WRONG, _MISSING = 0.01, 0.002
_CLEANED = """
import json
from pathlib import Path
from robustnmf_studies.bench.cleaning import cleaned
print(json.dumps(cleaned(Path({path!r}))))
"""


def made_up(n: int, m: int, seed: int = 0) -> tuple[NDArray[np.float64], list[int]]:
    """Make a table of related columns in units of their own, and how many decimals each has.

    A few parts make up all columns, with 8 % of noise. Units span five powers of ten. A hundredth
    of the cells is ten or a hundred times too large, or ten times too small; some have no value.

    Examples
    --------
    >>> X, decimals = made_up(200, 8)
    >>> X.shape, len(decimals), bool(np.isnan(X).any())
    ((200, 8), 8, True)
    """
    rng = np.random.default_rng(seed)
    k = max(2, m // 10)
    parts = rng.dirichlet(np.full(m, 0.7), k) * m
    unit = 10.0 ** rng.integers(-2, 3, m)
    decimals = np.clip(2 - np.log10(unit).astype(int), 0, 3)
    X = rng.gamma(3.0, size=(n, k)) @ parts
    X *= np.exp(rng.normal(0, 0.08, (n, m)))
    wrong = rng.random((n, m)) < _WRONG
    X[wrong] *= rng.choice([0.1, 10.0, 100.0], int(wrong.sum()))
    X *= unit
    for j, digits in enumerate(decimals):
        X[:, j] = np.round(X[:, j], digits)
    X[rng.random((n, m)) < _MISSING] = np.nan
    return X, decimals.tolist()


def write_made_up(path: Path, n: int, m: int) -> Path:
    """Write such a table as CSV, or as NPY."""
    X, decimals = made_up(n, m)
    if path.suffix == ".npy":
        np.save(path, X)
        return path
    row = ",".join(f"%.{digits}f" for digits in decimals) + "\n"
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(f"c{j}" for j in range(m)) + "\n")
        file.writelines((row % tuple(cells)).replace("nan", "") for cells in X)
    return path


def beside_pandas(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time the command, and reading and writing by pandas with a fit between."""
    n, m = plan.table
    with tempfile.TemporaryDirectory(prefix="robustnmf-bench-") as folder:
        path = write_made_up(Path(folder) / "table.csv", n, m)
        out = Path(folder) / "pandas.csv"
        rivals = _RIVALS[case]
        options = ["--lam", str(LAM)] if case == "lam" else []
        sides = [partial(_command, path, *options)]
        sides += [partial(_by_pandas, path, out, fit) for _, _, fit in rivals]
        with unconverged_is_fine():
            # Once before: the first call may import and compile.
            _command(write_made_up(Path(folder) / "small.csv", *plan.small_table), *options)
            rounds = alternate(plan.repeat, *(partial(seconds, side) for side in sides), tell=tell)
    shown = f"`robustnmf clean{''.join(f' {word}' for word in options)}` of a CSV"
    return [
        compared(
            f"clean.{key}",
            f"{shown} against pandas.read_csv + {what} + to_csv; {n:,}×{m}",
            SHARE,
            [(times[0], times[i]) for times in rounds],
            rival="pandas and the fit alone",
            exact=(n, m) == TABLE,
        )
        for i, (key, what, _) in enumerate(rivals, start=1)
    ]


def _command(path: Path, *options: str) -> None:
    """Run the command on a table, in this process."""
    from robustnmf.cli.app import app

    out = path.with_name("clean.csv")
    with suppress(SystemExit):
        app.main(["clean", str(path), "--out", str(out), "--force", "--quiet", *options])
    if not out.exists():
        raise RuntimeError("robustnmf clean wrote nothing")


def _by_pandas(path: Path, out: Path, fit: Callable[[NDArray[Any]], NDArray[Any] | None]) -> None:
    frame = pd.read_csv(path)
    restored = fit(frame.to_numpy(float))
    if restored is not None:
        frame = pd.DataFrame(restored, columns=frame.columns)
    frame.to_csv(out, index=False)


def _judging(X: NDArray[Any]) -> NDArray[Any]:
    """Judge the cells as the command does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        restored: NDArray[Any] = clean_table(X).data
    return restored


def _fit(X: NDArray[Any], **options: Any) -> None:
    """Fit the same matrix as the command does with a number for λ: each column in a unit."""
    usual = np.nanmedian(np.where(X > 0, X, np.nan), axis=0)
    RobustNMF(lam=LAM, random_state=0, **options).fit(X / usual)


# For each case: the key of a row, what stands between reading and writing, and that.
_RIVALS: dict[str, list[tuple[str, str, Callable[[NDArray[Any]], NDArray[Any] | None]]]] = {
    "csv": [
        ("csv", "the same judging of the numbers", _judging),
        ("csv-fit", f"RobustNMF(10, lam={LAM}).fit", partial(_fit, n_components=10)),
    ],
    "lam": [
        (
            "lam",
            f"RobustNMF('auto', lam={LAM}, refit='wnmf').fit, which the command makes, too",
            partial(_fit, n_components="auto", refit="wnmf"),
        ),
        ("lam-fit", f"RobustNMF(10, lam={LAM}).fit", partial(_fit, n_components=10)),
    ],
}


def from_shell(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time the command on a small table as a process, its start and all imports included."""
    n, m = plan.small_table
    options = ["--lam", str(LAM)] if case.startswith("lam") else []
    rounds: dict[str, list[float]] = {"empty": [], "warm": []}
    with tempfile.TemporaryDirectory(prefix="robustnmf-bench-") as folder:
        path = write_made_up(Path(folder) / "small.csv", n, m)
        for i in range(plan.starts):
            tell(i / plan.starts)
            with tempfile.TemporaryDirectory() as cache:
                for found in rounds.values():
                    found.append(_process(path, options, cache))
    shown = "".join(f" {word}" for word in options)
    return [
        Row(
            f"clean-start.{'lam-' if options else ''}{cache}",
            f"`robustnmf clean small.csv{shown}` from the shell, Numba's cache {cache}; {n}×{m}",
            SECONDS,
            found,
            ours=median(found),
            exact=(n, m) == SMALL_TABLE,
        )
        for cache, found in rounds.items()
    ]


def _process(path: Path, options: list[str], cache: str) -> float:
    out = str(path.with_name("clean.csv"))
    words = ["clean", str(path), "--out", out, "--force", *options]
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "robustnmf", *words],
        check=True,
        capture_output=True,
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
    )
    return time.perf_counter() - began


def growth(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit exponents to the time and the peak of memory as the rows of a table double."""
    m = plan.table[1]
    sizes = [plan.table_growth * 2**i for i in range(plan.table_doublings + 1)]
    with _tables(case, sizes, m) as paths:
        found: list[list[dict[str, float]]] = []
        for i in range(plan.repeat):
            found.append([])
            for j, path in enumerate(paths):
                tell((i + j / len(paths)) / plan.repeat)
                found[-1].append(in_new_process(_CLEANED.format(path=str(path))))
    rows = []
    what = {"seconds": ("", "time", "s"), "megabytes": ("-memory", "peak memory", "MB")}
    for name, (suffix, words, unit) in what.items():
        series = [tuple(one[name] for one in line) for line in found]
        middle = np.median(series, axis=0)
        steps = (f"{n:,}: {each:,.3g} {unit}" for n, each in zip(sizes, middle, strict=True))
        rows.append(
            Row(
                f"clean-growth.{case}{suffix}",
                f"{words} of cleaning a {case.upper()} as rows double from {sizes[0]:,} to "
                f"{sizes[-1]:,}; {m} columns",
                EXPONENT,
                [exponent(sizes, line) for line in series],
                note=", ".join(steps),
                details={"axis": "rows", "values": sizes, name: middle.tolist()},
            )
        )
    return rows


@contextmanager
def _tables(kind: str, sizes: list[int], m: int) -> Iterator[list[Path]]:
    with tempfile.TemporaryDirectory(prefix="robustnmf-bench-") as folder:
        yield [write_made_up(Path(folder) / f"{n}.{kind}", n, m) for n in sizes]


def cleaned(path: Path) -> dict[str, float]:
    """Clean a file as the command does; return how long it took, and the rise of the peak."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        # Imports come first: they are the library's, whatever the table.
        small = write_made_up(Path(folder) / f"small{path.suffix}", *SMALL_TABLE)
        write_table(clean_table(read_table(small)).data, Path(folder) / f"a{path.suffix}")
        reset_peak()
        before = peak_bytes()
        began = time.perf_counter()
        write_table(clean_table(read_table(path)).data, Path(folder) / f"b{path.suffix}")
        took = time.perf_counter() - began
    return {"seconds": took, "megabytes": (peak_bytes() - before) / 2**20}
