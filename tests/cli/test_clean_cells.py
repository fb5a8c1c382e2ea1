"""Which cells `robustnmf clean` judges, and what becomes of them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from spoiled_csv import PARTS, SIZES, assert_mended, clean, lines

pytestmark = pytest.mark.usefixtures("spoiled_folder")


def test_missing_cells_are_filled_or_left():
    Path("t.csv").write_text(lines({(3, 1): "", (5, 2): "NA", (7, 7): "-999"}))
    result = clean("t.csv", "--missing", "-999")
    assert "3 of 3 missing cells were filled" in result.stdout
    assert_mended(Path("t-clean.csv").read_text(), {(3, 1): "", (5, 2): "NA", (7, 7): "-999"})
    clean("t.csv", "--missing", "-999", "--keep-missing", "-o", "k.csv")
    assert Path("k.csv").read_text() == Path("t.csv").read_text()


def test_whole_numbers_stay_whole():
    rows = [[10 * SIZES[i] * (j + 1) for j in range(8)] for i in range(30)]
    rows[4][4] = 90001
    text = "\n".join(",".join(map(str, row)) for row in rows)
    Path("i.csv").write_text(text)
    assert clean("i.csv").exit_code == 0
    before, after = text.split("90001")
    new = Path("i-clean.csv").read_text()
    assert new.startswith(before)
    assert new.endswith(after)
    assert int(new[len(before) : -len(after)]) == pytest.approx(50 * SIZES[4], rel=0.02)


def in_units():
    """A thousandth and a million, with a cell in the smallest column that is four times itself."""
    units = np.array([1e-3, 1e6, 1, 50, 1, 1e3, 1, 1])
    data = np.outer(SIZES, units * np.arange(1, 9))
    data *= np.random.default_rng(0).normal(1, 0.02, data.shape)
    data[6, 0] *= 4
    np.savetxt("u.csv", data, delimiter=",", fmt="%.10g")


def test_columns_of_different_units():
    in_units()
    answer = json.loads(clean("u.csv", "--json").stdout)
    assert [(c["row_number"], c["column"]) for c in answer["changes"]] == [(7, "column 1")]


def test_parts_bring_columns_to_one_unit():
    """Without one unit only the largest column would count."""
    in_units()
    answer = json.loads(clean("u.csv", "--json", *PARTS).stdout)
    cells = [(c["row_number"], c["column"]) for c in answer["changes"]]
    assert (7, "column 1") in cells
    assert len(cells) < 80
    plain = json.loads(clean("u.csv", "--json", "--scale", "none", "-f", *PARTS).stdout)
    assert (7, "column 1") not in [(c["row_number"], c["column"]) for c in plain["changes"]]


def test_negative_cells():
    wrong = {(20, 6): f"-{SIZES[20] * 17.5:.1f}"}
    Path("n.csv").write_text(lines(wrong))
    assert clean("n.csv").exit_code == 0
    assert_mended(Path("n-clean.csv").read_text(), wrong)
    answer = json.loads(clean("n.csv", "--negative", "missing", "--json", "-f").stdout)
    assert answer["flagged"] == 1
    assert "negative" in answer["changes"][0]["reason"]
    assert_mended(Path("n-clean.csv").read_text(), wrong)
    clean("n.csv", "--ignore", "c6", "-f")
    assert Path("n-clean.csv").read_text() == Path("n.csv").read_text()


@pytest.mark.parametrize("options", [("--negative", "refuse"), PARTS])
def test_negative_cells_can_be_refused(options):
    Path("n.csv").write_text(lines({(3, 1): "-5.0"}))
    result = clean("n.csv", *options)
    assert result.exit_code == 1
    assert result.stderr == (
        "error: column 'c1' of n, 3 is negative (-5), as are 1 of the column's 30 cells, and sums "
        "of parts cannot be: add --negative missing if that is wrong, --negative shift if it is "
        "right, or --ignore 'c1'\n"
    )
    Path("m.csv").write_text(lines({(i, 1): f"-{i}.5" for i in range(3, 12)}))
    assert (
        "as are 9 of the column's 30 cells, and sums of parts cannot be: add --negative shift, "
        "--negative missing if they are wrong, or --ignore 'c1'"
    ) in clean("m.csv", *options).stderr
    assert clean("n.csv", "--negative", "shift", *PARTS).exit_code == 0


@pytest.mark.parametrize("options", [[], ["--thousands", "."], ["--decimal", ","]])
def test_european_whole_numbers(options):
    """Thousands marked by a point, in and out; the wrong cell is mended in the same style."""
    rng = np.random.default_rng(0)
    X = np.outer(rng.uniform(200, 3000, 60), [1, 0.5, 2, 0.8]) * rng.normal(1, 0.01, (60, 4))

    def text(wrong):
        rows = [[f"{cell:,.0f}".replace(",", ".") for cell in row] for row in X]
        rows[4][2] = wrong
        return "".join(";".join(row) + "\r\n" for row in [["a", "b", "c", "d"], *rows])

    Path("e.csv").write_bytes(text("9.999.999").encode())
    result = clean("e.csv", *options)
    assert result.exit_code == 0, result.output
    new = Path("e-clean.csv").read_bytes().decode()
    (mended,) = re.fullmatch(re.escape(text("CELL")).replace("CELL", "(.*)"), new).groups()
    assert re.fullmatch(r"\d{1,3}\.\d{3}", mended)
    assert float(mended) == pytest.approx(X[4, 2] / 1000, rel=0.05)


def test_rows_without_numbers_are_left_and_told():
    text = lines({}) + '"empty",' + "," * 8 + "\n"
    Path("t.csv").write_text(text)
    result = clean("t.csv")
    assert "1 rows without any number are left as they are (first: empty)" in result.stderr
    assert "0 of 8 missing cells were filled" in result.stdout
    assert Path("t-clean.csv").read_text() == text
