"""What the reader of workbooks does not tell about a worksheet: its formula errors, and how far its cells reach.

The reader returns an empty cell for a formula error, and needs memory for the whole rectangle that the cells of a
sheet span. So the XML of a sheet in an .xlsx file is searched before it is read. Other workbooks have no such XML.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass

_WORKBOOK = "xl/workbook.xml"
_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^<>]*>")
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\s[^<>]*>")
_ERROR = re.compile(rb"<(?:\w+:)?c\s(?=[^<>]*\bt=[\"']e[\"'])[^<>]*\br=[\"']([A-Z]{1,3})([0-9]{1,7})[\"']")
_ANY_ERROR = re.compile(rb"t=[\"']e[\"']")
_FAR_COLUMN = re.compile(rb"r=[\"']([A-Z]{2,3})[0-9]")
_ROW = re.compile(rb"row\s[^<>]*?\br=[\"']([0-9]{1,7})[\"']")
_PIECE = 1 << 22
_MOST_CELLS = 1 << 25
"""A rectangle with more cells than this must not be almost empty: it would take some GB of memory."""
_SPARSE = 50
"""A rectangle is almost empty if it has more than this number of cells for each one that is filled."""


@dataclass(frozen=True)
class Scan:
    """What the XML of a sheet says about its cells."""

    errors: tuple[tuple[int, int], ...] = ()
    """The row, counted from 1, and the column, counted from 0, of each formula error."""
    reaches: str | None = None
    """The last column and row, as in ZZ1000, if the cells are so far apart that they cannot be read."""


def scan_sheet(workbook: bytes, position: int) -> Scan:
    """Return what the XML of a sheet says about its cells; nothing if the workbook is not .xlsx.

    Parameters
    ----------
    workbook : bytes
        The file.
    position : int
        The position of the sheet among all sheets of the workbook, counted from 0.
    """
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        member = _member(archive, position)
        if member is None:
            return Scan()
        errors: list[tuple[int, int]] = []
        letters: set[bytes] = {b"A"}
        row = 1
        for piece in _pieces(archive, member):
            errors += [(int(number), column_position(column)) for column, number in _errors(piece)]
            letters.update(_FAR_COLUMN.findall(piece))
            row = max([row, *map(int, _ROW.findall(piece)[-1:])])
        last = max(letters, key=column_position)
        rectangle = row * (column_position(last) + 1)
        is_sparse = rectangle > _MOST_CELLS and rectangle > _SPARSE * _count_cells(archive, member)
    return Scan(tuple(errors), f"{last.decode()}{row}" if is_sparse else None)


def _count_cells(archive: zipfile.ZipFile, member: str) -> int:
    return sum(piece.count(b"c ") for piece in _pieces(archive, member))


def column_position(letters: bytes) -> int:
    """Return the position of a column, counted from 0, from its letters.

    >>> column_position(b"A"), column_position(b"AB")
    (0, 27)
    """
    position = 0
    for letter in letters:
        position = 26 * position + letter - 64
    return position - 1


def column_letters(position: int) -> str:
    """Return the letters of a column from its position, counted from 0.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    before, letter = divmod(position, 26)
    return (column_letters(before - 1) if before else "") + chr(65 + letter)


def _member(archive: zipfile.ZipFile, position: int) -> str | None:
    """Return the name of the file in the archive that holds a sheet, or None if it cannot be found."""
    try:
        sheets = _SHEET.findall(archive.read(_WORKBOOK))
        relations = _RELATION.findall(archive.read("xl/_rels/workbook.xml.rels"))
    except KeyError:
        return None
    targets = {_attribute(each, rb"Id"): _attribute(each, rb"Target") for each in relations}
    target = targets.get(_attribute(sheets[position], rb"\w+:id")) if position < len(sheets) else None
    name = None if target is None else posixpath.normpath(posixpath.join("xl", target)).lstrip("/")
    return name if name in archive.namelist() else None


def _attribute(tag: bytes, name: bytes) -> str | None:
    found = re.search(rb"\s" + name + rb"\s*=\s*[\"']([^\"']*)", tag)
    return None if found is None else found[1].decode("utf-8", "replace")


def _errors(piece: bytes) -> list[tuple[bytes, bytes]]:
    return _ERROR.findall(piece) if _ANY_ERROR.search(piece) else []


def _pieces(archive: zipfile.ZipFile, member: str) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces that end with a tag."""
    rest = b""
    with archive.open(member) as stream:
        while piece := stream.read(_PIECE):
            whole, tag, rest = (rest + piece).rpartition(b">")
            yield whole + tag
