"""A document as a file, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from atfnb._files import write_whole
from atfnb.classifiers import BaseNB
from atfnb.model_file.document import FORMAT, to_document
from atfnb.model_file.layout import laid_out
from atfnb.model_file.nodes import RefusedError, shown
from atfnb.model_file.reading import from_document


def save(
    model: BaseNB,
    path: str | Path,
    *,
    target: str | None = None,
    source: str | None = None,
    missing_marks: Sequence[str] | None = None,
    forms: Mapping[str, str] | None = None,
    class_spelling: Sequence[str] | None = None,
) -> None:
    """Write a fitted model to a file, whole or not at all.

    Parameters
    ----------
    model : a fitted classifier
        One of those that ``atfnb`` has; or one of your own, which is saved as a :class:`~atfnb.WeightedNB` with the
        same weights, unless its class changes how scores are made, or is derived from :class:`~atfnb.FusionNB`.
    path : str or Path
        The file; one that is there is replaced.
    target : str, optional
        The name of the column with the class, for the record.
    source : str, optional
        The file that the model was trained on, for the record.
    missing_marks : list of str, optional
        What a missing cell held in that file, if not the usual: ``atfnb predict`` reads new files in the same way.

    forms : dict of str to str, optional
        The columns whose numbers had a sign, a unit or thousands separators in that file, and the sign of each, "" for
        none: ``atfnb predict`` reads new files in the same way.
    class_spelling : list of str, optional
        The classes as that file spells them, in the order of ``classes_``: ``atfnb predict`` writes them so.

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
    document = to_document(
        model, target=target, source=source, missing_marks=missing_marks, forms=forms, class_spelling=class_spelling
    )
    write_whole(Path(path), to_bytes(document), lasting=True)


def to_bytes(document: dict[str, Any]) -> bytes:
    """The content of the file."""
    text = laid_out(document) + "\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        near = shown(text[max(error.start - 20, 0) : error.end])
        raise ValueError(f"the model cannot be saved: its text {near} holds half a character.") from None


def load(path: str | Path) -> BaseNB:
    """Read a model from a file. Nothing in the file is executed, and everything in it is checked.

    Parameters
    ----------
    path : str or Path
        A file written by :func:`save`.

    Returns
    -------
    model
        The fitted classifier; its ``training_`` tells how it was trained.

    Raises
    ------
    ValueError
        With the reason, if the file is not a model, was cut off, is of a newer version, or is inconsistent.
    OSError
        If the file cannot be read.
    """
    path = Path(path)
    name = path.name or str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise type(error)(f"{name} cannot be read: {error.strerror or error}.") from None
    return from_bytes(content, name)


def from_bytes(content: bytes, name: str = "the file") -> BaseNB:
    """The model in the content of a file; ``name`` is what the file is called if it is refused."""
    try:
        document = _parse(content)
    except RefusedError as problem:
        raise ValueError(f"{name} {problem}") from None
    return from_document(document, name)


def _parse(content: bytes) -> Any:
    """The JSON of a file."""
    if not content.strip():
        raise RefusedError("is empty: save the model again.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            raise RefusedError("was cut off: it ends in the middle of a character.") from None
        raise RefusedError("is not an atfnb model: it is not text in UTF-8.") from None
    try:
        return json.loads(text, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        raise _no_json(text.rstrip(), error) from None
    except RecursionError:
        raise RefusedError("is not an atfnb model: it is nested too deep.") from None
    except RefusedError:
        raise
    except ValueError:  # Python reads no whole number of many thousands of digits
        raise RefusedError("is not an atfnb model: it holds a number of thousands of digits.") from None


def _without_repetition(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    together = dict(entries)
    if len(together) < len(entries):
        names = [name for name, _ in entries]
        twice = next(name for name in names if names.count(name) > 1)
        raise RefusedError(f"has {shown(twice)} twice in one object: keep one of them.")
    return together


def _no_json(text: str, error: json.JSONDecodeError) -> RefusedError:
    """Why a text is no JSON: it stops too early, was damaged, or never was any."""
    place = f"line {error.lineno}, column {error.colno}"
    if text.lstrip().startswith("{") and (not text.endswith("}") or error.pos >= len(text)):
        return RefusedError(f"was cut off: it ends at line {text.count(chr(10)) + 1}, before it is complete.")
    if text.lstrip().startswith("{") and f'"{FORMAT}"' in text[:200]:
        return RefusedError(f"is damaged: it is not JSON at {place}.")
    return RefusedError(f"is not an atfnb model: it is not JSON at {place}.")
