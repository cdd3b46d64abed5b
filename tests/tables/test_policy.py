"""One policy for what a model cannot learn from: the same decisions and sentences in memory and in parts."""

import pyarrow as pa
import pyarrow.parquet
import pytest

from atfnb.classifiers import NB
from atfnb.scale import fit_files
from atfnb.tables import ColumnFacts, Policy, with_class
from atfnb.tables.screening import classes_of, usable_columns

LEAVE_OUT = Policy(leave_out=True)


def rows(n=60):
    """A table with a column of each kind that is left out, and one that is used."""
    return pa.table(
        {
            "row": range(n),
            "name": [f"n{i}" for i in range(n)],
            "gone": pa.nulls(n, pa.float64()),
            "size": [i % 7 + 0.5 for i in range(n)],
            "kind": [None if i == 5 else "ab"[i % 7 > 3] for i in range(n)],
        }
    )


def in_memory(table, policy):
    table, notes = with_class(table, "kind")
    classes_of(table, "kind")
    X, more = usable_columns(table.drop_columns(["kind"]), "the file", policy)
    return X.column_names, (*notes, *more)


def in_parts(table, policy, folder):
    for k in range(3):
        pa.parquet.write_table(table.slice(20 * k, 20), folder / f"{k}.parquet")
    model, summary = fit_files(NB(), folder, "kind", policy=policy)
    return [*model.feature_names_in_], summary.notes


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
@pytest.mark.parametrize("keep", [(), ("name",), ("row", "name")])
def test_memory_and_parts_leave_out_the_same_and_say_so_in_the_same_words(tmp_path, keep):
    import pyarrow.parquet  # noqa: F401

    policy = Policy(leave_out=True, keep=keep)
    columns, notes = in_memory(rows(), policy)
    assert columns == [name for name in ("row", "name", "size") if name in (*keep, "size")]
    assert notes[:2] == ("1 row without a class left out.", "1 column without any value left out: 'gone'.")
    assert in_parts(rows(), policy, tmp_path) == (columns, notes)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ([f"n{i}" for i in range(60)], "looks like a name for each row, not like a class: it has 60 different values"),
        ([*range(60)], "looks like a measurement, not like a class: it has 60 different values"),
        ([None] * 60, "the target 'kind' is missing in every row"),
        (["a"] * 60, "the target 'kind' holds one class only, 'a'"),
    ],
)
def test_memory_and_parts_refuse_a_target_in_the_same_words(tmp_path, classes, message):
    table = rows().drop_columns(["kind"]).append_column("kind", pa.array(classes))
    with pytest.raises(ValueError, match=message) as whole:
        in_memory(table, LEAVE_OUT)
    with pytest.raises(ValueError, match=message) as parts:
        in_parts(table, LEAVE_OUT, tmp_path)
    assert str(parts.value) == str(whole.value)


@pytest.mark.parametrize(
    ("used", "message"),
    [
        (["gone"], "no column has any value to predict the class from"),
        (["gone", "row", "name"], "no column to predict the class from besides 'row', 'name'.* with Policy\\(keep="),
    ],
)
def test_memory_and_parts_refuse_a_table_without_a_usable_column_in_the_same_words(tmp_path, used, message):
    table = rows().select([*used, "kind"])
    with pytest.raises(ValueError, match=message) as whole:
        in_memory(table, LEAVE_OUT)
    with pytest.raises(ValueError, match=message) as parts:
        in_parts(table, LEAVE_OUT, tmp_path)
    assert str(parts.value) == str(whole.value)


def test_the_way_of_fit_uses_every_column_and_any_number_of_classes():
    review = Policy().review([ColumnFacts("gone", is_empty=True), ColumnFacts("id", is_identifier=True)], unlabelled=3)
    assert (review.left_out, review.notes) == ((), ())
    Policy().check_classes("kind", "text", distinct=60, rows=60)
    with pytest.raises(ValueError, match="a name for each row"):
        LEAVE_OUT.check_classes("kind", "text", distinct=60, rows=60)


def test_what_may_be_an_identifier_is_used_and_noted():
    columns = [ColumnFacts("code", perhaps_identifier=10_000), ColumnFacts("size")]
    review = LEAVE_OUT.review(columns)
    assert review.left_out == ()
    assert review.notes == (
        "column 'code' looks like an identifier, with more than 10,000 different whole numbers; if it is one, leave it "
        "out with ignore=['code'].",
    )
    assert Policy(leave_out=True, keep=("code",)).review(columns).notes == ()
