"""What is no row of the table is left out, and said: in a file that is read whole, in batches and in parts."""

import pyarrow as pa
import pytest

from atfnb.tables import Dialect, open_table, plan, read_frames
from helpers.table_files import read, text_of, written
from helpers.workbooks import xlsx

CITIES = ["Ulm", "Bonn", "Kiel"]
NAMES = "id,city,size,form,sold"
ROWS = [f"{i},{CITIES[i % 3]},{i / 4},{'xy'[i % 2]},{'no' if i % 2 else 'yes'}" for i in range(40)]
ABOVE = "The names of the columns are in line {}; left out above it: {}."
UNITS = "1 row below the names of the columns belongs to the header ({}): if it is a row, give Dialect(header_rows=1)."
ODD = {
    "a title": (["Sales in 2024", "", NAMES, *ROWS], [ABOVE.format(3, "'Sales in 2024'")]),
    "padded titles": (
        ["Sales,,,,", "Region:,North,,,", ",,,,", NAMES, *ROWS],
        [ABOVE.format(4, "'Sales', 'Region: North'")],
    ),
    "a title with commas": (["Ulm, Bonn", NAMES, *ROWS], [ABOVE.format(2, "'Ulm Bonn'")]),
    "units": ([NAMES, ",,mm,,", *ROWS], [UNITS.format("'mm'")]),
    "units in brackets": ([NAMES, "-,[name],(mm),,", *ROWS], [UNITS.format("'-', '[name]', '(mm)'")]),
    "Orange's types": (
        [NAMES, "c,d,c,d,d", "meta,,,,class", *ROWS],
        [
            "2 rows below the names of the columns belong to the header ('c', 'd', 'c' and 4 more): if they are rows, "
            "give Dialect(header_rows=1)."
        ],
    ),
    "types": ([NAMES, "int,str,float,str,str", *ROWS], [UNITS.format("'int', 'str', 'float' and 2 more")]),
    "totals": (
        [NAMES, *ROWS[:20], "Subtotal,,47.5,,20", *ROWS[20:], ",Total général :,195,,40"],
        ["2 rows with totals left out: row 21 below the header ('Subtotal'), row 42 below the header "
         "('Total général :'); if they are rows of the table, give Dialect(keep_totals=True)."],
    ),
    "totals of groups": (
        [NAMES, *ROWS, ",Ulm Total,65,,", ",Gesamtergebnis,195,,"],
        ["2 rows with totals left out: row 41 below the header ('Ulm Total'), row 42 below the header "
         "('Gesamtergebnis'); if they are rows of the table, give Dialect(keep_totals=True)."],
    ),
    "the header again": (
        [NAMES, *ROWS[:20], NAMES, *ROWS[20:], NAMES],
        ["2 rows that repeat the names of the columns left out: row 21 below the header, row 42 below the header."],
    ),
    "empty rows": ([NAMES, *ROWS[:20], ",,,,", "", " ,,,,", *ROWS[20:], ",,,,"], ["3 empty rows left out."]),
    "a note below": (
        [NAMES, *ROWS, "", "Source: Office of Statistics"],
        ["1 row that is a note left out: row 41 below the header ('Source: Office of Statistics')."],
    ),
    "the delimiter in the first line": (["sep=,", NAMES, *ROWS], []),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_a_file_with_odd_rows_is_the_table_without_them(tmp_path, case):
    lines, notes = ODD[case]
    plain = read(written(tmp_path, "\n".join([NAMES, *ROWS]) + "\n", "plain.csv"))
    path = written(tmp_path, "\n".join(lines) + "\n")
    with open_table(path) as file:
        assert file.read().equals(plain)
        assert [*file.notes] == notes
    with open_table(path) as file:
        assert sum(batch.table.num_rows for batch in file.batches()) == len(ROWS)
        assert [*file.notes] == notes
    planned = plan(path)
    frames = [frame for _, frame in read_frames(*planned.parts, ("sold", "size"), rows=7)]
    assert len(frames) > 2
    assert pa.concat_tables(frames).to_pydict() == plain.select(["sold", "size"]).to_pydict()
    assert {*planned.notes[1:]} == {*notes}


def in_sheet(line):
    return [float(cell) if cell.replace(".", "").isdecimal() else cell for cell in line.split(",")]


@pytest.mark.parametrize("case", sorted(ODD.keys() - {"the delimiter in the first line", "empty rows"}))
def test_a_sheet_with_odd_rows_is_the_table_without_them(tmp_path, case):
    lines, notes = ODD[case]
    plain = read(written(tmp_path, xlsx([in_sheet(line) for line in [NAMES, *ROWS]]), "plain.xlsx"))
    with open_table(written(tmp_path, xlsx([in_sheet(line) for line in lines]), "odd.xlsx")) as file:
        assert file.read().equals(plain)
    said = [note.split(":")[0].split(" in row ")[0] for note in file.notes]
    assert said == [note.split(":")[0].split(" in line ")[0] for note in notes]


def test_pages_of_a_sheet_are_one_table(tmp_path):
    pages = [["Page 1"], ["a", "b"], [1, "x"], [], ["Page 2"], ["a", "b"], [2, "y"], ["Total", 3]]
    with open_table(written(tmp_path, xlsx(pages), "book.xlsx")) as file:
        assert file.read().to_pydict() == {"a": [1, 2], "b": ["x", "y"]}
    assert file.notes[1:] == (
        "1 row with totals left out: row 8 ('Total'); if it is a row of the table, give Dialect(keep_totals=True).",
        "1 row that repeats the names of the columns left out: row 6.",
        "1 row that is a note left out: row 5 ('Page 2').",
    )


@pytest.mark.parametrize("options", [{"skip_rows": 2}, {"skip_rows": 2, "header_rows": 0}, {"header_rows": 2}])
def test_what_is_above_the_rows_of_a_sheet_can_be_said(tmp_path, options):
    table = read(written(tmp_path, xlsx([["x", 1], ["y", 2], ["a", "b"], [3, 4]]), "book.xlsx"), **options)
    assert table.num_rows == (1 if options == {"skip_rows": 2} else 2)
    assert table.column_names == {2: ["x", "1"], 0: ["column 1", "column 2"]}.get(
        options.get("header_rows"), ["a", "b"]
    )


@pytest.mark.parametrize(
    "rows",
    [
        ["total,yes,5", "partial,no,6", "total,,7"],  # a value of its column
        ["total,5", "partial,6", "total,7"],
        ["Total War,,5", "Mario,b,7"],
        ["Total,a,5", "Ulm,b,7"],  # not the only text
        ["Total,,", "Ulm,b,7"],  # no number
        ["n.a.,mm", "5,kg"],  # units as values
        ["unknown,a,b", "3,a,c", "4,d,e"],
        ["c,d,s", "d,s,c"],  # letters
        ["string,a", "text,b"],
        ["1,2", "3,4"],
    ],
)
def test_rows_that_only_look_odd_are_rows(tmp_path, rows):
    names = ",".join("xyz"[: rows[0].count(",") + 1])
    path = written(tmp_path, "\n".join([names, *rows, *rows]))
    with open_table(path) as file:
        assert file.read().num_rows == 2 * len(rows)
        assert file.notes == ()


def test_what_is_above_the_rows_can_be_said(tmp_path):
    path = written(tmp_path, "x,1\ny,2\na,b\nmm,kg\n1,2\n")
    assert read(path, skip_rows=2).to_pydict() == {"a": [1], "b": [2]}
    assert read(path, skip_rows=2, header_rows=1).to_pydict() == {"a": ["mm", "1"], "b": ["kg", "2"]}
    assert read(path, skip_rows=2, header_rows=2).to_pydict() == {"a": [1], "b": [2]}
    assert read(path, header_rows=0).column_names == ["column 1", "column 2"]
    assert text_of(path, header_rows=0).num_rows == 5
    grouped = written(tmp_path, "May,,June,\nn,sum,n,sum\n1,2,3,4\n")
    assert read(grouped, header_rows=2).column_names == ["May n", "May sum", "June n", "June sum"]


def test_a_file_without_a_header_in_frames(tmp_path):
    planned = plan(written(tmp_path, "\n".join(ROWS)), dialect=Dialect(header_rows=0))
    frames = [frame for _, frame in read_frames(*planned.parts, ("column 1",), rows=7)]
    assert pa.concat_tables(frames).to_pydict() == {"column 1": [*range(40)]}


def test_a_first_line_that_looks_like_a_row_is_doubted(tmp_path):
    doubt = "The first line of {} is taken for the names of the columns, though '5.1' is a number: "
    doubt += "if it is a row, give Dialect(header_rows=0)."
    path = written(tmp_path, "5.1,3.5,setosa\n4.9,3.0,setosa\n")
    with open_table(path) as file:
        assert file.notes == (doubt.format(path),)
    with open_table(written(tmp_path, "city,2019,2020\nUlm,1,2\n")) as file:
        assert file.notes == ()


@pytest.mark.parametrize("workbook", [False, True], ids=["csv", "xlsx"])
def test_rows_that_look_like_totals_are_kept_if_the_user_says_so(tmp_path, workbook):
    lines = ["loss,size", *["part,1", "minor,2"] * 150, *["Total,3"] * 5]
    path = (
        written(tmp_path, xlsx([in_sheet(line) for line in lines]), "book.xlsx")
        if workbook
        else written(tmp_path, "\n".join(lines))
    )
    assert read(path).num_rows == 300
    assert read(path, keep_totals=True).num_rows == 305
