"""Facts → plain lists and words, as small as they can be: what the page's script reads."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray, IntArray
from atfnb.report.curve import Curve
from atfnb.report.facts import Facts
from atfnb.report.histograms import Histogram
from atfnb.report.meanings import WORDS, weight_word
from atfnb.report.rows import RowFacts
from atfnb.report.trial import Trial
from atfnb.report.values import AttributeFacts, Detail, longest_label

FINE_CELLS = 1_000_000
"""Up to so many cells each takes two bytes, then one."""
MOST_CLASSES = 60
"""Classes in the confusion matrix; the others, which are rarer, are one more."""


def payload(facts: Facts) -> dict[str, Any]:
    """Everything the page's script reads, as what JSON can hold."""
    details = [one.detail for one in facts.attributes if one.detail is not None]
    longest = longest_label(details)
    effects = np.concatenate([detail.effects for detail in details])
    kind: type[np.signedinteger[Any]] = np.int16 if effects.size <= FINE_CELLS else np.int8
    return {
        "model": facts.model,
        "rowsInTable": facts.n_rows,
        "classes": list(facts.classes),
        "classRows": facts.class_rows.tolist(),
        "series": facts.series.tolist(),
        "meaning": facts.meaning,
        "weightWord": weight_word(facts.meaning),
        "weightSentence": WORDS[facts.meaning],
        "indexesOf": facts.indexes_of,
        "binsOf": facts.bins_of,
        "trials": [_trial(trial) for trial in facts.trials],
        "curve": _curve(facts.curve),
        "attributes": [_attribute(one, longest, kind) for one in facts.attributes],
        "effectBytes": np.dtype(kind).itemsize,
        "effects": _packed(details, kind),
        "prior": short(facts.prior - facts.prior.mean(), 12),
        "rows": _rows(facts.rows, facts.attributes),
    }


def short(values: NDArray[Any] | list[float], digits: int = 5) -> list[Any]:
    """Numbers with so many significant digits, whole ones without a point; None for what is no number.

    >>> short(np.array([0.123456789, 3.0]))
    [0.12346, 3]
    """
    numbers = (float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=np.float64).ravel().tolist())
    return [_plain(value) for value in numbers]


def _plain(value: float) -> int | float | None:
    if not np.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def scale_of(effects: FloatArray, kind: Any) -> float:
    """What one step of the packed numbers is worth, for one attribute."""
    largest = float(np.abs(effects).max())
    return float(f"{largest / np.iinfo(kind).max * (1 + 1e-7):.8g}") or 1.0


def packed(effects: FloatArray, kind: Any) -> NDArray[Any]:
    """Effects as small whole numbers of steps.

    >>> packed(np.array([[1.0, -0.5]]), np.int8)
    array([[127, -63]], dtype=int8)
    """
    return np.clip(np.rint(effects / scale_of(effects, kind)), -np.iinfo(kind).max, np.iinfo(kind).max).astype(kind)


def _packed(details: list[Detail], kind: Any) -> str:
    parts = [packed(detail.effects, kind).astype(np.dtype(kind).newbyteorder("<")) for detail in details]
    return base64.b64encode(np.concatenate(parts).tobytes()).decode("ascii")


def _attribute(one: AttributeFacts, longest: int, kind: Any) -> dict[str, Any]:
    weight, spread, relevance, redundancy = short([one.weight, one.spread, one.relevance, one.redundancy], 6)
    like = None if one.like is None else [one.like[0], short([one.like[1]], 3)[0]]
    plain = {"name": one.name, "number": one.is_number, "constant": one.constant, "weight": weight, "spread": spread}
    plain |= {"relevance": relevance, "redundancy": redundancy, "like": like}
    return plain if one.detail is None else plain | {"detail": _detail(one.detail, longest, kind)}


def _detail(detail: Detail, longest: int, kind: Any) -> dict[str, Any]:
    labels = detail.labels
    if labels is not None:
        labels = tuple(text if len(text) <= longest else text[: longest - 1] + "…" for text in labels)
    return {
        "cuts": None if detail.cuts is None else short(detail.cuts, _digits(detail)),
        "whole": detail.whole,
        "labels": labels,
        "values": len(detail.codes),
        "missing": detail.missing_is_value,
        "leftOut": detail.left_out,
        "rows": short(detail.rows),
        "scale": scale_of(detail.effects, kind),
        "histogram": _histogram(detail.histogram),
        "binCuts": _bin_cuts(detail),
        "bins": short(detail.bins.counts),
        "gaps": detail.gaps,
    }


def _digits(detail: Detail) -> int:
    """Return how many digits a cut needs: all of them where whole numbers are told apart."""
    return 6 if detail.whole is None else 17


def _bin_cuts(detail: Detail) -> list[Any] | dict[str, list[int]] | None:
    """ChiMerge's cuts: nothing if they are the model's own, their places if they are among those."""
    cuts, own = detail.bins.cuts, detail.cuts
    if own is None or np.array_equal(cuts, own):
        return None
    return {"among": np.searchsorted(own, cuts).tolist()} if np.isin(cuts, own).all() else short(cuts, _digits(detail))


def _histogram(found: Histogram | None) -> dict[str, Any] | None:
    if found is None:
        return None
    equal = np.allclose(np.diff(found.edges), np.diff(found.edges)[0])
    edges = [*short(found.edges[[0, -1]], 7), len(found.counts)] if equal else short(found.edges, 7)
    return {"edges": edges, "equal": bool(equal), "counts": short(found.counts), "ends": [found.below, found.above]}


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "model": curve.model,
        "own": curve.own,
        "edges": curve.edges.tolist(),
        "accuracy": short(curve.accuracy, 9),
        "allSteps": curve.all_steps,
        "beta": curve.beta,
        "best": curve.best,
        "interval": list(curve.interval),
        "intervals": curve.intervals.tolist(),
        "relevance": short(curve.relevance, 9),
        "redundancy": short(curve.redundancy, 9),
        "weighted": curve.weighted,
    }


def _trial(trial: Trial) -> dict[str, Any]:
    shown, confusion = _frequent(trial.confusion, trial.measured.rows)
    return {
        "classes": list(trial.measured.classes),
        "shown": shown.tolist(),
        "confusion": confusion.ravel().tolist(),
        "confusions": trial.confusions,
        "reliability": short(trial.reliability, 7),
        "calibrationError": short([trial.calibration_error])[0],
    }


def _frequent(confusion: IntArray, class_rows: IntArray) -> tuple[IntArray, IntArray]:
    """The most frequent classes, and their confusion matrix with a last row and column for all others."""
    if len(confusion) <= MOST_CLASSES:
        return np.arange(len(confusion)), confusion
    shown = np.sort(np.argsort(-class_rows, kind="stable")[:MOST_CLASSES])
    into = np.full(len(confusion), MOST_CLASSES)
    into[shown] = np.arange(MOST_CLASSES)
    lumped = np.zeros((MOST_CLASSES + 1, MOST_CLASSES + 1), dtype=np.int64)
    np.add.at(lumped, (into[:, None], into[None, :]), confusion)
    return shown, lumped


def _rows(rows: RowFacts, attributes: tuple[AttributeFacts, ...]) -> dict[str, Any]:
    """Codes are places among the values that the page holds; a category's text is its label already."""
    columns = [(j, one.detail) for j, one in enumerate(attributes) if one.detail is not None]
    places = [np.searchsorted(detail.codes, rows.codes[:, j]) for j, detail in columns]
    return {
        "numbers": (rows.numbers + 1).tolist(),
        "truth": rows.truth.tolist(),
        "predicted": rows.predicted.tolist(),
        "scores": [short(scores, 12) for scores in rows.scores],
        "codes": np.column_stack(places).tolist(),
        "texts": [
            [_text(line[j], detail, int(place[i])) for (j, detail), place in zip(columns, places, strict=True)]
            for i, line in enumerate(rows.texts)
        ],
    }


def _text(text: str | None, detail: Detail, place: int) -> str | int | None:
    """0 for a gap, nothing where the value's label says it."""
    if text is None:
        return 0
    known = detail.labels is not None and place < len(detail.labels)
    return None if known else text
