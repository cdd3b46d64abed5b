"""Model → plain dict, as it stands in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from inspect import signature
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._version import __version__
from atfnb.classifiers import ATFNB, CFW, DFW, KLNB, NB, WNB, BaseNB, CFWBeta, FusionNB, WeightedNB
from atfnb.encoding import Attribute, NumericAttribute
from atfnb.model_file import beta, fusion
from atfnb.model_file.checks import check
from atfnb.model_file.values import (
    class_type,
    option,
    plain_category,
    plain_number,
    plain_numbers,
    plain_option,
)

FORMAT = "atfnb model"
VERSION = 1
CLASSIFIERS: dict[str, type[BaseNB]] = {
    kind.__name__: kind for kind in (NB, WNB, KLNB, DFW, CFW, CFWBeta, ATFNB, FusionNB, WeightedNB)
}
"""The only classes that a file can name."""
SCORING = (
    *("_codes", "_set_weights", "contributions"),
    *("predict", "predict_joint_log_proba", "predict_log_proba", "predict_proba"),
)
"""What a class of one's own must leave as it is, so that its weights are all there is to save."""
FITTED = (
    *("classes_", "encoder_", "counts_", "weights_", "model_"),
    *("n_rows_", "n_features_in_", "feature_names_in_", "training_"),
)
"""What every fitted classifier has, the last two not always."""


def to_document(
    model: BaseNB,
    *,
    target: str | None = None,
    source: str | None = None,
    missing_marks: Sequence[str] | None = None,
    forms: Mapping[str, str] | None = None,
    class_spelling: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A fitted model as a dict of plain numbers, texts, lists and dicts: what :func:`save` writes.

    Parameters
    ----------
    model : a fitted classifier
        One of those that ``atfnb`` has; or one of your own, which is saved as a :class:`~atfnb.WeightedNB` with the
        same weights, unless its class changes how scores are made, or is derived from :class:`~atfnb.FusionNB`.
    target : str, optional
        The name of the column with the class.
    source : str, optional
        The file that the model was trained on.
    missing_marks : list of str, optional
        What a missing cell held in that file, if not the usual.
    forms : dict of str to str, optional
        The columns whose numbers had a sign, a unit or thousands separators in that file, and the sign of each.
    class_spelling : list of str, optional
        The classes as that file spells them, in the order of ``classes_``.

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
    told = {"forms": dict(forms or {}), "class_spelling": list(class_spelling or ())}
    marks = None if missing_marks is None else list(missing_marks)
    try:
        check(model)
    except ValueError as error:
        raise ValueError(f"the model cannot be saved as it is inconsistent: {error}") from None
    return {
        "format": FORMAT,
        "version": VERSION,
        "classifier": type(model).__name__,
        "size": _size(model),
        "training": _training(model, {"target": target, "source": source, "missing_marks": marks}, told),
        "classes": _classes(model),
        **({"beta": beta.part(model)} if isinstance(model, ATFNB) else {}),
        **({"fusion": fusion.part(model)} if isinstance(model, FusionNB) else {}),
        "named_columns": hasattr(model, "feature_names_in_"),
        "columns": [_column(model, j) for j in range(model.n_features_in_)],
    }


def _as_weighted(model: BaseNB) -> WeightedNB:
    """Return a WeightedNB with the weights of a class that is not of this library, and with its name as their origin.

    The scores of a fitted model follow from its encoder, its counts and its weights. So the file needs no class that
    it could only name, and loading it imports nothing.
    """
    kind = type(model)
    if not isinstance(model, BaseNB) or isinstance(model, FusionNB):
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


def _size(model: BaseNB) -> dict[str, int]:
    """How much of everything there is in the file."""
    values = int(model.encoder_.n_values.sum())
    return {"columns": len(model.encoder_.attributes), "classes": len(model.classes_), "values": values}


def _training(model: BaseNB, told: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """How the model was trained; of a model that was loaded, what its file says, but for what is told now."""
    record = model.training_record
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "rows": int(model.n_rows_),
        "weight": plain_number(model.counts_.classes.sum()),
        **({} if model.fingerprint_ is None else {"fingerprint": model.fingerprint_}),
        "date": record.get("date", now),
        "library": record.get("library", __version__),
        **{name: record.get(name) if value is None else value for name, value in told.items()},
        **{name: given for name, value in optional.items() if (given := value or record.get(name))},
        "options": _options(model, record.get("options", {})),
    }


def _options(model: BaseNB, recorded: dict[str, Any]) -> dict[str, Any]:
    """The parameters; what was a function once, and is now its name, is still told as a function."""
    options = {name: plain_option(value) for name, value in model.get_params(deep=False).items()}
    same = {n: node for n, node in recorded.items() if plain_option(option(node, n)) == options[n]}
    return options | same


def _classes(model: BaseNB) -> dict[str, Any]:
    return {
        "type": class_type(model.classes_),
        "names": model.classes_.tolist(),
        "counts": plain_numbers(model.counts_.classes),
        **({} if model.counts_.rows is None else {"rows": model.counts_.rows.tolist()}),
        "starts": plain_numbers(model.class_log_prior_),
    }


def _column(model: BaseNB, j: int) -> dict[str, Any]:
    """One attribute: how it is coded, how much it counts, what was counted and what its values add."""
    attribute, counts = model.encoder_.attributes[j], model.counts_
    rows = slice(int(counts.offsets[j]), int(counts.offsets[j + 1]) - 1)
    skipped = counts.values[rows.stop]
    column = _coding(attribute) | {"weight": plain_number(model.weights_[j])}
    if isinstance(model, (ATFNB, CFW)):
        column |= {"relevance": plain_number(model.relevance_[j]), "redundancy": plain_number(model.redundancy_[j])}
    if isinstance(model, FusionNB):
        column["indexes"] = plain_numbers(model.index_matrix_[j])
    column["counts"] = plain_numbers(counts.values[rows])
    if np.any(skipped):
        column["skipped"] = plain_numbers(skipped)
    column["adds"] = plain_numbers(model.table_[rows])
    if isinstance(model, FusionNB) and model.value_effects_ is not None:
        column["effects"] = plain_numbers(model.value_effects_[rows])
    return column


def _coding(attribute: Attribute) -> dict[str, Any]:
    """How an attribute is coded."""
    coding: dict[str, Any] = {"name": attribute.name}
    if isinstance(attribute, NumericAttribute):
        coding |= {"kind": "number", "cuts": plain_numbers(attribute.cuts)}
        if attribute.whole is not None:
            coding["whole"] = list(attribute.whole)
    else:
        categories = [plain_category(category, attribute.name) for category in attribute.categories]
        coding |= {"kind": "categories", "categories": categories}
    return coding | {"missing": _missing(attribute)}


def _missing(attribute: Attribute) -> int | str:
    """Where a missing cell goes: the number of a value, a value of its own, or nowhere."""
    if attribute.missing_code < attribute.n_known:
        return attribute.missing_code
    return "skip" if attribute.missing_code == attribute.unknown else "value"
