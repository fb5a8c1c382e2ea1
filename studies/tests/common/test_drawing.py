import numpy as np

from robustnmf_studies.common.drawing import draw_mosaic


def test_mosaic_shows_grey_and_coloured_pictures_in_rows_with_their_words():
    grey = np.full((32, 32), 7, np.uint8)
    red = np.zeros((32, 32, 3), np.uint8)
    red[..., 0] = 200
    rows = [("first", [(grey, "a"), (red, "b")]), ("second", [(red, "c"), (grey, "d")])]
    figure = draw_mosaic(rows, ["left", "right"], foot=0.3)
    (ax,) = figure.axes
    shown = ax.images[0].get_array()
    assert (shown[0, 0] == 7).all()
    assert shown[0, 40].tolist() == [200, 0, 0]
    height = len(shown) // 2
    assert shown[height, 0].tolist() == [200, 0, 0]
    # White below for the words, and to the right.
    assert (shown[height - 1] == 255).all()
    words = {text.get_text() for text in ax.texts}
    assert words == {"first", "second", "left", "right", "a", "b", "c", "d"}
    # There is room above for the headings, and below for a legend.
    bounds = ax.get_position()
    assert bounds.y0 > 0
    assert bounds.y1 < 1
