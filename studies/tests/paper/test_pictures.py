import numpy as np
import pytest

from robustnmf_studies.paper.pictures import denoise, load_picture
from robustnmf_studies.paper.settings import IMAGES, Point, Settings

SETTINGS = Settings(iterations=20, picture=32, max_iter=20)


@pytest.mark.parametrize("name", IMAGES)
def test_pictures_come_with_scikit_image(name, monkeypatch):
    # Any attempt to reach the network is an error.
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("wants the network"))
    picture = load_picture(name, 64)
    assert (picture.shape, picture.dtype) == ((64, 64), np.uint8)
    assert picture.max() > picture.min() + 50


@pytest.fixture(scope="module")
def result():
    return denoise(Point("picture", 0, image="camera"), SETTINGS)


def test_share_of_wrong_pixels_is_exact(result):
    shown = result[1]
    wrong = shown["truth"] != shown["polluted"]
    assert set(np.unique(shown["polluted"][wrong])) <= {0, 255}
    # A pixel that was black or white already may be written without changing.
    assert 0.04 * 32 * 32 < wrong.sum() <= round(0.05 * 32 * 32)


def test_every_method_is_scored_in_both_modes(result):
    rows = result[0]["pictures"]
    found = {(row["method"], row["mode"]) for row in rows}
    both = {(m, mode) for m in ("nmf", "robust", "refit") for mode in ("paper", "optimum")}
    references = {(m, "reference") for m in ("oracle", "pcp", "median")}
    assert found == both | references | {("polluted", ""), ("keep", "optimum")}
    assert all(row["psnr"] > 5 and -1 <= row["ssim"] <= 1 for row in rows)
    assert set(result[1]) == {f"{m}/{mode}".rstrip("/") for m, mode in found} | {"truth"}


def test_noise_differs_between_runs_and_pictures(result):
    again = denoise(Point("picture", 0, image="camera"), SETTINGS)[1]
    other = denoise(Point("picture", 1, image="camera"), SETTINGS)[1]
    np.testing.assert_array_equal(again["polluted"], result[1]["polluted"])
    assert (other["polluted"] != result[1]["polluted"]).any()
