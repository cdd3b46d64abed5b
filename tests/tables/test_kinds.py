"""A model trained from a file and asked about the same file sees the same cells."""

import csv
import io
from collections import Counter
from datetime import datetime, time

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from atfnb.tables import Batch, Dialect, as_kinds, open_table
from atfnb.tables.cells import MISSING_MARKS, CellRules
from atfnb.tables.kinds import kinds_of
from helpers.strategies import examples
from helpers.table_files import read, written

WHOLE = st.one_of(st.integers(-1000, 1000), st.integers(-(2**65), 2**65), st.just(2**63 - 1)).map(str)
NUMBERS = st.one_of(
    WHOLE,
    st.floats(allow_nan=False).map(repr),
    st.sampled_from(["inf", "-inf", "1e5", ".5", "5.", "+1", "+1.5", "1E-300", "1e400", "-0", "0", "0.10"]),
)
CODES = st.one_of(WHOLE, st.sampled_from(["007", "0", "00", "-01", "01.5"]))
TRUTHS = st.sampled_from(["true", "false", "True", "FALSE", "True "])
DATES = st.one_of(st.dates().map(str), st.datetimes().map(str), st.times().map(str), st.just("2024-01-01T10:00Z"))
WRITTEN = st.sampled_from(
    ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%B %d, %Y", "%d/%m/%y", "%m/%d/%Y %I:%M %p"]
)
OTHER_DATES = WRITTEN.flatmap(
    lambda form: st.datetimes(datetime(1970, 1, 1), datetime(2068, 1, 1)).map(lambda d: d.strftime(form))
)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
GAPS = st.sampled_from([*MISSING_MARKS, " ?", "  ", "NA "])
ODD = st.sampled_from(["0x1F", "1_000", "1,000", "1.000,5", "1,5", "١", "nan(3)", "infinity", "-", "1e", "²"])
FORMS = st.sampled_from(["1,000", "$3.50", "$ 1,200", "3.5%", "7 kg", "1.000,50", "€ 12"]).flatmap(
    lambda one: st.sampled_from([one, one.replace("3", "4"), one.replace("1", "2")])
)
SPACES = st.sampled_from(["", "", " ", "\t", "\u00a0"])


def _column(rows):
    kinds = [WHOLE, NUMBERS, CODES, TRUTHS, DATES, OTHER_DATES, TEXT, ODD, FORMS, st.one_of(FORMS, NUMBERS)]
    cells = st.sampled_from([*kinds, *(st.one_of(kind, GAPS) for kind in kinds), GAPS, st.one_of(NUMBERS, ODD)])
    padded = cells.flatmap(lambda kind: st.just(st.tuples(SPACES, kind, SPACES).map("".join)))
    return st.one_of(cells, padded).flatmap(lambda kind: st.lists(kind, min_size=rows, max_size=rows))


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 12))
    columns = draw(st.lists(_column(rows), min_size=2, max_size=5))
    return {f"c{place}": column for place, column in enumerate(columns)}


def _csv(table, delimiter):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return stream.getvalue()


def with_moments(table):
    """The table with dates as moments, which is how a model sees them."""
    types = [pa.timestamp("us") if pa.types.is_date(kind) else kind for kind in table.schema.types]
    return table.cast(pa.schema(zip(table.column_names, types, strict=True)))


@examples(300)
@given(tables(), st.sampled_from([",", ";"]), st.sampled_from([None, ("-999", "1")]))
def test_batches_as_kinds_are_what_was_read(tmp_path_factory, table, delimiter, missing):
    assume(
        all(any(cell.strip() for cell in row) for row in zip(*table.values(), strict=True))
    )  # empty rows are left out
    path = written(tmp_path_factory.mktemp("cells"), _csv(table, delimiter))
    dialect = Dialect(delimiter=delimiter, missing=missing, encoding="utf-8", header_rows=1, keep_totals=True)
    with open_table(path, dialect) as file:
        trained = file.read()
    kinds = kinds_of(trained)
    forms = {name: form.recorded for name, form in file.forms.items() if form.recorded is not None}
    zones = {field.name: field.type.tz for field in trained.schema if pa.types.is_timestamp(field.type)}
    with open_table(path, dialect) as file:
        for whole in file.batches():
            parts = [Batch(whole.table.slice(at, 3), at + 1, whole.name, whole.rules) for at in range(0, 12, 3)]
            asked = pa.concat_tables([as_kinds(part, kinds, forms, zones) for part in parts if len(part.table)])
            assert whole.table.to_pydict() == table
    # A batch without any fraction of a column that was learned with fractions is a column of numbers all the same.
    trained = with_moments(trained.select(list(kinds)))
    assert asked.to_pydict() == trained.to_pydict()
    assert asked.schema.types == trained.schema.types


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["1", " 2", "?"], pa.int64(), [1, 2, None]),
        (["1", "2.5", "NA"], pa.float64(), [1.0, 2.5, None]),
        (["1", "1e5"], pa.float64(), [1.0, 1e5]),
        (["1", str(2**63)], pa.float64(), [1.0, 2.0**63]),
        (["1", "inf"], pa.float64(), [1.0, float("inf")]),
        (["007", "12"], pa.string(), ["007", "12"]),
        (["0", "0.5", "-0.25"], pa.float64(), [0.0, 0.5, -0.25]),
        (["1,000", "2"], pa.float64(), [1000.0, 2.0]),
        (["0x1F", "2"], pa.string(), ["0x1F", "2"]),
        (["true", " FALSE", ""], pa.bool_(), [True, False, None]),
        (["yes", "no"], pa.string(), ["yes", "no"]),
        ([" a", "a\u00a0", "\u202fa b"], pa.string(), ["a", "a", "a b"]),
        ([" ?", "x", "NA "], pa.string(), [None, "x", None]),
        (["?", "NA"], pa.null(), [None, None]),
        (["1", "a"], pa.string(), ["1", "a"]),
    ],
)
def test_what_a_column_of_text_is(cells, kind, values, tmp_path):
    column = read(written(tmp_path, _csv({"x": cells, "y": ["z"] * len(cells)}, ",")))["x"]
    assert column.type == kind
    assert column.to_pylist() == values


@pytest.mark.parametrize(
    "cells", [["2024-01-31"], ["2024-01-31 10:00:00", "2024-02-01T11:30"], ["2024-01-31T10:00:00Z"], ["10:00:00"]]
)
def test_dates_and_times_are_recognised(cells, tmp_path):
    table = read(written(tmp_path, _csv({"x": [*cells, "?"], "y": [*cells, "text"]}, ",")))
    assert pa.types.is_temporal(table["x"].type)
    assert table["y"].type == pa.string()


def test_the_type_of_a_column_does_not_depend_on_blocks(tmp_path):
    path = written(tmp_path, "a,b\n" + "1,2\n" * 600_000 + "x,2.5\n")
    table = read(path)
    assert table.schema.types == [pa.string(), pa.float64()]
    with open_table(path) as file:
        batches = list(file.batches())
    assert len(batches) > 1
    assert [batch.first for batch in batches[:2]] == [1, 1 + batches[0].table.num_rows]
    assert max(batch.table.num_rows for batch in batches) <= 1 << 16


def test_marks_of_the_user_add_to_the_known_ones(tmp_path):
    path = written(tmp_path, "a,b\n-999,?\n3,x\n,y\n")
    assert read(path, missing=("-999",)).to_pydict() == {"a": [None, 3, None], "b": [None, "x", "y"]}
    with open_table(path, Dialect(missing=("-999",))) as file:
        (batch,) = file.batches()
    assert as_kinds(batch, {"b": "text", "a": "whole"}).to_pydict() == {"b": [None, "x", "y"], "a": [None, 3, None]}


def test_marks_of_the_user_count_in_parquet_too(tmp_path):
    import pyarrow.parquet as pq

    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"a": ["?", "x"], "b": [1, 2]}), path)
    assert read(path)["a"].to_pylist() == ["?", "x"]
    assert read(path, missing=("?",))["a"].to_pylist() == [None, "x"]


def _batch(**columns):
    return Batch(pa.table(columns), 101, "new.csv")


def test_a_cell_that_is_not_what_the_model_learned_is_named():
    cells = ["1"] * 70 + ["ten"] + ["2", "eleven"]
    with pytest.raises(ValueError, match=r"new.csv: 'ten' in column 'age', row 171, is not a number, which the model"):
        as_kinds(_batch(age=cells), {"age": "number"})
    with pytest.raises(ValueError, match=r"'x{39}…' in column 'b', row 101, is not true or false"):
        as_kinds(_batch(b=["x" * 99]), {"b": "boolean"})


UNREADABLE = {
    "number": (["1", "?", "ten", "2.5", "inf", "?!"], [1, None, None, 2.5, None, None]),
    "whole": (["1", "ten", "2", "ten", "3", "?!"], [1, None, 2, None, 3, None]),
    "boolean": (["true", "yes", "FALSE", "yes", "0", "7"], [True, None, False, None, False, None]),
    "date": (["soon", "2024-01-31", "soon", "31/1/2024"], [None, datetime(2024, 1, 31), None, None]),
    "time": (["10:30", "soon", "soon", "10"], [time(10, 30), None, None, None]),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_leniently_a_cell_that_is_not_what_the_model_learned_is_missing_and_counted(kind):
    cells, values = UNREADABLE[kind]
    batch = Batch(pa.table({"a": cells}), unreadable=Counter())
    assert as_kinds(batch, {"a": kind})["a"].to_pylist() == values
    assert batch.unreadable == {"a": 3}


def test_leniently_dates_of_another_format_than_the_first_are_missing():
    batch = Batch(pa.table({"a": ["31/1/2024", "2024-02-01", "1/2/2024"]}), unreadable=Counter())
    as_read = as_kinds(batch, {"a": "date"}, {"a": "%d/%m/%Y"})["a"].to_pylist()
    assert as_read == [datetime(2024, 1, 31), None, datetime(2024, 2, 1)]


def test_missing_columns_are_named_and_new_ones_left_out():
    with pytest.raises(ValueError, match=r"new.csv has no columns 'b', 'c': the model needs every column"):
        as_kinds(_batch(a=["1"]), {"a": "number", "b": "text", "c": "text"})
    assert as_kinds(_batch(new=["1"], a=["x"]), {"a": "text"}).to_pydict() == {"a": ["x"]}
    with pytest.raises(ValueError, match="and 2 more"):
        as_kinds(_batch(a=["1"]), {f"x{i}": "number" for i in range(10)})


def test_a_fraction_among_whole_numbers_is_a_number():
    assert as_kinds(_batch(a=["1", "2.5"]), {"a": "whole"}).to_pydict() == {"a": [1.0, 2.5]}
    assert as_kinds(_batch(a=["1", "2.0"]), {"a": "whole"}).to_pydict() == {"a": [1, 2]}


def test_typed_columns_become_what_the_model_learned():
    table = {
        "floats": pa.array([1.0, float("nan")]),
        "decimals": pa.array([1, None], pa.decimal128(5, 2)),
        "categories": pa.array(["x", "y"]).dictionary_encode(),
        "large": pa.array(["x", "y"], pa.large_string()),
        "truths": pa.array([True, None]),
        "whole": pa.array([1, 2], pa.int8()),
        "nothing": pa.nulls(2),
        "halves": pa.array([1.5, 2.5], pa.float32()),
    }
    kinds = {"floats": "whole", "decimals": "number", "categories": "text", "large": "text", "truths": "boolean"}
    kinds |= {"whole": "number", "nothing": "boolean", "halves": "whole"}
    assert as_kinds(Batch(pa.table(table), rules=CellRules(())), kinds).to_pydict() == {
        "floats": [1, None],
        "decimals": [1.0, None],
        "categories": ["x", "y"],
        "large": ["x", "y"],
        "truths": [True, None],
        "whole": [1.0, 2.0],
        "nothing": [None, None],
        "halves": [1.5, 2.5],
    }
    assert as_kinds(Batch(pa.table({"n": [1, 2]})), {"n": "text"}).to_pydict() == {"n": ["1", "2"]}
    with pytest.raises(ValueError, match=r"column 'n' held .* when the model was trained and is of type int64 now"):
        as_kinds(_batch(n=[1]), {"n": "boolean"})
    with pytest.raises(ValueError, match="is of type list"):
        as_kinds(_batch(n=[[1]]), {"n": "number"})
