"""What a column of text is: numbers in any form that people write, or text; and the same from its parts."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb.tables import Batch, as_kinds
from atfnb.tables.cells import CellRules, merge_types, parse, settled
from atfnb.tables.number_cells import Form
from helpers.csv_texts import KINDS, RARE
from helpers.table_files import read, written


def column(cells):
    return pa.chunked_array([pa.array(cells, pa.string())])


@pytest.mark.parametrize(
    ("cells", "values", "form"),
    [
        (["2,701", "12", "-1,000.5", "?"], [2701, 12, -1000.5, None], Form("", ",")),
        (["1,234,567", "+8"], [1234567, 8], Form("", ",")),
        (["72%", "3.5 %"], [72, 3.5], Form("%")),
        (["$3.50", "-$1,200", "$ 4", "$-5"], [3.5, -1200, 4, -5], Form("$", ",")),
        (["€ 12", "12 €", "12€"], [12, 12, 12], Form("€")),
        (["EUR 12", "EUR 1.5"], [12, 1.5], Form("EUR")),
        (["12 kg", " 3kg", "NA"], [12, 3, None], Form("kg")),
        (["20°C", "-1 °C"], [20, -1], Form("°C")),
        (["3 m/s²", "4 m/s²"], [3, 4], Form("m/s²")),
        (["5m", "6 m"], [5, 6], Form("m")),
        (["2,701", "1e3"], [2701, 1000], Form("", ",")),
        (["21'986.19", "1’234’567", "5"], [21986.19, 1234567, 5], Form("", "'’")),
        (["25 572.44", "1\u00a0234\u00a0567", "331 002 651.5"], [25572.44, 1234567, 331002651.5], Form("", " \u00a0")),
        (["−645", "–3.5", "12"], [-645, -3.5, 12], Form("", "", "−")),
        (["(419)", "1,200", "(1,000.5)"], [-419, 1200, -1000.5], Form("", ",", "(")),
        (["($419)", "$5", "$1.2k"], [-419, 5, 1200], Form("$", "", "(k")),
        (["34.6k", "1.5M", "2K", "-3k", "7"], [34600, 1500000, 2000, -3000, 7], Form("", "", "k")),
        (["300 K", "4 K"], [300, 4], Form("K")),
        (["1.2e3 kg", "4E-1kg", "5 kg"], [1200, 0.4, 5], Form("kg")),
        (["<5", "> 100", "≥7", "<=3", "12"], [5, 100, 7, 3, 12], Form("", "", "<")),
        (["<5%", "5%"], [5, 5], Form("%", "", "<")),
        (["1 200\u00a0€", "€\u202f3"], [1200, 3], Form("€", " ")),
    ],
)
def test_numbers_in_one_form_are_numbers(cells, values, form):
    found, how = parse(column(cells), CellRules())
    assert found.to_pylist() == values
    assert how == form
    assert found.type == pa.float64()
    backwards, again = parse(column(cells[::-1]), CellRules())
    assert (backwards.to_pylist(), again) == (values[::-1], form)


@pytest.mark.parametrize(
    ("cells", "values", "form"),
    [
        (["1.234,50", "2,5"], [1234.5, 2.5], Form("", ".")),
        (["€ 1.234", "€ 3,00"], [1234, 3], Form("€", ".")),
        (["12,5 kg", "3 kg"], [12.5, 3], Form("kg")),
        (["25 572,44", "1.234"], [25572.44, 1234], Form("", " .")),
        (["(2,5)", "1,2e3"], [-2.5, 1200], Form("", "", "(")),
    ],
)
def test_with_decimal_commas_a_point_separates_thousands(cells, values, form):
    found, how = parse(column(cells), CellRules(decimal=","))
    assert (found.to_pylist(), how) == (values, form)


NAMES = [
    *(["007", "2,701"], ["007 kg", "12 kg"], ["1,2", "3,4"], ["1,2,3"], ["1,23", "1,234"], ["1,2345"], ["0,123"]),
    *(["12,345,67"], ["A12", "A13"], ["12a", "13a"], ["7B", "8B"], ["4th", "5th"], ["1st", "2nd"]),
    *(["10-20", "20-30"], ["5-10%", "10-20%"], ["$10-$20", "$20-$30"], ["1.2.3", "1.2.4"], ["v1.2", "v1.3"]),
    *(
        ["+49 30 123", "+49 40 12"],
        ["555-1234"],
        ["(555) 1234"],
        ["1234 AB", "1235 AC"],
        ["SW1A 1AA"],
    ),
    *(["2024-01", "2024-02"], ["20-45-33", "12-11-10"], ["10:30 h"], ["12 kg", "13"], ["12 kg", "13 lb"], ["$3", "€4"]),
    *(["3%", "abc"], ["%"], ["$"], ["kg"], ["12 a", "12a"], ["No 12", "No 13"], ["3 + 4"], ["5'11", "6'2"]),
    *(
        ["612 345 678", "612 345 679"],
        ["(-5)"],
        ["1 23"],
        ["1'234 567"],
        ["--5"],
        ["-$-5"],
        ["<", ">"],
        ["1e3k"],
        ["(5"],
        ["5)", "6"],
    ),
    *(["2,701", "many"], ["1,000", "1.000,5"], ["12 kg net", "13 kg net"]),
]


@pytest.mark.parametrize("cells", NAMES, ids=", ".join)
def test_codes_ranges_lists_and_other_names_are_text(cells):
    for some in (cells, cells[::-1]):
        found, form = parse(column(some), CellRules())
        assert form is None
        assert not pa.types.is_floating(found.type)


def test_the_form_of_the_training_and_plain_numbers_are_read_later_and_nothing_else():
    rows = pa.table({"fee": ["$3", "4", "$1,200", "1,200", ""]})
    assert as_kinds(Batch(rows), {"fee": "number"}, {"fee": "$"})["fee"].to_pylist() == [3, 4, 1200, 1200, None]
    for cell in ("€3", "3 kg", "$3-$4", "007$", "1,2"):
        with pytest.raises(ValueError, match="in column 'fee', row 2, is not a number, which the model learned there"):
            as_kinds(Batch(pa.table({"fee": ["$3", cell]})), {"fee": "number"}, {"fee": "$"})
    with pytest.raises(ValueError, match=r"'\$3' in column 'fee', row 1, is not a number"):
        as_kinds(Batch(rows), {"fee": "number"})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("n;p\n1,234,567;1\n2,701;2\n", [1234567, 2701]),
        ("n;p\n1,234.5;1\n2,701;2\n", [1234.5, 2701]),
        ("n;p\n1.234,50;1\n2.701;2\n", [1234.5, 2701]),
        ("n;p\n€ 1.234,50;1\n€ 3,00;2\n", [1234.5, 3]),
        ("n;p\n3,5 kg;1\n4 kg;2\n", [3.5, 4]),
        ("n;p\n3,5;1\n4;2\n", [3.5, 4]),
        ('n,p\n"2,701",1\n3,2\n', [2701, 3]),
    ],
)
def test_the_decimal_sign_is_told_by_numbers_in_any_form(tmp_path, text, values):
    assert read(written(tmp_path, text))["n"].to_pylist() == values


def test_a_column_that_is_to_stay_as_written_does(tmp_path):
    from atfnb.tables import open_table

    path = written(tmp_path, "fee,share,n\n$3,5%,1\n$4,6%,2\n")
    with open_table(path) as file:
        table = file.read(as_text=["fee"], as_written=["share", "n"])
    assert table.to_pydict() == {"fee": ["$3", "$4"], "share": ["5%", "6%"], "n": [1, 2]}
    assert file.forms == {}


@pytest.mark.parametrize("mark", ["-", "–", "—", ".", "None", "none", "unknown", "Unknown", "UNKNOWN", "Not available"])
@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "2"], [1, 2]),
        (["1.5"], [1.5]),
        (["$3", "$4"], [3, 4]),
        (["2024-01-31"], [datetime.date(2024, 1, 31)]),
        (["31/1/2024"], [datetime.date(2024, 1, 31)]),
        (["10:30"], [datetime.time(10, 30)]),
    ],
    ids=str,
)
def test_a_word_that_may_mean_missing_does_among_numbers_and_dates_and_is_a_value_elsewhere(mark, cells, values):
    for some, expected in (([mark, *cells], [None, *values]), ([*cells, f" {mark}"], [*values, None])):
        found, form = parse(column(some), CellRules())
        assert found.to_pylist() == expected
        assert f"{mark!r} is read as a missing value, as all other cells are " in form.described("a")
    for others in (["red"], ["true"], ["007"], [*cells, "red"]):
        found, form = parse(column([*others, mark]), CellRules())
        assert (found.to_pylist(), form) == ([*others, mark], None)
    found, form = parse(column([mark, "?"]), CellRules())
    assert (found.to_pylist(), settled(form)) == ([mark, None], None)


@pytest.mark.parametrize("mark", ["na", "n.a.", "<NA>", "NaT", "#DIV/0!", "#REF!", "#VALUE!", "null", "NA"])
def test_a_known_mark_is_missing_in_every_column(mark):
    for others in (["red"], [1]):
        assert parse(column([*map(str, others), f"\u00a0{mark}"]), CellRules())[0].to_pylist() == [*others, None]


def test_bounds_alone_are_names():
    found, form = parse(column(["<=50K", ">50K"]), CellRules())
    assert (found.to_pylist(), settled(form)) == (["<=50K", ">50K"], None)


@pytest.mark.parametrize("kind", ["number", "whole", "date"])
def test_a_model_that_learned_numbers_or_dates_reads_doubtful_words_as_missing(kind):
    rows = pa.table({"a": ["-", "unknown", "?", "."]})
    assert as_kinds(Batch(rows), {"a": kind})["a"].null_count == 4
    assert as_kinds(Batch(rows), {"a": "text"})["a"].to_pylist() == ["-", "unknown", None, "."]


@given(st.lists(st.one_of(*KINDS, *RARE), max_size=6), st.lists(st.one_of(*KINDS, *RARE), max_size=6))
def test_the_type_of_a_column_is_that_of_its_parts(one, other):
    def kind(cells):
        column, form = parse(pa.chunked_array([pa.array(cells, pa.string())]), CellRules())
        return column.type if form is None else form

    assert kind(one + other) == merge_types(kind(one), kind(other))
