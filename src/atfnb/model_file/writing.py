"""From a fitted model to the document of its file: a dict of plain numbers, text, lists and dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from inspect import signature
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET
from sklearn.utils.validation import check_is_fitted

from atfnb._version import __version__
from atfnb.classifiers import AccuracyCurve, BaseNB, FittedField, WeightedNB
from atfnb.encoding import Attribute, NumericAttribute
from atfnb.model_file.checks import check_consistency
from atfnb.model_file.pairs import MAX_PAIR_CELLS
from atfnb.model_file.structs import (
    CLASSIFIERS,
    FORMAT,
    VERSION,
    Classes,
    Curve,
    Fit,
    Pair,
    Size,
    column_types,
    file_type,
)
from atfnb.model_file.values import class_type, option, plain_category, plain_number, plain_numbers, plain_option
from atfnb.switching import thinned

MAX_STEPS = 10_000
"""The largest number of steps of a curve in a file; a curve of more is thinned."""
SCORING = (
    *("_codes", "_set_model", "_set_weights", "contributions"),
    *("predict", "predict_joint_log_proba", "predict_log_proba", "predict_proba"),
)
"""The methods that a class of the user's must not override, so that its weights are all there is to save."""
FITTED = (
    *("classes_", "encoder_", "counts_", "weights_", "model_"),
    *("n_rows_", "n_features_in_", "feature_names_in_", "training_"),
)
"""The attributes of every fitted classifier; the last two may be absent."""


def to_document(
    model: BaseNB,
    *,
    target: str | None = None,
    source: str | None = None,
    missing_marks: Sequence[str] | None = None,
    forms: Mapping[str, str] | None = None,
    class_spelling: Sequence[str] | None = None,
    fit: Mapping[str, float] | None = None,
    rare_classes: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a fitted model as a dict of plain numbers, text, lists and dicts: what :func:`~atfnb.save` writes.

    Parameters
    ----------
    model : a fitted classifier
        One of those that ``atfnb`` has; or one of your own, which is saved as a :class:`~atfnb.WeightedNB` with its
        weights, unless its class changes how joint log-likelihoods are made.
    target, source, missing_marks, forms, class_spelling, fit, rare_classes
        What is recorded about the training: see :func:`~atfnb.save`.

    Returns
    -------
    dict
        The document that docs/model-format.md describes; :func:`from_document` turns it into the model again.

    Examples
    --------
    >>> from atfnb.classifiers import NB
    >>> document = to_document(NB().fit([[1.0], [2.0]], ["no", "yes"]), target="answer")
    >>> document["columns"][0]["cuts"], document["columns"][0]["counts"], document["training"]["target"]
    ([1.5], [[1, 0], [0, 1]], 'answer')
    """
    if CLASSIFIERS.get(type(model).__name__) is not type(model):
        model = _as_weighted(model)
    check_is_fitted(model)
    for value, name in ((target, "target"), (source, "source")):
        if not (value is None or isinstance(value, str)):
            raise ValueError(f"{name} must be text, not a {type(value).__name__}.")
    marks = None if missing_marks is None else list(missing_marks)
    given = {"target": target, "source": source, "missing_marks": marks}
    if fit and set(fit) != set(Fit.__struct_fields__):
        raise ValueError(f"fit must have the entries {', '.join(Fit.__struct_fields__)}, not {', '.join(fit)}.")
    measured = {name: float(value) for name, value in (fit or {}).items()}
    optional = {
        "forms": dict(forms or {}),
        "class_spelling": list(class_spelling or ()),
        "rare_classes": dict(rare_classes or {}),
        "fit": measured,
    }
    try:
        check_consistency(model)
    except ValueError as error:
        raise ValueError(f"the model cannot be saved as it is inconsistent: {error}") from None
    return _document(model, _training(model, given, optional))


def _document(model: BaseNB, training: dict[str, Any]) -> dict[str, Any]:
    """Return the document, its entries in the order of the declared type."""
    kind = file_type(type(model))
    file = kind(
        format=FORMAT,
        version=VERSION,
        classifier=type(model).__name__,
        size=Size.of(model),
        training=training,
        classes=_classes(model),
        named_columns=hasattr(model, "feature_names_in_"),
        columns=_columns(model),
        pairs=_pairs(model),
        value_pairs=_value_pairs(model),
        **_sections(model),
    )
    document: dict[str, Any] = msgspec.to_builtins(file)
    document["columns"] = [{"name": column.pop("name"), **column} for column in document["columns"]]  # before "kind"
    return document


def _as_weighted(model: BaseNB) -> WeightedNB:
    """Return a WeightedNB with the weights of a class that is not of this library, and with its name as their origin.

    The joint log-likelihoods of a fitted model follow from its encoder, its counts and its weights. So the file needs
    no class that it could only name, and loading it imports nothing.
    """
    kind = type(model)
    if not isinstance(model, BaseNB) or kind._scores_again is not BaseNB._scores_again:
        raise ValueError(
            f"a {kind.__name__} cannot be saved; these can: {', '.join(CLASSIFIERS)}, and classes derived from BaseNB "
            "that give one weight per attribute."
        )
    check_is_fitted(model)
    for name in SCORING:
        if getattr(kind, name) is not getattr(BaseNB, name):
            raise ValueError(
                f"a {kind.__name__} cannot be saved, because it has its own {name!r}: a file holds attribute weights "
                "only."
            )
    weighted = WeightedNB(weights=kind, **{name: getattr(model, name) for name in signature(BaseNB).parameters})
    for name in FITTED:
        if hasattr(model, name):
            setattr(weighted, name, getattr(model, name))
    return weighted


# --- the parts of a document -----------------------------------------------------------------------


def _training(model: BaseNB, given: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """Return how the model was trained: for a loaded model what its file says, updated with what is given now."""
    record = model.training_record
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "rows": int(model.n_rows_),
        "weight": plain_number(model.counts_.classes.sum()),
        **({} if model.fingerprint_ is None else {"fingerprint": model.fingerprint_}),
        "date": record.get("date", now),
        "library": record.get("library", __version__),
        **{name: record.get(name) if value is None else value for name, value in given.items()},
        **{name: known for name, value in optional.items() if (known := value or record.get(name))},
        **{name: record[name] for name in ("files", "updates", "counted") if name in record},
        "options": _options(model, record.get("options", {})),
    }


def _options(model: BaseNB, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters; a function that loading has turned into its name is recorded as a function again."""
    options = {name: plain_option(value) for name, value in model.get_params(deep=False).items()}
    same = {n: node for n, node in recorded.items() if plain_option(option(node, n)) == options[n]}
    return options | same


def _classes(model: BaseNB) -> Classes:
    rows = model.counts_.rows
    return Classes(
        type=class_type(model.classes_),
        names=model.classes_.tolist(),
        counts=plain_numbers(model.counts_.classes),
        rows=UNSET if rows is None else rows.tolist(),
        starts=plain_numbers(model.model_.start),
    )


def _sections(model: BaseNB) -> dict[str, dict[str, Any]]:
    """Return the fitted fields that belong to no column: section → entry → value."""
    sections: dict[str, dict[str, Any]] = {}
    for field in model.declaration.fields:
        if not field.of_columns:
            section, entry = field.saved_as.split(".")
            sections.setdefault(section, {})[entry] = _plain_field(model, field)
    return sections


def _plain_field(model: BaseNB, field: FittedField) -> Any:
    """Return a fitted field as plain numbers, text and lists; None where the model has none."""
    value = getattr(model, field.name)
    if value is None:
        return None
    if field.kind == "curve":
        return _curve(value)
    if field.kind == "number":
        return plain_numbers(np.asarray(value, dtype=np.float64)) if field.shape else plain_number(value)
    return np.asarray(value).tolist() if field.shape else value


def _curve(curve: AccuracyCurve) -> Curve:
    """Return the accuracy curve, thinned if it has more than ``MAX_STEPS`` steps; the best and widest stay exact."""
    edges, accuracy, is_whole = curve
    if len(accuracy) > MAX_STEPS:
        best = np.flatnonzero(accuracy == accuracy.max())
        widest_first = best[np.argsort(edges[best] - edges[best + 1], kind="stable")]
        (edges, accuracy), is_whole = thinned(edges, accuracy, MAX_STEPS, anchors=edges[widest_first]), False
    return Curve(whole=is_whole, edges=plain_numbers(edges), accuracy=plain_numbers(accuracy))


# --- columns ---------------------------------------------------------------------------------------


def _columns(model: BaseNB) -> list[Any]:
    """Return the columns: coding, weight, counts and contributions of each."""
    kinds, offsets = column_types(type(model)), model.counts_.offsets.tolist()
    weights, counts, adds = map(plain_numbers, (model.weights_, model.counts_.values, model.model_.scores))
    fitted = {field: _plain_field(model, field) for field in model.declaration.fields if field.of_columns}
    unweighted = model.counts_.value_rows if model.counts_.weighted else None
    columns = []
    for j, attribute in enumerate(model.encoder_.attributes):
        rows = slice(offsets[j], offsets[j + 1] - 1)
        skipped = counts[rows.stop]
        added = {
            field.saved_as: value[j] if field.shape[0] == "attributes" else value[rows]
            for field, value in fitted.items()
            if value is not None
        }
        kind, coding = _coding(attribute)
        column = kinds[kind](
            name=attribute.name,
            missing=_missing(attribute),
            weight=weights[j],
            counts=counts[rows],
            skipped=skipped if any(skipped) else UNSET,
            rows=UNSET if unweighted is None else unweighted[rows].astype(np.int64).tolist(),
            adds=adds[rows],
            groups=_groups(model, j),
            **coding,
            **added,
        )
        columns.append(column)
    return columns


def _groups(model: BaseNB, j: int) -> Any:
    """Return the group of each value of a column, if the column acts together with another."""
    grids = model.model_.grids
    if grids is None or j not in grids.of:
        return UNSET
    return grids.groups[grids.starts[j] : grids.starts[j + 1] - 1].tolist()


def _pairs(model: BaseNB) -> Any:
    """Return the pairs of columns that act together, if there are any."""
    grids, scores = model.model_.grids, model.model_.pair_scores
    if grids is None or scores is None:
        return UNSET
    weights = plain_numbers(model.pair_weights_)
    return [
        Pair(
            columns=grids.of[p].tolist(),
            weight=weights[p],
            rows=plain_numbers(grids.rows_of(p)),
            adds=plain_numbers(grids.table(p, scores)),
        )
        for p in range(len(grids.of))
    ]


def _value_pairs(model: BaseNB) -> Any:
    """Return, for each value of each column and for an unknown one, its counts with the values of the columns after it.

    Only models that need them to take in new rows have them.
    """
    pairs, offsets = model.counts_.pairs, model.counts_.offsets
    if pairs is None or len(pairs) > MAX_PAIR_CELLS:
        return UNSET
    after = np.repeat(offsets[1:], np.diff(offsets)).tolist()
    return [plain_numbers(row[start:]) for row, start in zip(pairs, after, strict=True)]


def _coding(attribute: Attribute) -> tuple[str, dict[str, Any]]:
    """Return the kind of an attribute, and the entries that say how it is coded."""
    part, zone = (UNSET if entry is None else entry for entry in (attribute.part, attribute.zone))
    if isinstance(attribute, NumericAttribute):
        days, first = (attribute.since, str(np.datetime64(attribute.since, "D"))) if part == "date" else (0, UNSET)
        whole = UNSET if attribute.whole is None else [end - days for end in attribute.whole]
        cuts = plain_numbers(attribute.cuts - days)
        return "number", {"part": part, "zone": zone, "since": first, "cuts": cuts, "whole": whole}
    if attribute.part is not None:
        categories: list[Any] = attribute.labels[: len(attribute.categories)]
    else:
        categories = [plain_category(category, attribute.name) for category in attribute.categories]
    more = {"pooled": attribute.pooled or UNSET, "spelling": list(attribute.spelling) or UNSET}
    return "categories", {"part": part, "zone": zone, "categories": categories, **more}


def _missing(attribute: Attribute) -> int | str:
    """Return where a missing value goes: the position of a value, "value" for one of its own, or "skip"."""
    if attribute.missing_code < attribute.n_known:
        return attribute.missing_code
    return "skip" if attribute.missing_code == attribute.unknown else "value"
