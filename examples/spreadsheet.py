"""A spreadsheet with typing errors: find them, mend them, leave every other cell alone.

A year of sales, a row for each shop, in pieces, euros and hours. Points were put in the wrong
place, and a few cells left empty.

python examples/spreadsheet.py [FOLDER [SEED]]    leaves spreadsheet.png, sales.csv,
                                                  sales-clean.csv and changes.csv there
"""

import csv
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from robustnmf.metrics import detection_scores
from robustnmf.plot import plot_corruption, plot_parts
from robustnmf.tables import clean_table, read_table, write_table

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)

# Shops sell ice in summer, soup in winter, and bread all year: three parts, mixed in each shop.
months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
season = np.cos(2 * np.pi * (np.arange(12) - 6) / 12)
habits = np.array([np.clip(season, 0, None), np.clip(-season, 0, None), np.ones(12)])
sizes = rng.gamma(3, 1, (150, 3)) * [300, 200, 100]
pieces = sizes @ habits * rng.normal(1, 0.03, (150, 12))
euros = pieces * [3.5] * rng.normal(1, 0.03, (150, 12))
hours = pieces[:, ::3] / 40 * rng.normal(1, 0.03, (150, 4))
true = np.hstack([np.round(pieces), np.round(euros, 2), np.round(hours, 1)])
names = [f"{m} pieces" for m in months] + [f"{m} euros" for m in months]
names += [f"{m} hours" for m in months[::3]]

# What people do to tables.
typed = true.copy()
wrong = rng.random(true.shape) < 0.01
typed[wrong] *= rng.choice([0.01, 0.1, 10, 100], wrong.sum())  # a point in the wrong place
empty = rng.random(true.shape) < 0.005
with (folder / "sales.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["shop", *names])
    for i, row in enumerate(typed):
        cells = [f"{x:.0f}" for x in row[:12]] + [f"{x:.2f}" for x in row[12:24]]
        cells += [f"{x:.1f}" for x in row[24:]]
        cells = ["" if gap else cell for cell, gap in zip(cells, empty[i], strict=True)]
        writer.writerow([f"shop {i + 1}", *cells])

# The same as: robustnmf clean sales.csv --changes changes.csv
cleaned = clean_table(folder / "sales.csv")
write_table(cleaned.data, folder / "sales-clean.csv")
cleaned.write_changes(folder / "changes.csv")

everything = slice(0, 150)
before, after = (read_table(folder / f).block(everything) for f in ("sales.csv", "sales-clean.csv"))
# An error of less than the last digit is none.
wrong = (before != true) & ~empty
print(f"{wrong.sum()} typing errors; the verdict is {cleaned.diagnosis}")
flagged, replaced = cleaned.mask, (after != before) & ~empty
for words, mask in (("flagged", flagged), ("replaced", replaced)):
    precision, recall, _ = detection_scores(wrong, mask)
    print(f"{words} {mask.sum()}: precision {precision:.2f}, recall {recall:.2f}")
print(f"{cleaned.n_filled} of {empty.sum()} empty cells filled")
usual = np.median(true, axis=0)
print("cells that are off by more than a fifth of their column's median:")
for words, data in (("before", np.nan_to_num(before)), ("after", after)):
    print(f"  {words} {(abs(data - true) > 0.2 * usual).sum()}")
for cell in cleaned.cells[:5]:
    where = f"{cleaned.table.row_name(cell.row)}, {cleaned.table.columns[cell.column].name}"
    print(f"  {where}: {cell.value:g} instead of {cell.expected:g}: {cell.reason}")

figure = Figure(figsize=(13, 5), layout="constrained")
axes = figure.subplots(1, 2)
plot_corruption(flagged, names=names, ax=axes[0])
axes[0].set_ylabel("shop")
plot_parts(cleaned.learned_parts().components / usual, names=names, ax=axes[1])
axes[1].set_title("parts")
figure.savefig(folder / "spreadsheet.png")
