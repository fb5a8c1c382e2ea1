"""Axes to draw into, and a look at what was drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def current_axes():
    """The axes pyplot would draw into, on a canvas without a screen."""
    plt.switch_backend("agg")
    yield plt.gca()
    plt.close("all")


@pytest.fixture
def colour_at():
    """The colour that a reader sees at a place of some axes, each channel from 0 to 1."""

    def look(ax, x, y):
        canvas = FigureCanvasAgg(ax.get_figure())
        canvas.draw()
        picture = np.asarray(canvas.buffer_rgba())[..., :3] / 255
        column, row = ax.transData.transform((x, y))
        return picture[round(len(picture) - 1 - row), round(column)]

    return look
