"""A document as a file that a person can read, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from atfnb._files import write_whole
from atfnb.classifiers import BaseNB
from atfnb.model_file.reading import from_document
from atfnb.model_file.refusals import RefusedError, shown
from atfnb.model_file.structs import FORMAT
from atfnb.model_file.writing import to_document


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
        :func:`atfnb.evaluation.measuring_fit` finds them: ``atfnb drift`` compares new rows with them.
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
    document = to_document(
        model,
        target=target,
        source=source,
        missing_marks=missing_marks,
        forms=forms,
        class_spelling=class_spelling,
        fit=fit,
        rare_classes=rare_classes,
    )
    write_whole(Path(path), to_bytes(document), lasting=True)


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
        With the reason, if the file is not a model, was cut off, is of a newer version, or is inconsistent.
    OSError
        If the file cannot be read.

    Examples
    --------
    See :func:`save`.
    """
    path = Path(path)
    name = path.name or str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise type(error)(f"{name} cannot be read: {error.strerror or error}.") from None
    return from_bytes(content, name)


# --- writing ---------------------------------------------------------------------------------------


def to_bytes(document: dict[str, Any]) -> bytes:
    """Return the content of the file of a document."""
    text = laid_out(document) + "\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        near = shown(text[max(error.start - 20, 0) : error.end])
        raise ValueError(f"the model cannot be saved: its text {near} contains half of a surrogate pair.") from None


def laid_out(document: Any, indent: str = "") -> str:
    """Return JSON that a person can read: objects and lists of lists are spread over lines, lists of values are not.

    >>> print(laid_out({"name": "age", "cuts": [1, 2.5], "counts": [[3, 0], [1, 1]]}))
    {
      "name": "age",
      "cuts": [1, 2.5],
      "counts": [
        [3, 0],
        [1, 1]
      ]
    }
    """
    deeper = f"{indent}  "
    if isinstance(document, dict) and not _is_single(document):
        entries = (f"{_compact(key)}: {laid_out(value, deeper)}" for key, value in document.items())
        return _spread("{", entries, "}", indent)
    if isinstance(document, list) and any(_is_spread(entry) for entry in document):
        return _spread("[", (laid_out(entry, deeper) for entry in document), "]", indent)
    return _compact(document)


_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _spread(opening: str, entries: Iterable[str], closing: str, indent: str) -> str:
    inside = f",\n{indent}  ".join(entries)
    return f"{opening}\n{indent}  {inside}\n{indent}{closing}"


def _is_single(node: dict[str, Any]) -> bool:
    """Return whether an object represents a single value, such as {"decimal": "0.1"}."""
    return len(node) == 1 and all(isinstance(value, str) for value in node.values())


def _is_spread(node: Any) -> bool:
    return isinstance(node, list) or (isinstance(node, dict) and not _is_single(node))


# --- reading ---------------------------------------------------------------------------------------


def from_bytes(content: bytes, name: str = "the file") -> BaseNB:
    """Return the model in the content of a file; ``name`` is how a refusal names the file."""
    try:
        document = _parse(content)
    except RefusedError as problem:
        raise ValueError(f"{name} {problem}") from None
    return from_document(document, name)


def _parse(content: bytes) -> Any:
    """Return the JSON of a file."""
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
    """Return why a text is not JSON: it stops too early, was damaged, or never was any."""
    if text.lstrip().startswith("{") and (not text.endswith("}") or error.pos >= len(text)):
        return RefusedError(f"was cut off: it ends at line {text.count(chr(10)) + 1}, before it is complete.")
    position = f"line {error.lineno}, column {error.colno}"
    if text.lstrip().startswith("{") and f'"{FORMAT}"' in text[:200]:
        return RefusedError(f"is damaged: it is not JSON at {position}.")
    return RefusedError(f"is not an atfnb model: it is not JSON at {position}.")
