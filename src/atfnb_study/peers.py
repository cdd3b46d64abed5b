"""The classifiers of a study, by name: the paper's, its combinations of indexes, ours beyond it, and peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from atfnb.classifiers import ATFNB, ROSTER, BaseNB, FusionNB
from atfnb.evaluation import PEERS as USUAL
from atfnb_study import boosters, tuning

View = Literal["codes", "columns"]
"""What a classifier is trained on: the codes of the encoder that all share, or the columns as they are."""


@dataclass(frozen=True)
class Participant:
    """A classifier that can take part in a study."""

    name: str
    make: Callable[..., Any]
    """Returns the unfitted classifier. Called with ``categorical`` and ``numeric``, the names of the columns, and
    ``n_values``, the number of codes of each attribute."""
    view: View = "codes"
    packages: tuple[str, ...] = ()
    """The packages of which one must be installed for it; the first is the one that the extra ``peers`` installs."""
    is_peer: bool = False
    """Whether it comes from another library."""


def _ours(classifier: type[BaseNB], name: str = "", view: View | None = None, **parameters: Any) -> Participant:
    """Return one of our classifiers as a participant, by its declaration: on codes, unless it cuts numbers itself."""
    declared = classifier.declaration
    view = view or ("columns" if declared.cuts_again else "codes")
    if view == "codes":
        parameters["categorical_features"] = "all"
    return Participant(name or declared.name or classifier.__name__, lambda **_: classifier(**parameters), view)


def _by_name(*participants: Participant) -> dict[str, Participant]:
    return {one.name: one for one in participants}


INDEXES = {"I": "information_gain", "M": "mutual_information", "P": "pearson", "G": "gain_ratio"}
PAPERS_ORDER = ("NB", "WNB", "KLNB", "DFW", "CFW", "ATFNB", "CFW-β")

PAPER = _by_name(
    *sorted(
        (_ours(classifier) for classifier in ROSTER if classifier.declaration.of_paper),
        key=lambda one: PAPERS_ORDER.index(one.name),
    )
)
"""The methods that the paper compares or describes, in its order."""

COMBINATIONS = _by_name(
    *(_ours(ATFNB, a + b, relevance=INDEXES[a], redundancy=INDEXES[b]) for b in "PM" for a in "IMPG")
)
"""ATFNB with every pair of indexes: the paper's six (Section 5.3), and two with the gain ratio as relevance."""

BEYOND = _by_name(_ours(FusionNB, "Fusion-attribute", "codes", refine="attribute"), _ours(FusionNB))
"""Beyond the paper: many indexes, and finer weights. FusionNB cuts numbers more finely than the shared codes."""


def others_in(roster: Sequence[type[BaseNB]]) -> dict[str, Participant]:
    """Return the classifiers of a roster that no study has yet; those without a name in the command are left out."""
    participants = [_ours(classifier) for classifier in roster if classifier.declaration.command]
    return _by_name(*(one for one in participants if one.name not in PAPER | BEYOND))


OTHERS = others_in(ROSTER)
"""Classifiers of the roster that join a study on request, as the peers do."""


# --- classifiers of other libraries -----------------------------------------------------------------


def installed(one: Participant) -> dict[str, str]:
    """Return the package that a classifier needs, and its version; nothing for one that needs no other package.

    Raises ImportError, with the command that installs it, if the package is missing.

    >>> installed(PEERS["RandomForest"])
    {}
    """
    for package in one.packages:
        with suppress(PackageNotFoundError):
            return {package: version(package)}
    if one.packages:
        raise ImportError(f"{one.name} needs {one.packages[0]}, which is not installed: pip install 'atfnb[peers]'")
    return {}


def _categorical_nb(n_values: Any, **_: Any) -> Any:
    return boosters.made("sklearn.naive_bayes.CategoricalNB", min_categories=n_values + 1)


def _on_columns(make: Callable[..., Any], *, categorical: list[str], numeric: list[str], **_: Any) -> Any:
    return make(categorical=categorical, numeric=numeric)


def _ebm(**_: Any) -> Any:
    """Return interpret's ExplainableBoostingClassifier, which takes missing values and categories as they are."""
    return boosters.made("interpret.glassbox.ExplainableBoostingClassifier", n_jobs=1, random_state=0)


PEERS = _by_name(
    Participant("CategoricalNB", _categorical_nb, is_peer=True),
    *(Participant(name, partial(_on_columns, make), "columns", is_peer=True) for name, make in USUAL.items()),
    Participant("LightGBM", boosters.light_gbm, "columns", ("lightgbm",), is_peer=True),
    Participant("XGBoost", boosters.xgboost, "columns", ("xgboost-cpu", "xgboost"), is_peer=True),
    Participant("CatBoost", boosters.cat_boost, "columns", ("catboost",), is_peer=True),
    Participant("LightGBM tuned", tuning.tuned_light_gbm, "columns", ("lightgbm",), is_peer=True),
    Participant("XGBoost tuned", tuning.tuned_xgboost, "columns", ("xgboost-cpu", "xgboost"), is_peer=True),
    Participant("CatBoost tuned", tuning.tuned_cat_boost, "columns", ("catboost",), is_peer=True),
    Participant("EBM", _ebm, "columns", ("interpret-core",), is_peer=True),
)
"""Classifiers of scikit-learn, boosted trees, and the best-known additive model; they join a study on request."""

ON_REQUEST = OTHERS | PEERS
KNOWN = PAPER | COMBINATIONS | BEYOND | ON_REQUEST


def find(names: list[str]) -> list[Participant]:
    """Return the classifiers of these names.

    >>> [one.name for one in find(["NB", "IP"])]
    ['NB', 'IP']
    """
    return _found(names, KNOWN, "classifier")


def requested(names: Sequence[str]) -> list[str]:
    """Return the names of classifiers that join a study on request, each once, if they are known and installed.

    >>> requested(["RandomForest", "RandomForest"])
    ['RandomForest']
    """
    for one in _found(names, ON_REQUEST, "--with"):
        installed(one)
    return list(dict.fromkeys(names))


def _found(names: Sequence[str], known: dict[str, Participant], what: str) -> list[Participant]:
    """Return the classifiers of these names, or raise a ValueError that lists those that are known."""
    for name in names:
        if name not in known:
            raise ValueError(f"{what} {name!r} is not known. Known: {', '.join(known)}.")
    return [known[name] for name in names]
