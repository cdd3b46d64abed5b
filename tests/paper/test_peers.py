"""Every classifier can be found by its name, and runs on any table."""

from importlib.metadata import PackageNotFoundError

import pytest

from atfnb.classifiers import NB, ROSTER, Declaration
from atfnb.paper import datasets, peers
from atfnb.paper.peers import BEYOND, COMBINATIONS, KNOWN, OTHERS, PAPER, PEERS, find, others_in
from atfnb.paper.protocol import run_split
from atfnb.paper.study import versions_of


def test_every_known_classifier_runs_on_mixed_columns():
    X, y = datasets.load("fertility")
    outcome = run_split("fertility", X, y, 0, find(list(KNOWN)), seed=0, order="clean")
    assert list(outcome.right) == [*PAPER, *COMBINATIONS, *BEYOND, *OTHERS, *PEERS]
    assert all(0 < right <= outcome.test_rows for right in outcome.right.values())
    assert list(outcome.right) == list(outcome.log_loss) == list(outcome.brier) == list(outcome.reliability)
    assert all(0 < loss < 5 for loss in outcome.log_loss.values())
    assert all(0 < score < 2 for score in outcome.brier.values())


def test_a_peer_whose_package_is_missing_says_what_to_install(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    assert "interpret-core" in versions_of(["NB", "EBM"])
    monkeypatch.setattr(peers, "version", missing)
    for ask in (lambda: versions_of(["EBM"]), PEERS["EBM"].make):
        with pytest.raises(ImportError, match="a peer needs it: pip install interpret-core"):
            ask()


def test_an_unknown_classifier_is_named():
    with pytest.raises(ValueError, match=r"classifier 'XGB' is not known\. Known: NB, WNB"):
        find(["XGB"])


def test_a_classifier_of_the_roster_can_join_by_its_declared_name():
    class Mine(NB):
        declaration = Declaration("Mine-β", command="mine")

    class Unnamed(NB):
        declaration = Declaration("Unnamed")

    joins = others_in((*ROSTER, Mine, Unnamed))
    assert list(joins) == [*OTHERS, "Mine-β"]
    X, y = datasets.load("fertility")
    outcome = run_split("fertility", X, y, 0, [*find(["NB"]), joins["Mine-β"]], seed=0, order="clean")
    assert outcome.log_loss["Mine-β"] == outcome.log_loss["NB"]


def test_the_papers_classifiers_are_those_that_declare_it():
    assert set(PAPER) == {one.declaration.name for one in ROSTER if one.declaration.of_paper}
