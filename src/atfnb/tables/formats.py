"""What was found out about a file, and what the user insists on."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Literal

SEPARATED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""The delimiters that are looked for, and how they are called."""

_ENCODINGS = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8 with a BOM"}
_NO_TEXT_FILES = {"unicode-escape", "raw-unicode-escape", "punycode", "idna", "charmap", "undefined"}
"""Codecs of Python that turn bytes into text, and yet are the encoding of no file."""
_SPELLED_OUT = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|"}


@dataclass(frozen=True)
class Format:
    """What a file turned out to be; as text, a line for the user.

    Examples
    --------
    >>> print(Format("bank.csv", "CSV", "gzip", "utf-8", ";", ","))
    bank.csv: CSV, UTF-8, separated by semicolons, decimal comma, gzip
    >>> print(Format("bank.parquet", "Parquet"))
    bank.parquet: Parquet
    """

    name: str
    kind: Literal["CSV", "Parquet", "Arrow"]
    compression: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str = "."
    line_end: str = "\n"

    def __str__(self) -> str:
        told: list[str] = [self.kind]
        if self.encoding is not None:
            told += [_ENCODINGS.get(self.encoding, self.encoding.upper()), self._columns()]
        if self.decimal == ",":
            told.append("decimal comma")
        if self.compression:
            told.append(self.compression)
        return f"{self.name}: {', '.join(told)}"

    def _columns(self) -> str:
        if self.delimiter is None:
            return "one column"
        return f"separated by {SEPARATED.get(self.delimiter, repr(self.delimiter))}"


@dataclass(frozen=True)
class Dialect:
    r"""What the user insists on about a file; None leaves it to the file.

    Parameters
    ----------
    encoding : str or None
        The encoding of a CSV file, as Python names it.
    delimiter : str or None
        The character between the cells of a CSV file; ``"tab"`` and ``"\t"`` are the tab.
    missing : tuple of str or None
        What a missing cell holds, instead of the usual marks; an empty cell is missing in any case.

    Raises
    ------
    ValueError
        If there is no such encoding, or the delimiter is not one character that can be one.

    Examples
    --------
    >>> Dialect(delimiter="tab").delimiter
    '\t'
    >>> Dialect(encoding="utf-9")
    Traceback (most recent call last):
        ...
    ValueError: there is no encoding 'utf-9': try utf-8, cp1252 or utf-16.
    """

    encoding: str | None = None
    delimiter: str | None = None
    missing: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _known(self.encoding))
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _one_character(self.delimiter))


def _known(encoding: str) -> str:
    """Return the codec's own name of an encoding of text files."""
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):
        raise ValueError(f"there is no encoding {encoding!r}: try utf-8, cp1252 or utf-16.") from None
    try:
        "a".encode(encoding)  # raises if the codec is no encoding of text, as base64
        codecs.getincrementaldecoder(encoding)()
        is_text = codec.name.replace("_", "-") not in _NO_TEXT_FILES
    except (LookupError, ValueError):
        is_text = False
    if not is_text:
        raise ValueError(f"{encoding!r} is not an encoding of text files: try utf-8, cp1252 or utf-16.")
    return codec.name


def _one_character(delimiter: str) -> str:
    character = _SPELLED_OUT.get(delimiter.lower(), delimiter)
    if len(character) != 1 or not character.isascii() or character in '"\r\n\0':
        raise ValueError(f"the delimiter {delimiter!r} cannot be one: give one character, as ; or tab.")
    return character
