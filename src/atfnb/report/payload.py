"""Facts → the data that the page's script reads: plain lists and text, as short as possible."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import shortened
from atfnb._typing import FloatArray, IntArray
from atfnb.evaluation import Measured
from atfnb.report.attributes import AttributeFacts, Detail, Histogram, longest_label
from atfnb.report.curve import BetaCurve
from atfnb.report.facts import Facts, RowFacts
from atfnb.report.sentences import MEANINGS, weight_word

FINE_CELLS = 1_000_000
"""With up to this number of effects, each takes two bytes in the page; with more, one."""
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
        "classes": list(facts.classes),
        "classRows": facts.class_rows.tolist(),
        "series": facts.series.tolist(),
        "meaning": facts.meaning,
        "weightWord": weight_word(facts.meaning),
        "weightSentence": MEANINGS[facts.meaning],
        "indexesOf": facts.indexes_of,
        "binsOf": facts.bins_of,
        "performances": [_performance(one.measured) for one in facts.performances],
        "curve": _curve(facts.curve),
        "attributes": [_attribute(one, longest, kind) for one in facts.attributes],
        "pairs": [[a, b, short([weight], 6)[0]] for a, b, weight in facts.pairs],
        "effectBytes": np.dtype(kind).itemsize,
        "effects": _packed(details, kind),
        "prior": short(facts.prior - facts.prior.mean(), 12),
        "rows": _rows(facts.rows, facts.attributes),
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


def _attribute(one: AttributeFacts, longest: int, kind: Any) -> dict[str, Any]:
    weight, spread, relevance, redundancy = short([one.weight, one.spread, one.relevance, one.redundancy], 6)
    similar = None if one.similar is None else [one.similar[0], short([one.similar[1]], 3)[0]]
    plain = {"name": one.name, "number": one.is_number, "constant": one.constant, "weight": weight, "spread": spread}
    plain |= {"relevance": relevance, "redundancy": redundancy, "similar": similar}
    return plain if one.detail is None else plain | {"detail": _detail(one.detail, longest, kind)}


def _detail(detail: Detail, longest: int, kind: Any) -> dict[str, Any]:
    labels = detail.labels
    if labels is not None:
        labels = tuple(shortened(text, longest) for text in labels)
    return {
        "cuts": None if detail.cuts is None else short(detail.cuts, _digits(detail)),
        "whole": detail.whole,
        "part": detail.part,
        "labels": labels,
        "values": len(detail.codes),
        "missingIsValue": detail.missing_is_value,
        "leftOut": detail.left_out,
        "rows": short(detail.rows),
        "scale": scale_of(detail.effects, kind),
        "histogram": _histogram(detail.histogram),
        "binCuts": _bin_cuts(detail),
        "bins": short(detail.bins.counts),
        "rowsMissing": detail.missing,
    }


def _digits(detail: Detail) -> int:
    """Return how many digits a cut needs: all of them between whole numbers, dates and times."""
    return 6 if detail.whole is None and detail.part is None else 17


def _bin_cuts(detail: Detail) -> list[Any] | dict[str, list[int]] | None:
    """Return ChiMerge's cuts: None if they are the model's own, their positions if they are among those."""
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


def _curve(curve: BetaCurve) -> dict[str, Any]:
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


def _performance(found: Measured) -> dict[str, Any]:
    shown, confusion = _frequent(found.confusion, found.rows)
    return {
        "classes": list(found.classes),
        "shown": shown.tolist(),
        "confusion": confusion.ravel().tolist(),
        "mistakes": found.mistakes(MISTAKES),
        "reliability": short(found.reliability, 7),
        "calibrationError": short([found.calibration_error])[0],
    }


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


def _rows(rows: RowFacts, attributes: tuple[AttributeFacts, ...]) -> dict[str, Any]:
    """Return the rows to explain; a value is its position among the values that the page holds."""
    columns = [(j, one.detail) for j, one in enumerate(attributes) if one.detail is not None]
    positions = [np.searchsorted(detail.codes, rows.codes[:, j]) for j, detail in columns]
    return {
        "numbers": (rows.numbers + 1).tolist(),
        "truth": rows.truth.tolist(),
        "predicted": rows.predicted.tolist(),
        "joint": [short(joint, 12) for joint in rows.joint],
        "codes": np.column_stack(positions).tolist(),
        "texts": [
            [_text(line[j], detail, int(at[i])) for (j, detail), at in zip(columns, positions, strict=True)]
            for i, line in enumerate(rows.texts)
        ],
        "pairs": rows.pairs.tolist(),
        "ofPairs": [[short(one, 7) for one in line] for line in rows.of_pairs],
    }


def _text(text: str | None, detail: Detail, position: int) -> str | int | None:
    """Return 0 for a missing value, None where the value's label says it already, and otherwise the text."""
    if text is None:
        return 0
    known = detail.labels is not None and position < len(detail.labels)
    return None if known else text
