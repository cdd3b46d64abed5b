"""Long fits report their steps, to those who watch."""

import io

import pytest
from rich.console import Console
from sklearn.datasets import load_iris

from atfnb import FusionNB
from atfnb._progress import listening, step
from atfnb.console import progress_bar
from atfnb.evaluation import cross_validate

IRIS = load_iris(return_X_y=True)


def test_the_steps_of_a_long_fit_are_reported_inside_cross_validation():
    steps = []
    with listening(steps.append):
        cross_validate({"fusion": FusionNB()}, *IRIS, folds=2)
    assert steps[0] == "fusion"
    assert "fusion, shrinkage 0.1, fold 2 of 3, pass 1" in steps
    assert any("shrinkage 3, of lines 0.9" in each for each in steps)
    assert "fusion, pass 1" in steps  # the last fit, with the shrinkage that was chosen


def test_folds_side_by_side_still_report_their_shrinkage(monkeypatch):
    monkeypatch.setattr("atfnb._pieces.n_threads", lambda *_: 2)
    monkeypatch.setattr("atfnb.fusion.choosing.THREADS_FROM", 0)
    steps = []
    with listening(steps.append):
        FusionNB().fit(*IRIS)
    assert "shrinkage 10" in steps


@pytest.mark.parametrize("terminal", [True, False])
def test_steps_are_shown_on_a_terminal_and_nowhere_else(terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=200)
    with progress_bar(console, "learning"), step("shrinkage 3"), step("fold 2 of 3"):
        pass
    shown = console.file.getvalue()
    assert ("shrinkage 3, fold 2 of 3" in shown) == terminal
    assert terminal or shown.strip() == ""
