"""Figures show the numbers they are given."""

import numpy as np

from atfnb_study.figures import LINES, reliability_diagram
from atfnb_study.peers import PEERS


def test_the_reliability_diagram_shows_probabilities_against_the_share_that_is_right():
    bins = np.zeros((10, 3))
    bins[5], bins[9], bins[0] = (400, 220, 240), (598, 580, 500), (2, 0.1, 2)  # the last are too few to be drawn
    ax = reliability_diagram({"FusionNB": bins, "WNB": bins, "NB": bins}).figure.axes[0]
    lines = {line.get_label(): line for line in ax.lines[1:]}
    assert list(lines) == ["NB, off by 0.102", "FusionNB, off by 0.102"]
    np.testing.assert_allclose(lines["NB, off by 0.102"].get_xydata(), [(0.55, 0.6), (580 / 598, 500 / 598)])
    assert len(ax.collections) == 2
    assert ax.get_xlim() == ax.get_ylim() == (0.5, 1.02)
    assert {"NB", "ATFNB", "FusionNB", *PEERS} == {name for name, *_ in LINES}
