"""Whatever a file holds: a table, or one sentence; never anything else."""

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from atfnb.tables import TableWriter, as_kinds, open_table
from atfnb.tables.kinds import kinds_of
from atfnb.tables.screening import constant, identifiers
from helpers.strategies import examples
from helpers.table_files import PACKERS, written

BEGINNINGS = st.sampled_from(
    [
        *(b"", b"a,b\n", b"PAR1", b"ARROW1\0\0", b"\xff\xff\xff\xff", b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh91AY&SY"),
        *(b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"),
        *(b"\xff\xfe\0\0", b'"', b"{", b"a\0,\0b\0\n\0"),
    ]
)
ALPHABET = st.sampled_from(['"', ",", ";", "\t", "\n", "\r", "\r\n", " ", "0", "1", ".", "-", "a", "é", "?", "\0", "="])
GOOD = 'id,size,city,"a b"\n1,2.5,Köln,true\n2,?,"x, y",false\n3,1e5,"two\nlines",TRUE\n'


def holds(folder, data):
    """A file of these bytes gives a table that can be written, or a sentence."""
    path, said = written(folder, data), "."
    try:
        with open_table(path) as file:
            table, forms = file.read(), file.forms
        assert str(file.format)
        assert all(isinstance(look(table), list) for look in (identifiers, constant))
        with open_table(path) as file, TableWriter(str(folder / "out.csv"), file) as writer:
            for batch in file.batches():
                as_kinds(batch, kinds_of(table), {name: form.sign for name, form in forms.items()})
                writer.write(batch.table)
    except (ValueError, OSError) as error:
        said = str(error)
    assert len(said.splitlines()) == 1
    assert said.endswith(".")


@examples(300)
@given(BEGINNINGS, st.binary(max_size=200))
def test_random_bytes(tmp_path_factory, beginning, rest):
    holds(tmp_path_factory.mktemp("fuzz"), beginning + rest)


@examples(400)
@given(st.lists(ALPHABET, max_size=40).map("".join), st.sampled_from(["utf-8", "cp1252", "utf-16"]))
@example('"', "utf-8")
def test_random_csv(tmp_path_factory, text, encoding):
    holds(tmp_path_factory.mktemp("fuzz"), text.encode(encoding))


@examples(300)
@given(
    st.sampled_from(list(PACKERS)),
    st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=3), st.integers(0, 3)), max_size=4),
    st.booleans(),
)
def test_good_files_with_changes(tmp_path_factory, packing, changes, before):
    data = GOOD.encode()
    data = _changed(data, changes) if before else _changed(PACKERS[packing](data), changes)
    holds(tmp_path_factory.mktemp("fuzz"), PACKERS[packing](data) if before else data)


@examples(150)
@given(st.integers(0, 700), st.sampled_from(["parquet", "arrow"]))
def test_cut_files(tmp_path_factory, length, kind):
    folder = tmp_path_factory.mktemp("fuzz")
    with TableWriter(str(folder / f"t.{kind}")) as writer:
        writer.write(pa.table({"a": [1, 2, 3], "b": ["x", "y", None]}))
    holds(folder, (folder / f"t.{kind}").read_bytes()[:length])


def _changed(data, changes):
    for place, put, drop in changes:
        at = place % (len(data) + 1)
        data = data[:at] + put + data[at + drop :]
    return data
