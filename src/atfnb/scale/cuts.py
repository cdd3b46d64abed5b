"""Where a CSV file can be cut: after a line end that stands in no quoted cell.

Whether it does, depends on all that comes before it. So each block of a file is looked at as if it began in each of the
four states of a reader, and says in which it would end; going through the blocks in order then tells which it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

STATES = range(4)
"""A cell begins; inside one; inside a quoted one; after a quotation mark there. See ``row_end``."""
_LINE_ENDS = b"\r\n"


@dataclass(frozen=True)
class Block:
    """Some bytes of a CSV file, cut anywhere."""

    path: str
    begin: int
    end: int
    delimiter: str
    header: int = 0
    """How many bytes of header stand before the first block."""


@dataclass(frozen=True)
class Seen:
    """What was seen in a block, for each state it can begin in: where its first row ends, and the state after it."""

    block: Block
    cuts: tuple[tuple[int, int], ...]
    """The place in the file where a row begins, and how many lines end in the block before it; −1 if there is none."""
    states: tuple[int, ...]
    lines: int


@dataclass(frozen=True)
class Stretch:
    """Whole rows of a CSV file: where they begin and end, and in which line. The first has the header too."""

    begin: int
    end: int
    line: int


def look(block: Block) -> Iterator[tuple[Seen, int]]:
    """Look at a block; and tell how many bytes that took."""
    with open(block.path, "rb") as file:
        file.seek(block.begin - block.header)
        header = file.read(block.header)
        text = file.read(block.end - block.begin)
    ends = [_row_end(text, block.delimiter, state) for state in STATES]
    cuts = tuple((block.begin + first, _lines(text[:first])) if first >= 0 else (-1, 0) for first, _ in ends)
    yield Seen(block, cuts, tuple(state for _, state in ends), _lines(header) + _lines(text)), len(header) + len(text)


def _row_end(text: bytes, delimiter: str, state: int) -> tuple[int, int]:
    """As the compiled loop; without any quotation mark, which is usual, there is nothing to loop over."""
    if b'"' in text:
        from atfnb._kernels.tables import row_end

        return row_end(np.frombuffer(text, dtype=np.uint8), ord(delimiter), state)
    if state == 2 or not text:
        return -1, state
    places = [place for sign in (b"\n", b"\r") if (place := text.find(sign)) >= 0]
    return min(places) + 1 if places else -1, 0 if text[-1] in _LINE_ENDS + delimiter.encode() else 1


def _lines(text: bytes) -> int:
    return text.count(b"\n") or text.count(b"\r")


def stretches(blocks: Iterable[Seen]) -> Iterator[Stretch]:
    """The blocks of a file, in order, as stretches of whole rows; a block in which no row begins adds to the last."""
    begin, line, lines, state, end = 0, 1, 1, 0, 0
    for seen in blocks:
        cut, above = seen.cuts[state]
        if cut >= 0 and not seen.block.header:
            yield Stretch(begin, cut, line)
            begin, line = cut, lines + above
        lines, state, end = lines + seen.lines, seen.states[state], seen.block.end
    if begin < end:
        yield Stretch(begin, end, line)
