"""A fitted model as the document of its file, and back: every type, length and sum is checked, nothing is executed.

A file names its classifier, which is looked up in a fixed table; all else in it is data.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET
from sklearn.utils.validation import check_is_fitted

from atfnb._files import write_whole
from atfnb._version import __version__
from atfnb.classifiers import BaseNB, WeightedNB
from atfnb.editing import EditError
from atfnb.encoding import TableEncoder
from atfnb.model_file.columns import attribute_of, edited_of, learned_of, set_learned
from atfnb.model_file.structs import (
    CLASSES,
    CLASSIFIERS,
    EDITS_FORMAT,
    FORMAT,
    VERSION,
    Edited,
    EditsFile,
    Named,
    Size,
    Versioned,
    file_type,
    saved_parameters,
    training_type,
)
from atfnb.model_file.text import RefusedError, converted, inconsistent, laid_out, parsed, shown
from atfnb.model_file.values import class_array, class_type, option, plain_numbers, plain_option

SCORING = (
    *("encode", "_evidence", "_set_weights", "contributions"),
    *("predict", "predict_joint_log_proba", "predict_log_proba", "predict_proba"),
)
"""The methods that a class of the user's must not override, so that its weights are all there is to save."""
NAMED = {"relevance", "redundancy", "weights"}
"""The parameters that may be functions, or the names of indexes that only the program that trained has registered."""


def save(
    model: BaseNB,
    path: str | Path,
    *,
    target: str | None = None,
    source: str | None = None,
    missing_marks: Sequence[str] | None = None,
    forms: Mapping[str, str] | None = None,
    class_spelling: Sequence[str] | None = None,
    fit: Mapping[str, float] | None = None,
    rare_classes: Mapping[str, Any] | None = None,
) -> None:
    """Write a fitted model to a file, whole or not at all.

    Parameters
    ----------
    model : a fitted classifier
        One of those that ``atfnb`` has; or one of your own, which is saved as a :class:`~atfnb.WeightedNB` with its
        weights, unless its class changes how joint log-likelihoods are made.
    path : str or Path
        The file. If it exists, it is replaced.
    target : str, optional
        The name of the column with the class, for the record.
    source : str, optional
        The file that the model was trained on, for the record.
    missing_marks : list of str, optional
        The texts that marked a missing value in that file, if not the usual ones: ``atfnb predict`` uses them for new
        files.
    forms : dict of str to str, optional
        The columns whose numbers had a sign, a unit or thousands separators in that file, and the sign of each, "" for
        none: ``atfnb predict`` uses them for new files.
    class_spelling : list of str, optional
        The classes as that file spells them, in the order of ``classes_``: ``atfnb predict`` writes them so.
    fit : dict of str to float, optional
        The "accuracy", "log_loss" and "calibration_error" of the model on the rows that it was trained on, as
        :func:`atfnb.evaluation.measure_fit` finds them: ``atfnb drift`` compares new rows with them.
    rare_classes : dict, optional
        The classes of that file with few rows, ``"names"``, and ``"into"``, the class that they count as, or None if
        their rows were left out: ``atfnb test`` and ``atfnb report`` do the same with new files.

    Raises
    ------
    ValueError
        With the reason, if the model cannot be saved. The file is then left as it was.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from atfnb.classifiers import NB
    >>> model = NB().fit([[1.0, "red"], [2.0, "blue"]], ["no", "yes"])
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder, "model.json"), target="answer")
    ...     again = load(Path(folder, "model.json"))
    >>> again.predict([[1.1, "red"]]), again.training_["target"]
    (array(['no'], dtype='<U3'), 'answer')
    """
    record: dict[str, Any] = {"target": target, "source": source, "missing_marks": missing_marks, "forms": forms}
    record |= {"class_spelling": class_spelling, "fit": fit, "rare_classes": rare_classes}
    write_whole(Path(path), to_bytes(to_document(model, **record)), lasting=True)


def load(path: str | Path) -> BaseNB:
    """Read a model from a file. Nothing in the file is executed, and everything in it is checked.

    Parameters
    ----------
    path : str or Path
        A file written by :func:`save`.

    Returns
    -------
    model
        The fitted classifier; its ``training_`` describes how it was trained.

    Raises
    ------
    ValueError
        With the reason, if the file is not a model, was cut off or changed, is of a newer version, or is inconsistent.
    OSError
        If the file cannot be read.

    Examples
    --------
    See :func:`save`.
    """
    return from_bytes(*_read(Path(path)))


def _read(path: Path) -> tuple[bytes, str]:
    """Return the content of a file, and how a refusal names the file."""
    name = path.name or str(path)
    try:
        return path.read_bytes(), name
    except OSError as error:
        raise type(error)(f"{name} cannot be read: {error.strerror or error}.") from None


def read_edits(path: str | Path) -> EditsFile:
    """Read the edits in a file: one that the report page, or a person, wrote; or the file of an edited model.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    EditsFile
        With the ``edits``, and in ``model`` the fingerprint of the training rows of the model that they were made for.

    Raises
    ------
    ValueError
        With the reason, if the file holds no edits.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> edit = {"do": "smooth", "column": "age", "reason": "it is noise"}
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "edits.json")
    ...     _ = path.write_text(json.dumps({"format": "atfnb-edits", "version": 1, "edits": [edit]}))
    ...     print(read_edits(path).edits[0].what)
    smooth 'age'
    """
    content, name = _read(Path(path))
    try:
        document = parsed(content, "atfnb-edits file")
        form = document.get("format") if isinstance(document, dict) else document
        if form == FORMAT:
            model = from_document(document, name)
            return EditsFile(format=EDITS_FORMAT, version=1, model=model.fingerprint_, edits=list(model.edits_))
        if form != EDITS_FORMAT:
            raise RefusedError(f'holds no edits: its "format" must be "{EDITS_FORMAT}", not {shown(form)}.')
        return converted(document, EditsFile)  # type: ignore[no-any-return]
    except RefusedError as problem:
        raise ValueError(f"{name} {problem}") from None


def to_bytes(document: dict[str, Any]) -> bytes:
    """Return the content of the file of a document."""
    text = laid_out(document) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        near = shown(text[max(error.start - 20, 0) : error.end])
        raise ValueError(f"the model cannot be saved: its text {near} contains half of a surrogate pair.") from None


def from_bytes(content: bytes, name: str = "the file") -> BaseNB:
    """Return the model in the content of a file; ``name`` is how a refusal names the file."""
    try:
        document = parsed(content)
    except RefusedError as problem:
        raise ValueError(f"{name} {problem}") from None
    return from_document(document, name)


# --- From the model to the document ----------------------------------------------------------------


def to_document(model: BaseNB, **record: Any) -> dict[str, Any]:
    """Return a fitted model as a dict of plain numbers, text, lists and dicts: what :func:`~atfnb.save` writes.

    Parameters
    ----------
    model : a fitted classifier
        One of those that ``atfnb`` has; or one of your own, which is saved as a :class:`~atfnb.WeightedNB` with its
        weights, unless its class changes how joint log-likelihoods are made.
    **record
        What is recorded about the training, by the names of the parameters of :func:`~atfnb.save`.

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
    edited = None
    if isinstance(model, BaseNB) and model.learned_ is not None:
        model, edited = model.learned_, edited_of(model)
    if CLASSIFIERS.get(type(model).__name__) is not type(model):
        model = _as_weighted(model)
    check_is_fitted(model)
    counts, n_values, kind = model.counts_, model.encoder_.n_values, file_type(type(model))
    file = kind(
        format=FORMAT,
        version=VERSION,
        classifier=type(model).__name__,
        size=Size(len(n_values), len(model.classes_), int(n_values.sum())),
        checksum="",
        training=_training(model, record),
        classes=CLASSES[class_type(model.classes_)](
            names=model.classes_.tolist(),
            counts=plain_numbers(counts.classes),
            rows=None if counts.rows is None else counts.rows.tolist(),
            starts=plain_numbers(model.model_.log_prior),
        ),
        named_columns=hasattr(model, "feature_names_in_"),
        **learned_of(model),
        edited=edited,
    )
    document: dict[str, Any] = msgspec.to_builtins(file)
    document["columns"] = [{"name": column.pop("name"), **column} for column in document["columns"]]  # before "kind"
    document["checksum"] = "0" * 16
    try:
        document["checksum"] = checksum(converted(document, kind))
    except RefusedError as problem:
        raise ValueError(f"the model cannot be saved, as it {problem}") from None
    return document


def checksum(file: Any) -> str:
    """Return a hash of all entries of a file by which it predicts: of all but itself and the record of the training.

    Of the record, only the parameters are in it. Numbers are hashed as Python writes them, after they have been read
    as the types of the file: 1 and 1.0 are one number.
    """
    document = msgspec.to_builtins(file)
    document |= {"checksum": None, "training": document["training"]["options"]}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]


def _as_weighted(model: BaseNB) -> WeightedNB:
    """Return a WeightedNB with the weights of a class that is not of this library, and with its name as their origin.

    The joint log-likelihoods of a fitted model follow from its encoder, its counts and its weights. So the file needs
    no class that it could only name, and loading it imports nothing.
    """
    kind = type(model)
    if not isinstance(model, BaseNB):
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
    weighted.__dict__ |= {name: fitted for name, fitted in vars(model).items() if name.endswith("_")}
    return weighted


def _training(model: BaseNB, given: Mapping[str, Any]) -> Any:
    """Return how the model was trained: for a loaded model what its file says, updated with what is given now."""
    recorded = {"target": None, "source": None, "missing_marks": None, **model.training_record}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    options = {name: plain_option(getattr(model, name)) for name in sorted(saved_parameters(type(model)))}
    # a function that loading has turned into its name is recorded as a function again
    same = {n: node for n, node in recorded.get("options", {}).items() if plain_option(option(node, n)) == options[n]}
    given = {name: value for name, value in given.items() if value or (value is not None and name in recorded)}
    known = {"date": now, "library": __version__, **recorded, **given}
    known |= {
        "rows": int(model.n_rows_),
        "weight": plain_numbers(model.counts_.classes.sum()),
        "fingerprint": model.fingerprint_,
        "options": options | same,
    }
    return training_type(type(model))(**known)


# --- From the document to the model ----------------------------------------------------------------


def from_document(document: Any, name: str = "the document") -> BaseNB:
    """Return the fitted model that a document of :func:`to_document` describes.

    Parameters
    ----------
    document : dict
        Plain numbers, text, lists and dicts.
    name : str
        How the sentence that refuses the document names it.

    Returns
    -------
    model
        The fitted classifier.

    Examples
    --------
    >>> from_document({"version": 3})
    Traceback (most recent call last):
    ...
    ValueError: the document is not an atfnb model: its "format" must be "atfnb model", not null.
    """
    try:
        classifier = _classifier(document)
        file = converted(document, file_type(classifier))
        with np.errstate(over="ignore"):
            model: BaseNB = _model(classifier, file)
            _check_sums(file, model)
            model.training_ = dict(document["training"])
            model = model if file.edited is None else _edited(model, file.edited)
        if file.checksum not in (None, checksum(file)):
            raise RefusedError(
                'was changed after it was saved, as its "checksum" says: use the file as it was, or delete that entry '
                "to use it as it is."
            )
    except RefusedError as problem:
        raise ValueError(f"{name} {problem}") from None
    return model


def _classifier(document: Any) -> type[BaseNB]:
    """Return the class that a document names, if it is a document of this program, of a version that it reads."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else document
        raise RefusedError(f'is not an atfnb model: its "format" must be "{FORMAT}", not {shown(found)}.')
    version = converted(document, Versioned).version
    if version > VERSION:
        raise RefusedError(f"is of version {version}, and this atfnb reads version {VERSION}: install a newer atfnb.")
    return CLASSIFIERS[converted(document, Named).classifier]


def _model(classifier: type[BaseNB], file: Any) -> Any:
    """Return the model of a file whose entries are of the declared types."""
    model: Any = classifier(**_parameters(classifier, file.training.options))
    try:
        model.check_parameters(*(name for name in model.parameter_checks if name not in NAMED))
    except ValueError as error:
        raise inconsistent(str(error)) from None
    model.n_rows_ = file.training.rows
    model.classes_ = class_array(file.classes)
    model.encoder_ = TableEncoder(tuple(map(attribute_of, file.columns)))
    spelled, rare = file.training.class_spelling, file.training.rare_classes
    if spelled is not None and len(spelled) != len(model.classes_):
        raise inconsistent(f"it spells {len(spelled)} classes, and has {len(model.classes_)}.")
    if rare is not None and rare.into is not None and rare.into not in model.classes_.tolist():
        raise inconsistent(f"its rare classes count as {shown(rare.into)}, which is none of its classes.")
    _set_names(model, file.named_columns)
    set_learned(model, file)
    return model


def _edited(model: Any, edited: Edited) -> Any:
    """Return a model with the edits of its file; refuse other scores than those that the edits give."""
    try:
        replayed = model.replayed(edited.edits)
    except EditError as problem:
        raise inconsistent(str(problem)) from None
    if edited_of(replayed) != edited:
        raise inconsistent('its "edits" give other scores than those that it holds.')
    return replayed


def _parameters(classifier: type[BaseNB], options: Any) -> dict[str, Any]:
    """Return the parameters of the classifier; one that an older file lacks has the value of that version."""
    found: dict[str, Any] = {}
    for name, parameter in saved_parameters(classifier).items():
        node, default = getattr(options, name), parameter.default
        found[name] = (
            classifier.declaration.earlier.get(name, default) if node is UNSET else option(node, f'the option "{name}"')
        )
        if isinstance(default, tuple) and found[name] == list(default):
            found[name] = default  # JSON knows no tuples
    return found


def _set_names(model: Any, named: bool) -> None:
    """Set the names of the columns, as scikit-learn keeps them, if the table had any."""
    names = model.encoder_.sources
    model.n_features_in_ = len(names)
    if named:
        own = Counter(attribute.name for attribute in model.encoder_.attributes)
        if twice := [name for name, times in own.items() if times > 1]:
            raise inconsistent(f"two columns are named {shown(twice[0])}.")
        model.feature_names_in_ = np.array(names, dtype=object)


def _check_sums(file: Any, model: BaseNB) -> None:
    """Check that every row is counted once in each column, and has a class."""
    counts, names = model.counts_, model.classes_.tolist()
    total = float(counts.classes.sum())
    if abs(file.training.weight - total) > 1e-12 * total:
        raise inconsistent("the weight of the training rows is not the sum of the counts of the classes.")
    if counts.rows is not None and counts.rows.sum() != model.n_rows_:
        raise inconsistent(f"the rows of the classes add up to {counts.rows.sum()}, and it has {model.n_rows_} rows.")
    sums = counts.per_attribute(counts.values)  # (attributes, classes)
    for j, c in np.argwhere(np.abs(sums - counts.classes) > 1e-12 * total):
        raise inconsistent(
            f"the counts of column {shown(file.columns[j].name)} for class {shown(names[c])} add up to "
            f"{sums[j, c]:.15g}, and the class has {counts.classes[c]:.15g}."
        )
    if counts.value_rows is not None and (counts.value_rows < 0).any():
        raise inconsistent(f"a column has more rows than the {model.n_rows_} that it was trained on.")
