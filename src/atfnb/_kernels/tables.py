"""The loop that finds where a row of a CSV file ends."""

from __future__ import annotations

from atfnb._kernels.compiler import compiled
from atfnb._typing import ByteArray


@compiled
def row_end(text: ByteArray, delimiter: int, state: int) -> tuple[int, int]:
    """Where the first row ends (−1: nowhere), and the state after the text, which began in a state.

    States: 0 a cell begins; 1 inside one; 2 inside a quoted one; 3 after a quotation mark there, which closes the cell
    unless another follows. A mark opens a cell only where it begins, and only outside of quotes does a line end.
    """
    first = -1
    for i in range(len(text)):
        byte = text[i]
        if state == 2:
            if byte == 34:
                state = 3
        elif byte == 34 and state != 1:
            state = 2
        elif byte == 10 or byte == 13:
            state = 0
            if first < 0:
                first = i + 1
        else:
            state = 0 if byte == delimiter else 1
    return first, state
