"""A document as text: an entry of an object on a line, a row of a table on a line."""

from __future__ import annotations

import json
from typing import Any


def laid_out(document: Any, indent: str = "") -> str:
    """JSON that a person can read: objects and lists of lists are spread over lines, lists of values are not.

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
    if isinstance(document, dict) and not _is_word(document):
        entries = (f"{_compact(key)}: {laid_out(value, deeper)}" for key, value in document.items())
        return _spread("{", entries, "}", indent)
    if isinstance(document, list) and any(_is_spread(entry) for entry in document):
        return _spread("[", (laid_out(entry, deeper) for entry in document), "]", indent)
    return _compact(document)


def _spread(opening: str, entries: Any, closing: str, indent: str) -> str:
    inside = f",\n{indent}  ".join(entries)
    return f"{opening}\n{indent}  {inside}\n{indent}{closing}"


def _is_word(node: dict[str, Any]) -> bool:
    """Whether an object stands for a single value, as {"decimal": "0.1"} does."""
    return len(node) == 1 and all(isinstance(value, str) for value in node.values())


def _is_spread(node: Any) -> bool:
    return isinstance(node, list) or (isinstance(node, dict) and not _is_word(node))


def _compact(node: Any) -> str:
    return json.dumps(node, ensure_ascii=False, allow_nan=False)
