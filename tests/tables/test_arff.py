"""ARFF files are read as they declare their attributes, whole, in batches and in parts."""

import pytest

from atfnb.tables import open_table, plan, read_frames
from helpers.table_files import read, text_of, written

HEAD = "% Made by hand,\n\n@RELATION 'two towns'\n@attribute 'the town' {'New York', Ulm, it\\'s}\n"
HEAD += '@ATTRIBUTE size NUMERIC\n@attribute code {0, 1}\n@attribute\tday date "yyyy-MM-dd"\n@attribute note string\n'
ROWS = "@data\n'New York',1.5,0,2024-01-03,'a, b'\n% between, the, rows\nUlm,?,1,2024-01-04,'it\\'s'\n"


def test_attributes_have_the_types_that_are_declared(tmp_path):
    path = written(tmp_path, HEAD + ROWS, "towns.arff")
    table = read(path)
    assert table.column("the town").to_pylist() == ["New York", "Ulm"]
    assert table.column("size").to_pylist() == [1.5, None]
    assert table.column("code").to_pylist() == ["0", "1"]
    assert [str(day)[:10] for day in table.column("day").to_pylist()] == ["2024-01-03", "2024-01-04"]
    assert table.column("note").to_pylist() == ["a, b", "it's"]
    assert text_of(path).num_rows == 2
    with open_table(path) as file:
        assert str(file.format) == "towns.arff: ARFF, UTF-8, separated by commas"
    (part,) = plan(path).parts
    ((_, frame),) = read_frames(part, ("code", "size"))
    assert frame.to_pydict() == {"code": ["0", "1"], "size": [1.5, None]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD + "@data\n{0 Ulm, 1 2}\n", "is a sparse ARFF file: save it as a dense one, or as CSV"),
        (HEAD, "is an ARFF file without a line @data"),
        ("@relation r\n@data\n1\n", "is an ARFF file without attributes"),
        ("@relation r\n@attribute a numeric\n@attribute a real\n@data\n", "more than one column named 'a'"),
        ("@relation r\n@attribute bag relational\n@data\n", "has an attribute that cannot be read, '@attribute bag"),
        (HEAD + "@data\nUlm,1\n", "has 2 cells and the header 5"),
    ],
)
def test_what_cannot_be_read_is_refused_with_one_sentence(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(written(tmp_path, text, "towns.arff"))
