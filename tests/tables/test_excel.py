"""A table on a sheet is read as the same table in a CSV file, and nothing beside it is left out silently."""

import csv
import datetime
import io
import subprocess
import sys
import zipfile
from contextlib import suppress

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb.tables import Dialect, as_kinds, excel_workbook, open_table, plan
from atfnb.tables.excel_child import Reader, answer
from atfnb.tables.excel_workbook import BLOCK, SHEET_ROWS, Workbook
from helpers.table_files import read, text_of, written
from helpers.workbooks import ods, xlsb, xlsx, zipped

DAY, MOMENT, TIME = datetime.date(2024, 1, 31), datetime.datetime(2024, 2, 1, 10, 30), datetime.time(8, 15)
PETS = [["name", "age", "weight", "tame"], ["Tom", 3, 4.5, True], ["Rex", 7, None, False]]
AS_READ = pa.table(
    {"name": ["Tom", "Rex"], "age": [3, 7], "weight": [4.5, None], "tame": [True, False]},
    schema=pa.schema(
        [("name", pa.string()), ("age", pa.int64()), ("weight", pa.float64()), ("tame", pa.bool_())],
    ),
)


def opened(folder, data, name="book.xlsx", **dialect):
    """The table and the notes of a workbook."""
    with open_table(written(folder, data, name), Dialect(**dialect)) as file:
        return file.read(), file.notes


def refusal(folder, data, **dialect):
    with pytest.raises((ValueError, OSError)) as caught:
        opened(folder, data, **dialect)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    return said.removeprefix(f"{folder}/").replace(f"{folder}/", "")


class Here(Workbook):
    """A workbook that is read without another process, which takes longer than the reading of so few rows."""

    def __init__(self, name, kind, _):
        self._name, self._kind, self._reader = name, kind, Reader()

    def _exchange(self, request):
        return answer(self._reader, request)

    def close(self):
        pass


@pytest.fixture(autouse=True, scope="module")
def in_this_process():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(excel_workbook, "Workbook", Here)
        yield


# --- Formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (xlsx, "table.csv: Excel, sheet 'Sheet1'"),
        (xlsb, "table.csv: Excel, sheet 'Sheet1'"),
        (ods, "table.csv: OpenDocument, sheet 'Sheet1'"),
    ],
)
def test_the_content_decides_that_a_file_is_a_workbook(tmp_path, make, shown):
    path = written(tmp_path, make(PETS), "table.csv")
    with open_table(path) as file:
        assert file.read() == AS_READ
        assert str(file.format) == shown
        assert file.notes == ()
    assert text_of(path) == AS_READ


def test_standard_input_may_be_a_workbook(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(xlsx(PETS))))
    with open_table("-") as file:
        assert file.read() == AS_READ
        assert str(file.format) == "standard input: Excel, sheet 'Sheet1'"


@pytest.mark.parametrize(("asked", "seen"), [(None, "a"), ("Other", "b"), ("2", "b"), ("3", "c"), ("2024", "c")])
def test_a_sheet_is_chosen_by_name_or_number(tmp_path, asked, seen):
    sheets = [("First", [["a"], [1]]), ("Other", [["b"], [1]]), ("2024", [["c"], [1]])]
    table, notes = opened(tmp_path, xlsx(*sheets), sheet=asked)
    assert table.column_names == [seen]
    others = ("Other sheets are not read: 'Other', '2024'; to choose one: Dialect(sheet='NAME').",)
    assert notes == (others if asked is None else ())


def test_hidden_sheets_and_charts_are_not_the_first_sheet(tmp_path):
    data = xlsx(("Secret", [["a"], [1]]), ("Seen", [["b"], [1]]), hidden=["Secret"], charts=["Plot"])
    table, _ = opened(tmp_path, data)
    assert table.column_names == ["b"]
    assert refusal(tmp_path, data, sheet="Plot") == "book.xlsx has no sheet 'Plot': it has 'Secret', 'Seen'."


# --- Cells -----------------------------------------------------------------------------------------


def test_cells_keep_their_types(tmp_path):
    rows = [
        ["whole", "fraction", "truth", "day", "moment", "time", "gone"],
        [1, 0.5, True, DAY, MOMENT, TIME],
        [2.0, 2, False, DAY, DAY, TIME],
        [-3, None, None, None, None, None, None],
    ]
    table, _ = opened(tmp_path, xlsx(rows))
    types = [pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us"), pa.time64("us"), pa.null()]
    assert table.schema.types == types
    assert table.column("whole").to_pylist() == [1, 2, -3]
    assert table.column("day").to_pylist() == [DAY, DAY, None]
    assert table.column("moment").to_pylist() == [MOMENT, datetime.datetime(2024, 1, 31), None]
    assert table.column("time").to_pylist() == [TIME, TIME, None]


def test_text_and_mixed_columns_are_read_as_those_of_a_csv_file(tmp_path):
    rows = [
        ["code", "marked", "share", "price", "mixed", "dates"],
        ["007", 5, "72%", "2,701", 1, DAY],
        [8, "?", "3%", 12, "x", "2024-02-01"],
        ["9", 6, "n/a", "1,000", True, DAY],
    ]
    path = written(tmp_path, xlsx(rows), "book.xlsx")
    with open_table(path) as file:
        table = file.read()
    assert table.to_pydict() == {
        "code": ["007", "8", "9"],
        "marked": [5, None, 6],
        "share": [72.0, 3.0, None],
        "price": [2701.0, 12.0, 1000.0],
        "mixed": ["1", "x", "TRUE"],
        "dates": [DAY, datetime.date(2024, 2, 1), DAY],
    }
    assert {name: form.sign for name, form in file.forms.items()} == {"share": "%", "price": ""}


def test_columns_can_be_read_as_text_and_keep_the_spelling_of_classes(tmp_path):
    with open_table(written(tmp_path, xlsx([["code", "sold"], [7, True], [8, False]]))) as file:
        table = file.read(as_text=["code"], as_written=["sold"])
    assert table.to_pydict() == {"code": ["7", "8"], "sold": [True, False]}
    assert file.words == {"sold": {"TRUE", "FALSE"}}


def test_a_mark_may_be_a_number(tmp_path):
    data = xlsx([["a", "b"], [-999, "x"], [2, "-"]])
    assert opened(tmp_path, data, missing=("-999", "-"))[0].to_pydict() == {"a": [None, 2], "b": ["x", None]}
    (batch,) = open_table(written(tmp_path, data), Dialect(missing=("-999",))).batches()
    assert as_kinds(batch, {"a": "whole"}).to_pydict() == {"a": [None, 2]}


def test_new_rows_are_read_as_the_kinds_that_a_model_learned(tmp_path):
    with open_table(written(tmp_path, xlsx([["a", "b", "c"], ["1", 5, "?"], [2.5, 6, 1]]))) as file:
        (batch,) = file.batches()
    read_as = as_kinds(batch, {"c": "number", "b": "text", "a": "number"})
    assert read_as.to_pydict() == {"c": [None, 1.0], "b": ["5", "6"], "a": [1.0, 2.5]}


def test_the_type_of_a_column_does_not_depend_on_where_its_blocks_end(tmp_path):
    rows = [[1, DAY, 1.0] for _ in range(BLOCK)] + [["x", MOMENT, None]]
    path = written(tmp_path, xlsx([["a", "b", "c"], *rows]))
    table = read(path)
    assert table.schema.types == [pa.string(), pa.timestamp("us"), pa.int64()]
    assert text_of(path).schema.types == table.schema.types
    assert table.column("a")[0].as_py() == "1"
    assert table.num_rows == BLOCK + 1


CELLS = {
    "whole": st.integers(-(10**14), 10**14),
    "number": st.integers(-(10**9), 10**9).map(lambda n: n / 1000),
    "text": st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6) | st.just("_x0041_"),
    "word": st.sampled_from(["a", "7", "007", "72%", "2,701", "?", "NA", "true", "2024-01-31", " x "]),
    "truth": st.booleans(),
    "day": st.dates(datetime.date(1901, 1, 1), datetime.date(2100, 1, 1)),
}


@st.composite
def tables(draw):
    """Rows of a table in which no row is empty, as an empty row is no row."""
    kinds = draw(st.lists(st.sampled_from([*CELLS, "mixed"]), min_size=1, max_size=4))
    cells = [st.one_of(*CELLS.values()) if kind == "mixed" else CELLS[kind] for kind in kinds]
    rows = draw(st.lists(st.tuples(*(st.none() | cell for cell in cells)), min_size=1, max_size=8))
    names = [f"name {number}" for number in range(len(kinds) + 1)]
    return [names, *([*row, f"row {number}"] for number, row in enumerate(rows))]


def spelled(cell):
    """A cell as spreadsheets write it to CSV files: TRUE, and 2 for 2.0."""
    if isinstance(cell, bool):
        return str(cell).upper()
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def as_csv(rows):
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([[spelled(cell) for cell in row] for row in rows])
    return stream.getvalue()


@pytest.mark.no_cover
@given(rows=tables())
def test_a_table_is_the_same_as_csv_and_as_a_workbook(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("same")
    from_text = read(written(folder, as_csv(rows), "table.csv"), delimiter=",")
    assert read(written(folder, xlsx(rows), "table.xlsx")) == from_text


# --- What is beside the table ----------------------------------------------------------------------


def test_titles_above_and_notes_below_are_left_out_and_said(tmp_path):
    rows = [["Pets of 2024"], [], ["as of May"], [], *PETS, [], ["Source: the vet"], ["Tom is a cat"]]
    table, notes = opened(tmp_path, xlsx(rows, merged=[(1, 2, 1, 5)], at=(1, 2)))
    assert table == AS_READ
    assert notes == (
        "The names of the columns are in row 6; left out above it: 'Pets of 2024', 'as of May'.",
        "2 rows that are notes left out: row 10 ('Source: the vet'), row 11 ('Tom is a cat').",
    )


def test_empty_rows_above_are_said_and_empty_rows_inside_are_skipped(tmp_path):
    table, notes = opened(tmp_path, xlsx([PETS[0], PETS[1], [], [], PETS[2]], at=(3, 1)))
    assert table == AS_READ
    assert notes == ("The names of the columns are in row 4; the rows above it are empty.",)


def test_rows_with_a_single_cell_inside_are_rows(tmp_path):
    table, notes = opened(tmp_path, xlsx([["a", "b"], [1, 2], [], [3], [4, 5], [6]]))
    assert table.to_pydict() == {"a": [1, 3, 4, 6], "b": [2, None, 5, None]}
    assert notes == ()


GROUPED = [["id", "2023", None, "2024", None], [None, "q1", "q2", "q1", "q2"], [1, 2, 3, 4, 5]]
GROUPS = [(0, 0, 1, 0), (0, 1, 0, 2), (0, 3, 0, 4)]


def test_merged_groups_are_part_of_the_names_below_them(tmp_path):
    table, notes = opened(tmp_path, xlsx(GROUPED, merged=GROUPS))
    assert table.column_names == ["id", "2023 q1", "2023 q2", "2024 q1", "2024 q2"]
    assert table.num_rows == 1
    assert notes == ("The names of the columns are in rows 1 to 2.",)
    below = [(top + 1, left, bottom + 1, right) for top, left, bottom, right in GROUPS]
    table, notes = opened(tmp_path, xlsx([["Sales"], *GROUPED], merged=[(0, 0, 0, 4), *below]))
    assert table.column_names[1] == "2023 q1"
    assert notes == ("The names of the columns are in rows 2 to 3; left out above them: 'Sales'.",)


def test_a_merged_name_right_above_values_is_the_name_of_each_column(tmp_path):
    table, _ = opened(tmp_path, xlsx([["name", None, "age"], ["Tom", "Cat", 3]], merged=[(0, 0, 0, 1)]))
    assert table.to_pydict() == {"name": ["Tom"], "name 2": ["Cat"], "age": [3]}


def test_merged_cells_are_filled_and_said(tmp_path):
    rows = [["area", "team", "n", "m"], ["north", "a", 1, 5], [None, "b", "#REF!", None], ["south", 3, None, 4], [None]]
    merged = [(1, 0, 2, 0), (1, 3, 2, 3), (3, 0, 4, 0), (3, 1, 3, 2)]
    table, notes = opened(tmp_path, xlsx([*rows, ["west", 8, 9, 9], ["as of May"]], merged=[*merged, (6, 0, 6, 3)]))
    assert table.to_pydict() == {
        "area": ["north", "north", "south", "west", "as of May"],
        "team": ["a", "b", "3", "8", None],
        "n": [1, None, 3, 9, None],
        "m": [5, 5, 4, 9, None],
    }
    assert notes == (
        "Formula errors are read as missing values: 1 cell in 'n'.",
        "Merged cells have their value in each row and column: 2 cells in 'area', 1 cell in 'm', 1 cell in 'team'.",
    )


def test_a_row_that_is_empty_but_for_merged_cells_and_errors_is_a_row(tmp_path):
    rows = [["area", "n"], ["north", 1], [None, "#REF!"], [None, None], ["south", 2]]
    table, _ = opened(tmp_path, xlsx(rows, merged=[(1, 0, 3, 0)]))
    assert table.to_pydict() == {"area": ["north", "north", "south"], "n": [1, None, 2]}


def test_a_value_that_merged_cells_hide_is_kept(tmp_path):
    table, _ = opened(tmp_path, xlsx([["a", "b"], [1, 5], [2, 6], [None, 7]], merged=[(1, 0, 3, 0)]))
    assert table.to_pydict() == {"a": [1, 2, 1], "b": [5, 6, 7]}


def test_merged_cells_of_ods_files_are_said_as_they_cannot_be_filled(tmp_path):
    with zipfile.ZipFile(io.BytesIO(ods(PETS))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["content.xml"] = files["content.xml"].replace(b"<table:table-cell/>", b"<table:covered-table-cell/>")
    table, notes = opened(tmp_path, zipped(files))
    assert table == AS_READ
    assert notes == ("Merged cells have their value in the first cell only: save as .xlsx to have them filled.",)


def test_an_index_without_a_name_is_no_title(tmp_path):
    table, notes = opened(tmp_path, xlsx([[None, "kind"], [0, "cat"], [1, "dog"]]))
    assert table.to_pydict() == {"column 1": [0, 1], "kind": ["cat", "dog"]}
    assert notes == ()


def test_one_column_has_no_titles(tmp_path):
    table, notes = opened(tmp_path, xlsx([["age"], [1], [], [2]]))
    assert table.to_pydict() == {"age": [1, 2]}
    assert notes == ()


def test_names_may_be_numbers_and_absent(tmp_path):
    table, _ = opened(tmp_path, xlsx([["city", 2023, None], ["Ulm", 1, 2]]))
    assert table.column_names == ["city", "2023", "column 3"]


def test_formula_errors_are_missing_values_and_counted(tmp_path):
    rows = [["a", "b", "c"], ["#REF!", 1, "#N/A"], ["#DIV/0!", 2, "x"], ["#NAME?", "#REF!", "#NAME?"], [4, 5, "y"]]
    table, notes = opened(tmp_path, xlsx([], ("Data", [["#REF!"], *rows])), sheet="Data")
    assert table.to_pydict() == {"a": [None, None, None, 4], "b": [1, 2, None, 5], "c": [None, "x", None, "y"]}
    said = "Formula errors are read as missing values: 3 cells in 'a', 1 cell in 'b', 1 cell in 'c'."
    assert notes[-1] == said


@pytest.mark.slow
def test_a_full_sheet_may_have_been_cut_off(tmp_path):
    rows = [["a"], [1], *([] for _ in range(SHEET_ROWS - 3)), [2]]
    table, notes = opened(tmp_path, xlsx(rows))
    assert table.to_pydict() == {"a": [1, 2]}
    assert notes == ("The sheet is full, with 1,048,576 rows: rows beyond may have been cut off.",)


def test_a_workbook_is_one_part_with_the_types_of_the_whole(tmp_path):
    path = written(tmp_path, xlsx(PETS), "book.xlsx")
    with open_table(path) as file:
        whole = file.read()
    for source in (path, str(tmp_path), f"{tmp_path}/*.xlsx"):
        planned = plan(source)
        (part,) = planned.parts
        assert [row for frame in part.frames(planned.names, 2) for row in frame.to_pylist()] == whole.to_pylist()


# --- Refusals --------------------------------------------------------------------------------------

NUMBERS = [["a", "b"], [1, 2], [3, 4]]
WORDS = [["a", "b"], ["x", "y"], ["z", "w"]]
BELOW = "sheet 'Sheet1' of book.xlsx seems to hold something else than the table from row 5 on, below an empty row: "
BELOW += "move it to another sheet or, if it belongs to the table, delete the empty row."
REFUSED = {
    "below": (xlsx([*NUMBERS, [], ["c", "d"], [1, 2]]), BELOW),
    "below with a title": (xlsx([*WORDS, [], ["More"], ["c", "d"], ["u", "v"]]), BELOW),
    "below, numbers after text": (xlsx([*WORDS, [], ["c", "d"], ["u", 1]]), BELOW),
    "side by side": (
        xlsx([["a", "b", None, "c"], [1, 2, None, 3]]),
        "sheet 'Sheet1' of book.xlsx seems to hold several tables side by side, as column C is empty: give each table "
        "a sheet of its own or, if they are one, delete the empty column.",
    ),
    "no rows": (xlsx([["a", "b"]]), "book.xlsx has a header and no rows: give a table with rows."),
    "empty": (xlsx([]), "sheet 'Sheet1' of book.xlsx is empty: give a workbook with a table."),
    "empty first": (
        xlsx([], NUMBERS),
        "sheet 'Sheet1' of book.xlsx is empty: choose another one with Dialect(sheet=…): 'Sheet2'.",
    ),
    "a read-me first": (
        xlsx(("Read me", [["About"], ["these pets"]]), ("Notes", [["None"]]), ("Pets", NUMBERS)),
        "sheet 'Read me' of book.xlsx holds no table: choose another one with Dialect(sheet=…): 'Pets'.",
    ),
    "charts only": (xlsx(charts=["Plot"]), "book.xlsx has no sheet with cells: give a workbook with a table."),
    "scattered": (
        xlsx([["a", None], [None, "b"]]),
        "sheet 'Sheet1' of book.xlsx has no row with several cells: it needs the names of the columns, and rows below.",
    ),
    "names twice": (
        xlsx([["a", "a "], [1, 2]]),
        "sheet 'Sheet1' of book.xlsx has more than one column named 'a': give each its own name.",
    ),
    "no names": (
        xlsx([[1, 2], [3, 4]]),
        "the first line of sheet 'Sheet1' of book.xlsx holds numbers only: add a line with the names of the columns "
        "above it, or give Dialect(header_rows=0).",
    ),
    "password": (
        ods(NUMBERS, manifest="<manifest:encryption-data/>"),
        "book.xlsx is protected by a password: save it without one.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_single_table_is_refused_with_one_sentence(tmp_path, case):
    data, sentence = REFUSED[case]
    assert refusal(tmp_path, data) == sentence


def test_an_empty_row_alone_is_no_reason_to_refuse_a_table(tmp_path):
    table, _ = opened(tmp_path, xlsx([*WORDS, [], ["u", "?"], ["v", "w"], [], ["s", "t"], ["r", "q"]]))
    assert table.num_rows == 6
    rows = [row for n in range(9) for row in ([n, "?" if n == 7 else n, f"x{n}"], [])]
    table, _ = opened(tmp_path, xlsx([["a", "b", "c"], *rows]))
    assert table.to_pydict()["b"] == [*range(7), None, 8]


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("make", [xlsx, xlsb, ods])
def test_a_workbook_that_is_cut_off_anywhere_is_refused_with_one_sentence(tmp_path, make):
    data = make(PETS)
    for length in range(1, len(data), 1 if len(data) < 1500 else 17):
        refusal(tmp_path, data[:length])


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("make", [xlsx, xlsb, ods])
def test_a_changed_byte_is_noticed_or_changes_nothing(tmp_path, make):
    data = make(PETS)
    for position in range(0, len(data), 1 if len(data) < 1500 else 13):
        changed = bytes([*data[:position], data[position] ^ 0x15, *data[position + 1 :]])
        table = AS_READ
        with suppress(ValueError, OSError):
            table, _ = opened(tmp_path, changed)
        assert table == AS_READ


def test_damage_that_checksums_do_not_show_is_refused_too(tmp_path):
    broken = zipped({"xl/workbook.xml": "<workbook>", "xl/_rels/workbook.xml.rels": "<Relationships>"})
    assert "is a damaged Excel workbook" in refusal(tmp_path, broken)


def test_without_the_extra_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)  # as where it is not installed
    path = written(tmp_path, xlsx(PETS), "book.xlsx")
    with pytest.raises(ImportError, match=r"needs python-calamine to be read: pip install 'atfnb\[excel\]'$"):
        open_table(path)


def test_other_files_are_read_without_importing_the_reader_of_workbooks(tmp_path):
    path = written(tmp_path, "a,b\n1,2\n")
    script = (
        "import sys; from atfnb.tables import TableWriter, open_table\n"
        "with open_table(sys.argv[1]) as file, TableWriter(sys.argv[1] + '.csv') as out: out.write(file.read())\n"
        "assert not {'python_calamine', 'xlsxwriter'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", script, path], check=True)
