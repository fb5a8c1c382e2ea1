"""One more format is one file and one line: here is the file, and the line is patched in."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

from robustnmf._tables.column_table import ColumnTable, NamedColumn
from robustnmf._tables.format import Format
from robustnmf._tables.formats import write_like
from robustnmf._tables.registry import FORMATS
from robustnmf.cli.app import app
from robustnmf.tables import TableError, read_table, write_table


class JsonLines(ColumnTable):
    """An object a line, all with the same keys."""

    def __init__(self, path):
        self._records = [json.loads(line) for line in path.read_text().splitlines()]
        super().__init__([self._column(name) for name in self._records[0]])

    def _column(self, name):
        cells = [record[name] for record in self._records]
        if any(isinstance(cell, str) for cell in cells):
            return NamedColumn(name, None)
        return NamedColumn(name, np.array(cells, dtype=np.float64))

    @property
    def n_rows(self):
        return len(self._records)

    def cell(self, row, position):
        return self._records[row][self.names[position]]

    def write(self, path, changes):
        records = [dict(record) for record in self._records]
        for i, j, value in self.each_change(changes):
            records[i][self.columns[j].name] = value
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def write(frame, path):
    columns = [c.tolist() if isinstance(c, np.ndarray) else c for c in frame.columns]
    rows = zip(*columns, strict=True)
    lines = (json.dumps(dict(zip(frame.names, row, strict=True))) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines))


JSON_LINES = Format(
    title="JSON Lines",
    suffixes=(".jsonl", ".ndjson"),
    read=lambda path, dataset, dialect: JsonLines(path),
    write=write,
    holds_words=True,
    advice={".json": "save it with one object a line"},
)


@pytest.fixture(autouse=True)
def one_line(monkeypatch):
    monkeypatch.setitem(FORMATS, "jsonl", f"{__name__}:JSON_LINES")


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Sixty rows of three columns that go together, with words before them and one wrong cell."""
    monkeypatch.chdir(tmp_path)
    size = np.random.default_rng(0).lognormal(3, 0.5, 60)
    data = np.round(np.outer(size, [1, 2, 4]), 2)
    data[7, 1] = 9000
    rows = [dict(zip("abc", row, strict=True)) for row in data.tolist()]
    lines = [json.dumps({"name": f"p{i}", **row}) for i, row in enumerate(rows)]
    (tmp_path / "t.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path / "t.jsonl"


def test_it_is_read_repaired_and_written_by_the_command_line(path):
    done = CliRunner().invoke(app, ["clean", "t.jsonl", "--mask", "mask.jsonl", "--keep-missing"])
    assert done.exit_code == 0, done.output
    before, after = read_table(path), read_table("t-clean.jsonl")
    changed = before.block(slice(0, 60)) != after.block(slice(0, 60))
    assert_array_equal(np.argwhere(changed), [[7, 1]])
    mask = read_table("mask.jsonl")
    assert mask.block(slice(7, 8)).tolist() == [[0, 1, 0]]
    assert (mask.names, mask.row_name(7)) == (["name", "a", "b", "c"], "p7")


@pytest.mark.parametrize("other", ["b.csv", "b.parquet", "b.ndjson"])
def test_other_formats_become_it_and_it_becomes_them(path, other):
    write_table(read_table(path), other)
    write_table(read_table(other), "c.jsonl")
    assert (path.parent / "c.jsonl").read_text() == path.read_text()


def test_what_goes_with_cells_is_labelled(path):
    write_like(read_table(path), lambda rows: np.ones((60, 3))[rows], float, path)
    assert json.loads(path.read_text().splitlines()[0]) == {"name": "p0", "a": 1, "b": 1, "c": 1}


def test_messages_know_it(path):
    with pytest.raises(ValueError, match=r"Known are \.csv, .*, \.jsonl, \.ndjson; or name it"):
        read_table("t.doc")
    with pytest.raises(ValueError, match="save it with one object a line"):
        read_table("t.json")
    with pytest.raises(ValueError, match=r"format must be one of 'csv', .*, 'jsonl', None"):
        read_table(path, format="yaml")
    path.write_text("{")
    with pytest.raises(TableError, match="cannot be read as JSON Lines"):
        read_table(path)
