"""The header of an ARFF file, the format of WEKA; the rows below it are those of a CSV file."""

from __future__ import annotations

import io
import re

from atfnb.tables.csv_layout import Layout, refuse_duplicates
from atfnb.tables.left_out import Screen

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(\{|\w+)""", re.IGNORECASE)
_NUMBERS, _TEXTS = ("numeric", "real", "integer"), ("{", "string")


def lay_out_arff(text: str, name: str, *, whole: bool) -> Layout | None:
    r"""Return the layout of an ARFF file, from its beginning, or None if the header is cut off.

    Parameters
    ----------
    text : str
        The beginning of the file.
    name : str
        The name of the file, for messages.
    whole : bool
        Whether ``text`` is the whole file.

    Examples
    --------
    >>> text = "@relation r\n@attribute 'my size' real\n@attribute kind {a,b}\n@data\n1,a\n"
    >>> lay_out_arff(text, "r.arff", whole=True)
    Layout(columns=('my size', 'kind'), delimiter=',', decimal='.', header_bytes=66)
    """
    columns, texts, end = list[str](), list[str](), 0
    for line in io.StringIO(text, newline=""):
        end += len(line)
        word = line.strip().lower()
        if word.startswith("@attribute"):
            column, kind = _attribute(line, name)
            columns.append(column)
            texts += [column] if kind in _TEXTS else []
        elif word == "@data":
            break
    else:
        if whole:
            raise ValueError(f"{name} is an ARFF file without a line @data: it needs one, and rows below.")
        return None
    if not columns:
        raise ValueError(f"{name} is an ARFF file without attributes: it needs a line @attribute for each column.")
    refuse_duplicates(tuple(columns), name)
    rows = [line for line in text[end:].splitlines() if line.strip() and not line.startswith("%")]
    if rows and rows[0].lstrip().startswith("{"):
        raise ValueError(f"{name} is a sparse ARFF file: save it as a dense one, or as CSV.")
    quote = "'" if any(re.search(r"(^|,)'", row) for row in rows) else '"'
    values = Screen(words=frozenset(range(len(columns))))  # what such a file declares is a row
    delimiter = "," if len(columns) > 1 else None
    return Layout(tuple(columns), delimiter, ".", len(text[:end].encode()), "\n", values, (), quote, tuple(texts))


def _attribute(line: str, name: str) -> tuple[str, str]:
    """Return the name of an attribute and its type; ``{`` for a list of values."""
    found = _ATTRIBUTE.match(line.strip())
    kind = found[2].lower() if found else ""
    if found is None or kind not in (*_NUMBERS, *_TEXTS, "date"):
        raise ValueError(f"{name} has an attribute that cannot be read, {line.strip()!r}: save the table as CSV.")
    column = found[1]
    return (re.sub(r"\\(.)", r"\1", column[1:-1]) if column[0] in "'\"" else column), kind
