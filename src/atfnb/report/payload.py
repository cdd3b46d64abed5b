"""Facts → the data that the page's script reads: plain lists and text, as short as possible."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import shortened
from atfnb._typing import FloatArray, IntArray
from atfnb.report.attributes import FINE_CELLS, AttributeFacts, Detail, Histogram, longest_label
from atfnb.report.curve import BetaCurve
from atfnb.report.facts import Facts, RowFacts
from atfnb.report.mistakes import Reliability, Thresholds, by_confusion, reliability_of, thresholds_of
from atfnb.report.pairs import PairFacts
from atfnb.report.performance import Performance
from atfnb.report.plots import NINETY
from atfnb.report.whatif import what_if_payload

MOST_CLASSES = 60
"""The largest number of classes in the confusion matrix; all rarer ones share a row and a column."""
MISTAKES = 5
"""The number of frequent mistakes that are named."""


def payload(facts: Facts) -> dict[str, Any]:
    """Return everything that the page's script reads, as lists, dicts, numbers and text that JSON can hold."""
    details = [one.detail for one in facts.attributes if one.detail is not None]
    longest = longest_label(details)
    effects = np.concatenate([detail.effects for detail in details])
    kind: type[np.signedinteger[Any]] = np.int16 if effects.size <= FINE_CELLS else np.int8
    return {
        "model": facts.model,
        "rowsInTable": facts.n_rows,
        "wrongRows": int((~facts.performance.answers.right).sum()),
        "outOfFold": facts.performance.out_of_fold,
        "classes": list(facts.classes),
        "classRows": facts.class_rows.tolist(),
        "series": facts.series.tolist(),
        "performances": [_performance(one) for one in facts.performances],
        "curve": None if facts.curve is None else _curve(facts.curve),
        "attributes": [_attribute(one, longest, kind) for one in facts.attributes],
        "pairs": [_pair(one) for one in facts.pairs],
        "allPairs": facts.all_pairs,
        "effectBytes": np.dtype(kind).itemsize,
        "effects": _packed(details, kind),
        "bands": _bands(details),
        "prior": short(facts.prior - facts.prior.mean(), 12),
        "whatIf": None if facts.what_if is None else what_if_payload(facts.what_if),
        "rows": _rows(facts.rows, facts.attributes, with_codes=facts.what_if is None),
    }


def short(values: NDArray[Any] | list[float], digits: int = 5) -> list[Any]:
    """Return numbers with the given number of significant digits, whole ones as integers; None for NaN and infinity.

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
    """Return the effect that a packed number of 1 represents, for one attribute."""
    largest = float(np.abs(effects).max())
    return float(f"{largest / np.iinfo(kind).max * (1 + 1e-7):.8g}") or 1.0


def packed(effects: FloatArray, kind: Any) -> NDArray[Any]:
    """Return effects as small integers, in steps of :func:`scale_of`.

    >>> packed(np.array([[1.0, -0.5]]), np.int8)
    array([[127, -63]], dtype=int8)
    """
    return np.clip(np.rint(effects / scale_of(effects, kind)), -np.iinfo(kind).max, np.iinfo(kind).max).astype(kind)


def _packed(details: list[Detail], kind: Any) -> str:
    parts = [packed(detail.effects, kind).astype(np.dtype(kind).newbyteorder("<")) for detail in details]
    return base64.b64encode(np.concatenate(parts).tobytes()).decode("ascii")


def band_scale(detail: Detail) -> float:
    """Return the half-width of a 90 % band that a packed number of 1 represents, for one attribute."""
    if detail.errors is None:
        return 0.0
    return float(f"{NINETY * float(detail.errors.max()) / 255 * (1 + 1e-7):.8g}") or 1.0


def _bands(details: list[Detail]) -> str | None:
    """Return the half-widths of the 90 % bands, one byte each, as base64; None if the model has no standard errors."""
    if details[0].errors is None:
        return None
    parts = [np.rint(NINETY * detail.errors / band_scale(detail)) for detail in details if detail.errors is not None]
    return base64.b64encode(np.clip(np.concatenate(parts), 0, 255).astype(np.uint8).tobytes()).decode("ascii")


def _attribute(one: AttributeFacts, longest: int, kind: Any) -> dict[str, Any]:
    share, weight = short([one.share, one.weight], 6)
    plain = {"name": one.name, "number": one.is_number, "part": one.part, "constant": one.constant}
    plain |= {"ordered": one.ordered, "unused": one.unused}
    plain |= {"share": share, "weight": weight, "missing": one.missing}
    if one.relevance is not None and one.redundancy is not None:
        similar = None if one.similar is None else [one.similar[0], short([one.similar[1]], 3)[0]]
        plain |= {"relevance": short([one.relevance], 6)[0], "redundancy": short([one.redundancy], 6)[0]}
        plain |= {"similar": similar}
    return plain if one.detail is None else plain | {"detail": _detail(one.detail, longest, kind)}


def _detail(detail: Detail, longest: int, kind: Any) -> dict[str, Any]:
    labels = detail.labels
    if labels is not None:
        labels = tuple(shortened(text, longest) for text in labels)
    return {
        "cuts": None if detail.cuts is None else short(detail.cuts, _digits(detail)),
        "whole": detail.whole,
        "labels": labels,
        "values": len(detail.codes),
        "missingIsValue": detail.missing_is_value,
        "leftOut": detail.left_out,
        "rows": short(detail.rows),
        "scale": scale_of(detail.effects, kind),
        "bandScale": band_scale(detail),
        "histogram": _histogram(detail.histogram),
        "counts": None if detail.counts is None else short(detail.counts),
    }


def _digits(detail: Detail) -> int:
    """Return how many digits a cut needs: all of them between whole numbers, and for dates."""
    return 9 if detail.whole is None else 17


def _histogram(found: Histogram | None) -> dict[str, Any] | None:
    if found is None:
        return None
    equal = np.allclose(np.diff(found.edges), np.diff(found.edges)[0])
    edges = [*short(found.edges[[0, -1]], 7), len(found.counts)] if equal else short(found.edges, 7)
    return {"edges": edges, "equal": bool(equal), "counts": short(found.counts), "ends": [found.below, found.above]}


def _pair(pair: PairFacts) -> dict[str, Any]:
    cells = pair.effects.reshape(-1, pair.effects.shape[2])
    return {
        "of": list(pair.of),
        "share": short([pair.share], 6)[0],
        "labels": [list(labels) for labels in pair.labels],
        "rows": short(pair.rows),
        "scale": scale_of(cells, np.int16),
        "effects": base64.b64encode(packed(cells, np.int16).astype("<i2").tobytes()).decode("ascii"),
        "focus": pair.focus,
        "words": [[str(part), type(part) is not str] for part in pair.sentence],
    }


def _curve(curve: BetaCurve) -> dict[str, Any]:
    return {
        "model": curve.model,
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


def _performance(performance: Performance) -> dict[str, Any]:
    found, answers = performance.measured, performance.answers
    shown, confusion = _frequent(found.confusion, found.rows)
    two = len(found.classes) == 2
    p = answers.probability[:, 1] if two else answers.probability.max(axis=1)
    right = answers.truth == 1 if two else answers.right
    return {
        "classes": list(found.classes),
        "shown": shown.tolist(),
        "order": by_confusion(confusion[: len(shown), : len(shown)]).tolist(),
        "confusion": confusion.ravel().tolist(),
        "mistakes": found.mistakes(MISTAKES),
        "reliability": _reliability(reliability_of(p, right)),
        "thresholds": _thresholds(thresholds_of(answers)),
    }


def _reliability(found: Reliability) -> dict[str, Any]:
    parts = {"probability": found.probability, "share": found.share, "low": found.low, "high": found.high}
    plain: dict[str, Any] = {name: short(values, 6) for name, values in parts.items()}
    return plain | {"rows": found.rows.tolist(), "error": short([found.error])[0]}


def _thresholds(found: Thresholds | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"atStops": found.at_stops.tolist(), "curve": found.curve.tolist(), "area": short([found.area])[0]}


def _frequent(confusion: IntArray, class_rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return the most frequent classes, and their confusion matrix with a last row and column for all others."""
    if len(confusion) <= MOST_CLASSES:
        return np.arange(len(confusion)), confusion
    shown = np.sort(np.argsort(-class_rows, kind="stable")[:MOST_CLASSES])
    into = np.full(len(confusion), MOST_CLASSES)
    into[shown] = np.arange(MOST_CLASSES)
    lumped = np.zeros((MOST_CLASSES + 1, MOST_CLASSES + 1), dtype=np.int64)
    np.add.at(lumped, (into[:, None], into[None, :]), confusion)
    return shown, lumped


def _rows(rows: RowFacts, attributes: tuple[AttributeFacts, ...], *, with_codes: bool) -> dict[str, Any]:
    """Return the rows to explain; without a calculator, with what their waterfalls are drawn from."""
    plain = {
        "numbers": (rows.numbers + 1).tolist(),
        "truth": rows.truth.tolist(),
        "predicted": rows.predicted.tolist(),
        "probability": short(rows.probability, 4),
        "cells": rows.cells,
    }
    if not with_codes:
        return plain
    columns = [(j, one.detail) for j, one in enumerate(attributes) if one.detail is not None]
    positions = [np.searchsorted(detail.codes, rows.codes[:, j]) for j, detail in columns]
    return plain | {
        "joint": [short(joint, 12) for joint in rows.joint],
        "codes": np.column_stack(positions).tolist(),
        "pairs": rows.pairs.tolist(),
        "ofPairs": [[short(one, 7) for one in line] for line in rows.of_pairs],
    }
