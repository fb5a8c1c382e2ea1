"""Workbooks: formulas stay formulas, and sheets are no larger than what is filled."""

import numpy as np
import openpyxl
import openpyxl.chart
import pytest
from openpyxl.worksheet.formula import ArrayFormula

from robustnmf._tables.repaired import RepairedTable
from robustnmf.tables import TableError, read_table, write_table


@pytest.fixture
def workbook(tmp_path, monkeypatch):
    """Write a sheet whose formulas have values, as a spreadsheet program would leave them."""

    def make(rows, formulas, merged=()):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for area in merged:
            book.active.merge_cells(area)
        book.save(tmp_path / "values.xlsx")
        for cell, formula in formulas.items():
            book.active[cell] = formula
        book.save(tmp_path / "a.xlsx")
        # openpyxl cannot write both, so the values come from the other file.
        from robustnmf._tables import workbook

        as_it_is = workbook.opened
        monkeypatch.setattr(
            "robustnmf._tables.excel.opened",
            lambda path, values: as_it_is(
                tmp_path / "values.xlsx" if values else path, values=values
            ),
        )
        return tmp_path / "a.xlsx"

    return make


def test_formulas_are_never_overwritten(workbook, given, tmp_path):
    rows = [["who", "a", "b", "sum"], *([f"r{i}", i, 2 * i, 3 * i] for i in range(1, 6))]
    formulas = {f"D{i}": f"=B{i}+C{i}" for i in range(2, 7)}
    path = workbook(rows, formulas | {"C3": ArrayFormula("C3:C4", "=B3:B4*2")})
    table = read_table(path)
    assert [c.name for c in table.columns] == ["a", "b", "sum"]
    changes = given(table, {(0, 0): 7, (1, 1): 8, (2, 1): 9, (3, 1): 10, (4, 2): 99})
    fixed = table.fixed(np.arange(5), np.ones(5, dtype=int))
    assert fixed.tolist() == [False, True, True, False, False]
    assert table.kept(changes) == [
        "3 cells that are formulas, or part of a merged cell, stay as they are, though another "
        "value is expected: correct what they are made from (first: column 'b' of r2)"
    ]
    write_table(RepairedTable(table, changes), tmp_path / "b.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "b.xlsx").active
    assert [sheet[f"D{i}"].value for i in range(2, 7)] == list(formulas.values())
    assert sheet["C3"].value.text == "=B3:B4*2"
    assert (sheet["B2"].value, sheet["C4"].value, sheet["C5"].value) == (7, 6, 10)
    # In another format there are no formulas, but what they gave stays, too.
    write_table(RepairedTable(table, changes), tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text().splitlines()[-1] == "r5,5,10,15"


def test_merged_cells_are_left_alone(workbook, given, tmp_path):
    rows = [["who", "a", "b"], ["p", 1, 2], ["q", 3, 4], ["r", 5, 6]]
    table = read_table(workbook(rows, {}, merged=["C3:C4"]))
    changes = given(table, {(1, 1): 7, (2, 1): 8})
    write_table(RepairedTable(table, changes), tmp_path / "b.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "b.xlsx").active
    assert (sheet["C3"].value, sheet["C4"].value) == (7, None)
    assert table.kept(changes)[0].startswith("1 cells")


def test_without_formulas_nothing_is_kept(workbook, given):
    table = read_table(workbook([["a", "b"], [1, 2], [3, 4]], {}))
    assert table.kept(given(table, {(0, 0): 9})) == []


@pytest.mark.parametrize(
    ("header", "n_rows", "names", "note"),
    [
        (None, 3, ["column 1", "column 2"], "taken for data"),
        (True, 2, ["1.5", "2.5"], None),
        (False, 3, ["column 1", "column 2"], None),
    ],
)
def test_a_sheet_without_headings(workbook, given, tmp_path, header, n_rows, names, note):
    path = workbook([[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]], {})
    table = read_table(path, header=header)
    assert table.n_rows == n_rows
    assert [c.name for c in table.columns] == names
    assert [note in text for text in table.notes] == ([True] if note else [])
    write_table(RepairedTable(table, given(table, {(n_rows - 1, 0): 9.0})), tmp_path / "b.xlsx")
    assert openpyxl.load_workbook(tmp_path / "b.xlsx").active["A3"].value == 9


def test_a_cell_far_away_is_no_table(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [3, 4]):
        book.active.append(row)
    # Formatted but empty: no reason to refuse anything.
    book.active["B900000"].number_format = "0.00"
    book.save(tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").shape == (2, 2)
    book.active["XFD1048576"] = "x"
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(
        TableError, match=r"row 1,048,576 and column 16,384, 17,179,869,184 cells.*delete"
    ):
        read_table(tmp_path / "a.xlsx")


def test_charts_are_no_sheets(tmp_path):
    book = openpyxl.Workbook()
    book.create_chartsheet("chart", 0).add_chart(openpyxl.chart.BarChart())
    for row in (["a", "b"], [1, 2], [3, 4]):
        book.worksheets[0].append(row)
    book.save(tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").shape == (2, 2)
    with pytest.raises(TableError, match="no worksheet 'chart'"):
        read_table(tmp_path / "a.xlsx", dataset="chart")


def test_a_table_may_stand_anywhere(given, tmp_path):
    book = openpyxl.Workbook()
    for i, row in enumerate((["a", "b"], [1, 2], [3, 4], [5, 6])):
        for j, value in enumerate(row):
            book.active.cell(i + 4, j + 3, value)
    book.save(tmp_path / "a.xlsx")
    table = read_table(tmp_path / "a.xlsx")
    assert [c.name for c in table.columns] == ["a", "b"]
    write_table(RepairedTable(table, given(table, {(1, 1): 9})), tmp_path / "b.xlsx")
    assert openpyxl.load_workbook(tmp_path / "b.xlsx").active["D6"].value == 9
