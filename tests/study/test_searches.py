"""Both searches find β in the same interval."""

import numpy as np
import pytest

from atfnb_study import datasets
from atfnb_study.searches import beta_of_set


@pytest.mark.shared
def test_the_four_sets_of_the_papers_figure(shared):
    betas = [beta_of_set(name, *datasets.load(name, str(shared / "datasets"))) for name in ("bupa", "knowledge")]
    for one in betas:
        assert one.qsf[0] - 0.011 <= one.sls[0] <= one.sls[1] <= one.qsf[1] + 1e-9
        assert one.sls_seconds > 0 < one.qsf_seconds
        assert max(one.curve) == pytest.approx(one.accuracy)


def test_the_grid_finds_no_more_than_qsf_and_the_curve_holds_both():
    one = beta_of_set("iris", *datasets.load("iris"), timed=False)
    assert one.qsf[0] - 0.011 <= one.sls[0] <= one.sls[1] <= one.qsf[1] + 1e-9
    assert one.qsf[0] < one.beta < one.qsf[1]
    assert max(one.curve) == one.accuracy
    assert len(one.edges) == len(one.curve) + 1
    assert np.isnan(one.qsf_seconds)
    assert np.isnan(one.sls_seconds)
