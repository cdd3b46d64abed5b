"""Dates as people write them, from cells of text; and the same from parts of a column."""

from datetime import date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb.tables import Batch, Dialect, as_kinds
from atfnb.tables.cells import CellRules, merge_types, parse
from atfnb.tables.date_cells import DateForm, in_words


def column(cells):
    return pa.chunked_array([pa.array(cells, pa.string())])


@pytest.mark.parametrize(
    ("cells", "values", "form"),
    [
        (["3/4/2020", "13/4/2020", "?"], [date(2020, 4, 3), date(2020, 4, 13), None], "%d/%m/%Y"),
        (["3/4/2020", "4/13/2020"], [date(2020, 3, 4), date(2020, 4, 13)], "%m/%d/%Y"),
        (["03-04-2020", "31-12-2019"], [date(2020, 4, 3), date(2019, 12, 31)], "%d-%m-%Y"),
        (["3.4.2020", "5.6.2020"], [date(2020, 4, 3), date(2020, 6, 5)], "%d.%m.%Y"),
        (["2020/3/4", "2020/12/31"], [date(2020, 3, 4), date(2020, 12, 31)], "%Y/%m/%d"),
        (["4 Mar 2020", "12 December 2020"], [date(2020, 3, 4), date(2020, 12, 12)], "%d %b %Y"),
        (["Mar. 4, 2020", "June 5, 2021"], [date(2020, 3, 4), date(2021, 6, 5)], "%b %d, %Y"),
        (["4-May-20", "5-Jun-99"], [date(2020, 5, 4), date(1999, 6, 5)], "%d-%b-%y"),
        (["13/4/69", "3/4/68"], [date(1969, 4, 13), date(2068, 4, 3)], "%d/%m/%y"),
        (["3/13/2020 5:30 PM", "3/4/2020 12:00 am"], [datetime(2020, 3, 13, 17, 30), datetime(2020, 3, 4)], None),
        (["29.2.2020 23:59:59"], [datetime(2020, 2, 29, 23, 59, 59)], "%d.%m.%Y %H:%M:%S"),
    ],
)
def test_one_format_reads_a_column_of_dates(cells, values, form):
    found, how = parse(column(cells), CellRules())
    assert found.to_pylist() == values
    assert form is None or how.recorded == form
    assert how.refusal("a.csv", "when") is None
    rows = as_kinds(Batch(pa.table({"when": cells})), {"when": "date"}, {"when": how.recorded})
    assert [each and each.date() for each in rows["when"].to_pylist()] == [
        each.date() if isinstance(each, datetime) else each for each in values
    ]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["3/4/2020", "5/6/2020"], "such as '3/4/2020', can be read as day/month/year or month/day/year: "),
        (["3/4/20 10:00", "5/6/20 11:00"], "can be read as day/month/year hour:minute or month/day/year hour:minute"),
        (["13/1/2020", "1/13/2020"], "holds dates in different formats, such as '13/1/2020' and '1/13/2020': "),
        (["2020-01-31", "1/2/2020"], "holds dates in different formats, such as '2020-01-31' and '1/2/2020': "),
        (["2020-01-31", "2020-02-30"], "holds dates, and no date format reads '2020-02-30': "),
        (["31/1/2020", "31/4/2020"], "holds dates, and no date format reads '31/4/2020': "),
        (["1 Jan 2020", "1 Juno 2020", "31 Feb 2020"], "no date format reads '31 Feb 2020': "),
    ],
)
def test_dates_that_cannot_be_read_are_refused_in_a_sentence(cells, said):
    found, form = parse(column(cells), CellRules())
    assert found.type == pa.string()
    assert said in str(form.refusal("a.csv", "when"))
    command = form.refusal("a.csv", "when").for_command
    assert command.startswith("a.csv: ")
    assert command.endswith("--categorical when.")
    assert len(command.splitlines()) == 1


@pytest.mark.parametrize(
    "cells",
    [["20-45-33", "12-11-10"], ["1/2", "3/4"], ["3/4/20", "a"], ["10/20/30", "99/1/20"], ["1.2.3"], ["2020-13"]],
)
def test_codes_that_look_a_little_like_dates_are_text(cells):
    found, form = parse(column(cells), CellRules())
    assert (found.type, form) == (pa.string(), None)


def test_the_formats_of_the_user_decide():
    cells = column(["3/4/2020", "5/6/2020"])
    found, form = parse(cells, CellRules(date_formats=("%m/%d/%Y",)))
    assert found.to_pylist() == [date(2020, 3, 4), date(2020, 5, 6)]
    assert form.described("when").startswith("'when' is read as dates written as month/day/year; ")
    found, form = parse(column(["20200304", "20201231"]), CellRules(date_formats=("%Y%m%d",)))
    assert found.to_pylist() == [date(2020, 3, 4), date(2020, 12, 31)]
    numbers, none = parse(column(["20200304", "20201331"]), CellRules(date_formats=("%Y%m%d",)))
    assert (numbers.to_pylist(), none) == ([20200304, 20201331], None)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("%d/%m", "lacks the year"),
        ("%d/%m/%Q", "%Q, which is not known"),
        ("%d/%d/%m/%Y", "something twice"),
        ("x", "day"),
    ],
)
def test_a_format_of_the_user_must_name_a_day(form, said):
    with pytest.raises(ValueError, match=said):
        Dialect(date_formats=(form,))


def test_iso_dates_are_read_where_another_format_was_learned_and_nothing_else():
    kinds, forms = {"when": "date"}, {"when": "%d/%m/%Y"}
    iso = as_kinds(Batch(pa.table({"when": ["2020-04-03", "?"]})), kinds, forms)
    assert iso["when"].to_pylist() == [datetime(2020, 4, 3), None]
    for cell in ("4/13/2020", "31/4/2020", "soon", "12"):
        with pytest.raises(
            ValueError, match=f"'{cell}' in column 'when', row 2, is not a date, which the model learned"
        ):
            as_kinds(Batch(pa.table({"when": ["3/4/2020", cell]})), kinds, forms)
    with pytest.raises(ValueError, match="held dates when the model was trained and is of type int64 now"):
        as_kinds(Batch(pa.table({"when": [1]})), kinds)


def test_moments_with_a_zone_are_in_utc():
    found, form = parse(column(["2020-01-01T10:00:00+02:00", "2020-01-01 10:00", "2020-01-01T10:00Z"]), CellRules())
    assert form is None
    assert [moment.hour for moment in found.to_pylist()] == [8, 10, 10]


FORMATS = st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%d/%m/%y", "%m/%d/%Y %H:%M"])
SOME = st.datetimes(datetime(1969, 1, 1), datetime(2068, 12, 31))


@given(FORMATS, st.lists(SOME, min_size=1, max_size=20), st.booleans())
def test_what_is_written_in_a_format_is_read_again(form, moments, with_gap):
    cells = [moment.strftime(form) for moment in moments] + ["NA"] * with_gap
    known = () if form == "%Y-%m-%d" else (form,)
    found, _ = parse(column(cells), CellRules(date_formats=known))
    wanted = [datetime.strptime(cell, form) for cell in cells[: len(moments)]]
    assert pa.compute.cast(found, pa.timestamp("us")).to_pylist() == wanted + [None] * with_gap


@given(FORMATS, FORMATS, st.lists(SOME, max_size=6), st.lists(SOME, max_size=6))
def test_the_form_of_a_column_is_that_of_its_parts(one, other, some, more):
    def kind(cells):
        found, form = parse(column(cells), CellRules(date_formats=("%m/%d/%Y",)))
        return found.type if form is None else form

    first, second = [moment.strftime(one) for moment in some], [moment.strftime(other) for moment in more]
    assert kind(first + second) == merge_types(kind(first), kind(second))


def test_a_form_is_described_in_words():
    assert in_words("%b %d, %Y %I:%M %p") == "month day, year hour:minute AM or PM"
    assert DateForm(("%d/%m/%Y", "%m/%d/%Y"), ("1/2/2020",)).is_decided is False
