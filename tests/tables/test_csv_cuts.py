"""CSV files are cut between rows only, wherever the cut was tried."""

from hypothesis import given
from hypothesis import strategies as st

from atfnb.tables.csv_layout import Layout
from atfnb.tables.csv_rows import CsvReader
from atfnb.tables.parts import CsvPart
from atfnb.tables.paths import TablePath
from atfnb.tables.sources import Dialect
from helpers.strategies import examples


@examples(300)
@given(st.text('",\n\ra', min_size=1, max_size=60), st.integers(1, 9))
def test_no_cut_is_inside_a_quoted_cell(tmp_path_factory, text, size):
    """Rows of the parts, each read by itself, are the rows of the whole."""
    path, data = tmp_path_factory.mktemp("cuts") / "t.csv", b"h\n" + text.encode()
    path.write_bytes(data)
    reader = CsvReader("t.csv", "utf-8", Layout(("h",), ",", ".", 2))
    found = CsvPart(TablePath(str(path)), Dialect(), reader, 0, len(data), 2).cut(size)
    assert b"".join(data[each.begin : each.end] for each in found) == data
    assert [row for each in found for row in rows_of(data[each.begin : each.end])] == rows_of(data)
    lines = [data[: each.begin].count(b"\n") + 1 for each in found]
    if b"\r" not in data:
        assert [each.line for each in found] == lines


def rows_of(data):
    """The rows of a text, by a reader that takes them apart a character at a time; blank ones left out."""
    rows, row, quoted, fresh = [], "", False, True
    text = data.decode() + "\n"
    for place, sign in enumerate(text):
        if sign in "\r\n" and not quoted:
            rows, row, fresh = [*rows, row], "", True
            continue
        if sign == '"' and (quoted or fresh):
            quoted = not quoted
            fresh = not quoted and text[place + 1] == '"'  # the second of two, which opens again
        else:
            fresh = sign == "," and not quoted
        row += sign
    return [row for row in [*rows, row] if row]
