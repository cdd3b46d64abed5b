"""A CSV file in memory and in parts: the same model, or both refuse it."""

import gzip
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyarrow import parquet

from atfnb import CFW
from atfnb.scale import files_in_parts, fit_dask, fit_files, running
from atfnb.tables import Dialect, Policy, plain_classes, read_training_table
from atfnb.training import training_rows
from helpers.csv_texts import csv_texts
from helpers.scale_tables import assert_same_model, big_frame, in_parts
from helpers.strategies import examples


def wish(as_text=(), weight=None, **said):
    """What a person says about a file on the command line."""
    return {"as_text": as_text, "weight": weight, "dialect": Dialect(**said), "policy": Policy(leave_out=True)}


WISHES = [wish(), wish(), wish(as_text=["c"]), wish(missing=("-", "7"))]
WISHES += [wish(date_formats=("%m/%d/%Y", "%d.%m.%Y")), wish(date_formats=("%Y%m%d",))]


def learned(table):
    """As ``atfnb train`` learns."""
    model = CFW()
    rows = training_rows(table, model.row_options)
    return model.learn(replace(rows, classes=plain_classes(rows.classes)))


def whole(path, wanted=WISHES[0]):
    """As ``atfnb train`` on one file; or the sentence that refuses it."""
    try:
        return learned(read_training_table(str(path), "kind", **wanted))
    except ValueError as error:
        return str(error)


def cut(path, wanted=WISHES[0], rows=4):
    """The same in parts, so many rows at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "FRAME_ROWS", rows)
        try:
            with files_in_parts(str(path), "kind", ignore=(), **wanted) as (table, _):
                return learned(table)
        except ValueError as error:
            return str(error)


def same(one, other):
    """The same model, or a sentence from both."""
    if isinstance(one, str) or isinstance(other, str):
        assert isinstance(one, str), other
        assert isinstance(other, str), one
        assert len(other.splitlines()) == 1
        assert other.endswith(".")
        return
    assert_same_model(one, other)
    for a, b in zip(one.encoder_.attributes, other.encoder_.attributes, strict=True):
        kinds = [list(map(type, getattr(each, "categories", ()))) for each in (a, b)]
        assert kinds[0] == kinds[1]
    assert one.classes_.dtype.kind == other.classes_.dtype.kind


def written(folder, *files, suffix=".csv"):
    for number, data in enumerate(files):
        (folder / f"{number}{suffix}").write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(folder / f"*{suffix}")


@examples(150)
@given(csv_texts(), st.sampled_from(WISHES), st.sampled_from([1, 4, 10**5]))
def test_a_file_in_parts_gives_the_model_of_memory(tmp_path_factory, text, wanted, rows):
    folder = tmp_path_factory.mktemp("csv")
    pattern = written(folder, text.data(), suffix=text.suffix)
    same(cut(pattern, wanted, rows), whole(folder / f"0{text.suffix}", wanted))


@examples(60)
@given(csv_texts(), st.sampled_from(WISHES), st.floats(0.1, 0.9))
def test_a_file_split_in_two_gives_the_model_of_one(tmp_path_factory, text, wanted, share):
    assume(text.delimiter == ",")  # with another one, each file tells whether a comma is the decimal sign
    folder, place = tmp_path_factory.mktemp("csv"), 1 + int(share * (len(text.lines) - 1))
    text = replace(text, packed=False)
    (folder / "one.csv").write_bytes(text.data())
    (folder / "two").mkdir()
    written(folder / "two", text.data(slice(place)), text.data(slice(place, None)))
    wanted |= {"dialect": replace(wanted["dialect"], delimiter=text.delimiter, encoding=text.encoding)}
    one = whole(folder / "one.csv", wanted)
    same(cut(folder / "two", wanted), one)
    same(whole(folder / "two", wanted), one)


# --- one by one --------------------------------------------------------------------------------------

FEW = "size;code;kind\n" + "".join(f"{i % 4},5;{i % 3:02};{'ab'[i % 4 > 1]}\n" for i in range(24))


def test_marks_text_delimiters_and_encodings_of_the_user_count_in_parts(tmp_path):
    text = FEW.replace("1,5", "-").replace("code", "größe").encode("cp1252")
    said = [{"missing": ("-",)}, {"encoding": "cp1252"}, {"encoding": "cp1250", "delimiter": ";"}]
    for dialect in (*said, {"delimiter": "|"}):
        for wanted in (wish(**dialect), wish(**dialect, as_text=["size"])):
            same(cut(written(tmp_path, text), wanted), whole(tmp_path / "0.csv", wanted))


def test_marks_and_text_count_in_parquet_too(tmp_path):
    table = pa.table({"n": [1, 2, 3, 4] * 3, "t": ["-", "u", "v"] * 4, "kind": ["a", "b", "b", "a"] * 3})
    parquet.write_table(table, tmp_path / "0.parquet", row_group_size=5)
    wanted = wish(missing=("-", "3"), as_text=["n"])
    model = cut(tmp_path / "*.parquet", wanted)
    same(model, whole(tmp_path / "0.parquet", wanted))
    assert model.encoder_.attributes[0].categories == ("1", "2", "4")
    assert model.encoder_.attributes[1].categories == ("u", "v")


def test_text_in_one_file_makes_text_of_a_column_and_that_is_said(tmp_path):
    path = written(tmp_path, "n,kind\n1,a\n2,b\n", "n,kind\nmany,a\n", "n,kind\ntrue,b\n")
    model, summary = fit_files(CFW(), path, "kind")
    assert model.encoder_.attributes[0].categories == ("1", "2", "many", "true")
    assert summary.notes == (
        "0.csv and 2 more: CSV, UTF-8, separated by commas",
        f"column 'n' holds numbers in {tmp_path}/0.csv and text in {tmp_path}/1.csv: it is read as text.",
    )


def test_other_files_are_written_otherwise_and_each_is_read_as_it_is(tmp_path):
    (tmp_path / "0.csv").write_text("x,kind\n1.5,a\n2.5,b\n")
    (tmp_path / "1.tsv").write_text("kind\tx\r\na\t1,5\r\nb\t?\r\n", encoding="utf-16")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"x|kind\n3.5|b\n"))
    (tmp_path / "readme.txt").write_text("no table")
    model, summary = fit_files(CFW(), tmp_path, "kind")
    (tmp_path / "all").write_text("x,kind\n1.5,a\n2.5,b\n1.5,a\n?,b\n3.5,b\n")
    same(model, whole(tmp_path / "all"))
    assert summary.notes == (
        "0.csv: CSV, UTF-8, separated by commas",
        "1.tsv: CSV, UTF-16, separated by tabs, decimal comma",
        "2.csv.gz: CSV, UTF-8, separated by bars, gzip",
    )


def test_what_python_is_asked_for_is_not_changed(tmp_path):
    """Rows without a class and columns without a value are left out by the command only."""
    gappy, empty = "x,y,kind\n1,1,a\n2,2,\n3,3,b\n", "x,y,kind\n1,,a\n2,,b\n"
    path = written(tmp_path, gappy)
    with pytest.raises(ValueError, match="the target is missing in row 1"):
        fit_dask(CFW(), path, "kind")
    model, summary = fit_files(CFW(), path, "kind", policy=Policy(leave_out=True))
    assert model.n_rows_ == 2
    assert summary.notes[1:] == ("1 row without a class left out.",)
    path = written(tmp_path, empty)
    with pytest.warns(UserWarning, match="column 'y' has no value in any row"):
        assert list(fit_dask(CFW(), path, "kind").feature_names_in_) == ["x", "y"]
    model, summary = fit_files(CFW(), path, "kind", policy=Policy(leave_out=True))
    assert summary.notes[1:] == ("1 column without any value left out: 'y'.",)
    assert list(model.feature_names_in_) == ["x"]
    path = written(tmp_path, "y,z,x,kind\n,1,5,a\n,2,6,b\n")
    model = fit_dask(
        CFW(categorical_features=[2]), path, "kind", policy=Policy(leave_out=True)
    )  # x, though y is left out
    assert [each.is_numeric for each in model.encoder_.attributes] == [True, False]


def test_weights_of_rows_without_a_class_do_not_count(tmp_path):
    rows = "".join(f"{i % 5},{1 + i % 3}.1,{'ab'[i % 5 > 2]}\n" for i in range(30))
    path = written(tmp_path, f"x,w,kind\n{rows}1,-7,\n2,,?\n")
    wanted = wish(weight="w")
    same(cut(path, wanted), whole(tmp_path / "0.csv", wanted))


def lines(*rows):
    return "a,b,kind\n" + "".join(f"{row}\n" for row in rows)


ROWS = [f"{i % 3},{i % 5},{'xy'[i % 3 > 1]}" for i in range(40)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            lines(*(f"{1 + i % 9}/1/2024,{i},x" for i in range(9))),
            "{path}: the dates of column 'a', such as '1/1/2024', can be read as day/month/year or month/day/year: ",
        ),
        ("a,a,kind\n1,2,x\n", "0.csv has more than one column named 'a': give each its own name."),
        ("1,2,3\n1,2,x\n", "the first line of {path} holds numbers only"),
        ("", "0.csv is empty: it needs a line with the names of the columns, and rows."),
        (lines(), "the data hold no rows"),
        (lines(*ROWS, "1,2"), "of {path} has 2 cells and the header 3: correct it"),
        (lines(*ROWS, '1,"2,x'), "row 41 below the header of {path} has"),
        (lines(*ROWS, "1,1,x\0"), "{path} holds a NUL byte in line 42: "),
        (lines(*ROWS, "1,\xe9,x").encode("latin-1"), None),
        (lines(*ROWS, "inf,2,x"), "{path}, 40 rows further down: column 'a' is infinite"),
        (lines(*(f"{i},1,{i % 2}.5" for i in range(9))), "the target holds numbers with fractions, such as "),
        (lines(*(f"1,{i % 5},{i}" for i in range(40))), "the target 'kind' looks like a measurement"),
        (lines(*(f"1,{i % 5},n{i}" for i in range(40))), "the target 'kind' looks like a name for each row"),
        (lines(*(f"1,{i % 5}," for i in range(9))), "the target 'kind' is missing in every row"),
        (lines("?,,x", "?,,y"), "no column has any value to predict the class from"),
        (b"ARROW1\0\0", "is a damaged Arrow file"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path, text, said):
    path = written(tmp_path, text)
    found = cut(path)
    if said is None:
        same(found, whole(tmp_path / "0.csv"))
    else:
        assert said.format(path=tmp_path / "0.csv") in found
        assert len(found.splitlines()) == 1


def test_what_cannot_be_asked_for_is_refused_in_a_sentence(tmp_path):
    path = written(tmp_path, lines(*ROWS, "1,\xe9,x").encode("latin-1"))
    with pytest.raises(ValueError, match=r"the byte 0xE9 in line 42, which is not UTF-8: give its encoding"):
        fit_dask(CFW(), path, "kind", dialect=Dialect("utf-8"))
    with pytest.raises(ValueError, match="the table has no column 'c': it has 'a', 'b', 'kind'"):
        fit_dask(CFW(), path, "kind", as_text="c")
    with pytest.raises(ValueError, match=r"0\.csv is not UTF-16: give its encoding"):
        fit_dask(CFW(), path, "kind", dialect=Dialect("utf-16"))
    with pytest.raises(ValueError, match="dialect and as_text are for files"):
        fit_dask(CFW(), in_parts(big_frame(100), [50]), "kind", as_text=["size"])
    with pa.ipc.new_file(str(tmp_path / "t.arrow"), pa.schema([("a", pa.int64())])) as file:
        file.write_table(pa.table({"a": [1]}))
    with pytest.raises(ValueError, match="the table has no column 'kind': it has 'a'"):
        fit_dask(CFW(), tmp_path / "t.arrow", "kind")
