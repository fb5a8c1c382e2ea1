import numpy as np
import pandas as pd

from robustnmf_studies.common.drawing import draw_mosaic
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.paper.draw import VERSIONS, draw_all, mosaic_rows
from robustnmf_studies.paper.numbers import FIG2, FIG3
from robustnmf_studies.paper.style import LEGENDS


def test_panels_are_drawn_from_the_numbers_alone(ideal_numbers, tmp_path):
    storage = Storage(tmp_path)
    drawn = draw_all(ideal_numbers, storage)
    assert {name: len(panels) for name, panels in drawn.items()} == {
        "fig2": len(FIG2),
        "fig3": len(FIG3),
        "checks": 9,
    }
    for panels in drawn.values():
        for words, svg in panels:
            assert words
            assert svg.startswith("<svg")


def test_fewer_faces_than_the_paper_had_are_no_error(ideal, tmp_path):
    few = {
        table: pd.DataFrame([row for row in rows if row.get("n", 0) < 100])
        for table, rows in ideal.items()
    }
    assert set(draw_all(few, Storage(tmp_path))) == {"fig2", "fig3", "checks"}


def test_the_same_numbers_give_the_same_files(ideal_numbers, tmp_path):
    first, second = Storage(tmp_path / "a"), Storage(tmp_path / "b")
    draw_all(ideal_numbers, first)
    draw_all(ideal_numbers, second)
    for name in ("fig2.svg", "fig3.svg", "checks.svg", "fig2.png"):
        assert (first.figures / name).read_bytes() == (second.figures / name).read_bytes()


def test_without_numbers_nothing_is_drawn(tmp_path):
    assert draw_all({}, Storage(tmp_path)) == {}


def test_legends_name_every_kind_of_line():
    for entries in LEGENDS.values():
        labels = [label for label, _ in entries]
        assert len(labels) == len(set(labels)) >= 7


def test_mosaic_shows_every_version_of_every_picture(tmp_path):
    grey = {version: np.full((32, 32), 9 * i, np.uint8) for i, version in enumerate(VERSIONS)}
    pictures = {"camera": grey, "moon": {name: 255 - grey[name] for name in grey}}
    scores = {"image": "moon", "method": "nmf", "mode": "paper", "psnr": 21.0, "ssim": 0.5}
    figure = draw_mosaic(mosaic_rows(pictures, pd.DataFrame([scores]), VERSIONS))
    (ax,) = figure.axes
    shown = ax.images[0].get_array()
    for name, found in pictures.items():
        for version, picture in found.items():
            assert (shown == picture[0, 0]).sum() >= 32 * 32, (name, version)
    words = [text.get_text() for text in ax.texts]
    assert "21.0 dB · 0.50" in words
    assert "RobustNMF,\npaper" in words
    assert len(words) == 3 * len(VERSIONS)
