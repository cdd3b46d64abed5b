"""The columns of a model file, of the model and back: how each is coded, what was learned of it, and their pairs.

In a model the tables of all attributes stand one below the other, each with a row more for unknown values (see
:class:`~atfnb.counts.Counts`); in a file every column has its own, without that row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from atfnb._typing import FloatArray, IntArray
from atfnb.classifiers import AccuracyCurve, BaseNB, FittedField
from atfnb.counts import Counts
from atfnb.encoding import Attribute, CategoricalAttribute, NumericAttribute
from atfnb.model import NO_PAIRS, AdditiveModel, PairGrids
from atfnb.model_file.structs import ADDS, COUNTS, GROUPS, ROWS, SKIPPED, WEIGHT, Curve, Edited, Pair, column_types
from atfnb.model_file.text import inconsistent, shown
from atfnb.model_file.values import as_table, category_tuple, plain_category, plain_numbers, refuse_disorder
from atfnb.switching import thinned
from atfnb.tables import NAMES_OF_PARTS

LAST_MOMENT = 1e8
"""The largest number of days, or of hours, that a date or a time can be told from; NumPy counts microseconds."""
MAX_PAIR_CELLS = 10_000
"""The largest number of values, with an unknown one for each column, whose table of pairs is read and written."""
MAX_STEPS = 10_000
"""The largest number of steps of a curve in a file; a curve of more is thinned."""
DTYPES: Mapping[str, Any] = {"number": np.float64, "whole": np.int64, "text": str}
"""The types of the arrays of fitted fields, by their kind."""


# --- How a column is coded -------------------------------------------------------------------------


def entries_of(attribute: Attribute) -> tuple[str, dict[str, Any]]:
    """Return the kind of an attribute, and the entries that say how it is coded."""
    entries: dict[str, Any] = {"name": attribute.name, "part": attribute.part, "zone": attribute.zone}
    unknown = "skip" if attribute.missing_code == attribute.unknown else "value"
    entries["missing"] = attribute.missing_code if attribute.missing_code < attribute.n_known else unknown
    if attribute.is_numeric:
        if attribute.part == "date":
            entries["since"] = str(np.datetime64(attribute.since, "D"))
        days = attribute.since if attribute.part == "date" else 0
        whole = None if attribute.whole is None else [end - days for end in attribute.whole]
        return "number", entries | {"cuts": plain_numbers(attribute.cuts - days), "whole": whole}
    if attribute.part is not None:
        categories: list[Any] = attribute.labels[: len(attribute.categories)]
    else:
        categories = [plain_category(category, attribute.name) for category in attribute.categories]
    as_listed = {"categories": categories, "ordered": attribute.ordered, "pooled": attribute.pooled}
    return "categories", entries | as_listed | {"spelling": list(attribute.spelling) or None}


def attribute_of(column: Any) -> Attribute:
    """Return how a column of a file is coded, what :func:`entries_of` was given."""
    where, part = f"column {shown(column.name)}", column.part
    if part is not None and not column.name.endswith(f": {part}"):
        raise inconsistent(f"{where} is the {part} of a column of dates, and its name must end with ': {part}'.")
    if column.__struct_config__.tag == "categories":
        categories = _categories(column, where)
        n_known = len(categories) + (column.pooled > 0) if categories or column.counts else 0
        values, spelling = _missing(column.missing, n_known, where), tuple(column.spelling or ())
        kept: Any = {"categories": categories, "ordered": column.ordered, "pooled": column.pooled, "spelling": spelling}
        return CategoricalAttribute(column.name, *values, part, column.zone, **kept)
    since = _first_day(column, where)
    cuts = np.array(column.cuts, dtype=np.float64) + since
    refuse_disorder(cuts.tolist(), f"the cuts of {where}")
    whole = None if column.whole is None else (column.whole[0] + since, column.whole[1] + since)
    if part in ("date", "time") and (np.abs([*cuts, *(whole or ())]) > LAST_MOMENT).any():
        raise inconsistent(f"the cuts of {where} are beyond any {part}.")
    values = _missing(column.missing, len(cuts) + 1 if len(cuts) or column.counts else 0, where)
    return NumericAttribute(column.name, *values, part, column.zone, cuts=cuts, whole=whole, since=since)


def _categories(column: Any, where: str) -> tuple[Any, ...]:
    """Return the categories of a column; those of months and weekdays from their names."""
    entries, names = column.categories, NAMES_OF_PARTS.get(column.part, ())
    if column.part is not None:
        if unknown := [entry for entry in entries if entry not in names]:
            raise inconsistent(f"the categories of {where} must be names of {column.part}s, not {shown(unknown[0])}.")
        entries = [names.index(name) + 1 for name in entries]
    return category_tuple(entries, f"the categories of {where}", ordered=column.ordered)


def _first_day(column: Any, where: str) -> int:
    """Return the day that the cuts of a column of dates are counted from, as days since 1970-01-01; 0 for others."""
    if (column.since is None) != (column.part != "date"):
        raise inconsistent(f'{where} must have "since" if its part is "date", and only then.')
    if column.since is None:
        return 0
    try:
        return int(np.datetime64(column.since, "D").astype(np.int64))
    except ValueError:
        raise inconsistent(f'"since" of {where} must be a day, like 2026-01-31, not {shown(column.since)}.') from None


def _missing(entry: int | str, n_known: int, where: str) -> tuple[int, int]:
    """Return the number of values of a column, and the code of a missing value."""
    if isinstance(entry, str):
        return n_known + (entry == "value"), n_known
    if entry >= n_known:
        raise inconsistent(
            f'"missing" of {where} must be "skip", "value" or the position of one of its {n_known} values.'
        )
    return n_known, entry


# --- What was learned of the columns ---------------------------------------------------------------


def learned_of(model: BaseNB) -> dict[str, Any]:
    """Return the columns of a model, their pairs, and the sections of what belongs to no column."""
    columns, pairs = _columns_of(model), _pairs_of(model)
    return {"columns": columns, "pairs": pairs, "value_pairs": _value_pairs_of(model.counts_), **_sections_of(model)}


def set_learned(model: Any, file: Any) -> None:
    """Set what a model has learned: its counts and weights, its scores, and the fields that its class declares."""
    n_values, n_classes = model.encoder_.n_values.tolist(), len(model.classes_)
    lengths: dict[Any, Any] = {"attributes": len(n_values), "classes": n_classes, "values": n_values}
    model.counts_, model.weights_ = _counts_of(file, lengths), _joined(WEIGHT, file, lengths)
    model.model_ = _model_of(file, model, lengths)
    for field in model.declaration.fields:
        setattr(model, field.name, _fitted_of(field, file, model, lengths))


def edited_of(model: BaseNB) -> Edited:
    """Return the edits of a model, and its scores."""
    scores, pairs = plain_numbers(model.table_), [plain_numbers(effects) for effects in model.pair_effects_]
    adds = [scores[start : end - 1] for start, end in pairwise(model.counts_.offsets.tolist())]
    edits, starts = list(model.edits_), plain_numbers(model.class_log_prior_)
    return Edited(edits=edits, starts=starts, adds=adds, pairs=pairs or None)


def _columns_of(model: BaseNB) -> list[Any]:
    """Return the columns of a model: how each is coded, and what was learned of it."""
    counts, grids, kinds = model.counts_, model.model_.grids, column_types(type(model))
    fields = [field for field in model.declaration.fields if field.of_columns]
    learned: dict[FittedField, Any] = {field: getattr(model, field.name) for field in fields} | {
        WEIGHT: model.weights_,
        COUNTS: counts.values,
        SKIPPED: counts.values[~counts.known],
        ROWS: counts.value_rows if counts.weighted else None,
        ADDS: model.table_,
        GROUPS: grids.groups if len(grids.of) else None,
    }
    entries = {field.saved_as: _split(values, field, counts) for field, values in learned.items() if values is not None}
    columns = []
    for j, attribute in enumerate(model.encoder_.attributes):
        kind, as_coded = entries_of(attribute)
        of_column = {entry: parts[j] for entry, parts in entries.items()}
        if not any(of_column["skipped"]):
            del of_column["skipped"]
        if j not in grids.of:
            of_column.pop("groups", None)
        columns.append(kinds[kind](**as_coded, **of_column))
    return columns


def _split(values: Any, field: FittedField, counts: Counts) -> list[Any]:
    """Return the part of each column, as plain numbers or text."""
    plain = _plain(values, field.kind)
    if field.shape[0] == "attributes":
        return list(plain)
    return [plain[start : end - 1] for start, end in pairwise(counts.offsets.tolist())]


def _joined(field: FittedField, file: Any, lengths: dict[Any, Any], unknown: Any = 0.0) -> Any:
    """Return the parts of all columns as one array, or None if none has the entry; ``unknown`` is for unknown values.

    ``lengths`` are those of the dimensions that are known so far; a further one is added.
    """
    parts, dtype = [getattr(column, field.saved_as) for column in file.columns], DTYPES[field.kind]
    if all(part is None for part in parts):
        return None
    of_cells, arrays = field.shape[0] == "cells", []
    for column, n_values, part in zip(file.columns, lengths["values"], parts, strict=True):
        further = tuple(_length_of(each, part, lengths) for each in field.shape[1:])
        shape = (n_values, *further) if of_cells else further
        part = np.zeros(shape) if part is None and field is SKIPPED else part  # no row was skipped
        arrays.append(as_table(part, shape, f'"{field.saved_as}" of column {shown(column.name)}', dtype))
    if not of_cells:
        return np.array(arrays)
    ends = np.cumsum(lengths["values"])
    return np.insert(np.concatenate(arrays), ends, unknown, axis=0)


def _length_of(dimension: Any, entries: Any, lengths: dict[Any, Any]) -> int:
    """Return the length of a dimension of a shape: a number, a known length, or as long as the entries are."""
    if isinstance(dimension, int):
        return dimension
    return int(lengths.setdefault(dimension, len(entries or ())))


def _counts_of(file: Any, lengths: dict[Any, Any]) -> Counts:
    """Return the counts; rows skipped in a column are counted in its cell for an unknown value."""
    classes, n_classes, n_rows = file.classes, lengths["classes"], file.training.rows
    skipped = _joined(SKIPPED, file, lengths)
    digits = file.training.fingerprint
    counts = Counts(
        np.array(lengths["values"]),
        as_table(classes.counts, (n_classes,), '"counts" of "classes"'),
        _joined(COUNTS, file, lengths, 0.0 if skipped is None else skipped),
        fingerprint=None if digits is None else np.array([int(digits, 16)], dtype=np.uint64),
        rows=None if classes.rows is None else as_table(classes.rows, (n_classes,), '"rows" of "classes"', np.int64),
    )
    rows = _joined(ROWS, file, lengths)
    if rows is not None:  # a file of weighted rows
        rows[~counts.known] = n_rows - counts.per_attribute(rows)
        rows = rows.astype(np.float64)
    elif counts.rows is not None and not counts.weighted:
        rows = counts.values.sum(axis=1)
    return replace(counts, value_rows=rows, pairs=_value_pairs(file, counts))


# --- Fields of no column ---------------------------------------------------------------------------


def _sections_of(model: BaseNB) -> dict[str, dict[str, Any]]:
    """Return the fitted fields that belong to no column: section → entry → value."""
    sections: dict[str, dict[str, Any]] = {}
    for field in model.declaration.fields:
        if not field.of_columns:
            section, entry = field.saved_as.split(".")
            sections.setdefault(section, {})[entry] = _plain(getattr(model, field.name), field.kind)
    return sections


def _plain(values: Any, kind: str) -> Any:
    """Return a fitted field as plain numbers, text and lists; None where the model has none."""
    if values is None or kind == "curve":
        return values and _curve(values)
    return np.asarray(values).tolist() if kind == "text" else plain_numbers(values)


def _curve(curve: AccuracyCurve) -> Curve:
    """Return the accuracy curve, thinned if it has more than ``MAX_STEPS`` steps; the best and widest stay exact."""
    edges, accuracy, is_whole = curve
    if len(accuracy) > MAX_STEPS:
        best = np.flatnonzero(accuracy == accuracy.max())
        widest_first = best[np.argsort(edges[best] - edges[best + 1], kind="stable")]
        (edges, accuracy), is_whole = thinned(edges, accuracy, MAX_STEPS, anchors=edges[widest_first]), False
    return Curve(whole=is_whole, edges=plain_numbers(edges), accuracy=plain_numbers(accuracy))


def _fitted_of(field: FittedField, file: Any, model: BaseNB, lengths: dict[Any, Any]) -> Any:
    """Return a fitted field that the classifier declares; None where the parameters say that there is none."""
    if field.of_columns:
        value: Any = _joined(field, file, lengths)
        where = f'"{field.saved_as}" of the columns'
    else:
        section, entry = field.saved_as.split(".")
        value, where = getattr(getattr(file, section), entry), f'"{entry}" of "{section}"'
    if (value is None) == field.present(model) and not (value is None and field.optional):
        raise inconsistent(f"{where} must {'not be' if value is None else 'be'} null with these options.")
    if value is None or (not field.shape and field.kind != "curve") or field.of_columns:
        return value
    if field.kind == "curve":
        refuse_disorder(value.edges, f'"edges" of {where}')
        accuracy = as_table(value.accuracy, (len(value.edges) - 1,), f'"accuracy" of {where}')
        return AccuracyCurve(np.array(value.edges), accuracy, value.whole)
    if isinstance(field.shape[0], int):
        return tuple(value)
    shape = tuple(_length_of(each, value, lengths) for each in field.shape)
    array = as_table(value, shape, where, DTYPES[field.kind])
    return value if field.kind == "text" else array


# --- Pairs -----------------------------------------------------------------------------------------


def _pairs_of(model: BaseNB) -> list[Pair] | None:
    """Return the pairs of columns that act together, or None if there are none."""
    grids, weights = model.model_.grids, plain_numbers(model.pair_weights_)
    pairs = [
        Pair(
            columns=grids.of[p].tolist(),
            weight=weights[p],
            rows=plain_numbers(grids.rows_of(p)),
            adds=plain_numbers(effects),
        )
        for p, effects in enumerate(model.pair_effects_)
    ]
    return pairs or None


def _model_of(file: Any, model: BaseNB, lengths: dict[Any, Any]) -> AdditiveModel:
    """Return what each value and each pair adds to each class.

    An unknown value adds w · 0, with the sign that zero has there.
    """
    has_effects = any(field.shape[:1] == ("cells",) and field.present(model) for field in model.declaration.fields)
    weights, n_classes = np.zeros_like(model.weights_) if has_effects else model.weights_, lengths["classes"]
    scores = _joined(ADDS, file, lengths, np.multiply.outer(weights, np.zeros(n_classes)))
    starts = as_table(file.classes.starts, (n_classes,), '"starts" of "classes"')
    grids, of_pairs = _grids_of(file, model.counts_) if file.pairs else (NO_PAIRS, scores[:0])
    return AdditiveModel(grids.offsets_after(model.counts_.offsets), np.vstack([scores, of_pairs]), starts, grids)


def _grids_of(file: Any, counts: Counts) -> tuple[PairGrids, FloatArray]:
    """Return the grids of the pairs of a file and their scores: (cells, classes)."""
    n_classes, total = len(counts.classes), float(counts.classes.sum())
    of = np.array([pair.columns for pair in file.pairs], dtype=np.int64)
    for a, b in of.tolist():
        if not a < b < len(file.columns):
            raise inconsistent(f"a pair of columns is {a} and {b}, and must be two of the columns, in their order.")
    groups = [
        _groups(column, int(n), paired=j in of)
        for j, (column, n) in enumerate(zip(file.columns, counts.n_values, strict=True))
    ]
    grids = PairGrids(of, np.concatenate(groups), np.array([each[-1] for each in groups]), counts.offsets)
    scores, rows = list[FloatArray](), list[Any]()
    for pair, shape in zip(file.pairs, grids.shapes.tolist(), strict=True):
        where = " and ".join(shown(file.columns[j].name) for j in pair.columns)
        adds = as_table(pair.adds, (*shape, n_classes), f'"adds" of the pair {where}')
        known = as_table(pair.rows, tuple(shape), f'"rows" of the pair {where}')
        scores += [adds.reshape(-1, n_classes), np.zeros((1, n_classes))]  # unknown values add nothing
        rows += [known.ravel(), [max(total - known.sum(), 0.0)]]
    return replace(grids, rows=np.concatenate(rows)), np.concatenate(scores)


def _groups(column: Any, n_values: int, *, paired: bool) -> IntArray:
    """Return the group of each value of a column, and as the last entry, for unknown values, the number of groups."""
    if not paired:
        return np.zeros(n_values + 1, dtype=np.int64)
    groups = as_table(column.groups, (n_values,), f'"groups" of column {shown(column.name)}', np.int64)
    return np.append(groups, groups.max(initial=-1) + 1)


def _value_pairs_of(counts: Counts) -> list[Any] | None:
    """Return, for each value of each column and for an unknown one, its counts with the values of the columns after it.

    Only models that need them to take in new rows have them.
    """
    if counts.pairs is None or len(counts.pairs) > MAX_PAIR_CELLS:
        return None
    return [plain_numbers(row[start:]) for row, start in zip(counts.pairs, _ends(counts), strict=True)]


def _ends(counts: Counts) -> list[int]:
    """Return, for each cell, the number of cells up to the end of its column."""
    return list(np.repeat(counts.offsets[1:], counts.n_values + 1).tolist())


def _value_pairs(file: Any, counts: Counts) -> FloatArray | None:
    """Return the counts of pairs of values, (cells, cells), if the file has them."""
    if file.value_pairs is None:
        return None
    cells = len(counts.values)
    if not len(file.value_pairs) == cells <= MAX_PAIR_CELLS:
        raise inconsistent(
            f'"value_pairs" must be {cells} lists, at most {MAX_PAIR_CELLS}, not {len(file.value_pairs)}.'
        )
    pairs = np.zeros((cells, cells))
    for cell, (start, row) in enumerate(zip(_ends(counts), file.value_pairs, strict=True)):
        pairs[cell, start:] = as_table(row, (cells - start,), f'list {cell} of "value_pairs"')
    return pairs
