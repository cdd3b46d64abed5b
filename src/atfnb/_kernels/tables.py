"""The loop that finds where a row of a CSV file ends."""

from __future__ import annotations

from atfnb._kernels.compiler import compiled
from atfnb._typing import ByteArray


@compiled
def row_end(text: ByteArray, delimiter: int, state: int) -> tuple[int, int]:
    """Return the position after the first row of a text (−1: the row does not end), and the state after the text.

    The states, of which ``state`` is that before the text: 0, a field begins; 1, inside a field; 2, inside a quoted
    field; 3, after a quotation mark inside a quoted field, which closes it unless another mark follows. A mark opens a
    quoted field only at its beginning, and a line ends only outside of quotes.
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
