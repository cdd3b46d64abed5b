"""Dates as people write them, from cells of text; and the same from parts of a column."""

import re
from datetime import date, datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb.tables import Batch, Dialect, as_kinds
from atfnb.tables.cells import CellRules, merge_types, parse
from atfnb.tables.date_cells import _FORMATS, DateForm, _moments, in_words


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
    sentence = str(form.refusal("a.csv", "when"))
    assert said in sentence
    assert sentence.startswith("a.csv: ")
    assert sentence.endswith("as_text=['when'].")
    assert len(sentence.splitlines()) == 1


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


@pytest.mark.parametrize(
    ("cells", "zone", "hours"),
    [
        (["2020-01-01T10:00:00+02:00", "2020-07-01 08:30+0200"], "+02:00", [10, 8]),
        (["2020-01-01T10:00:00Z", "NA"], "UTC", [10, None]),
        (["2020-01-01T10:00:00+02:00", "2020-01-01T10:00Z"], "UTC", [8, 10]),
    ],
)
def test_moments_with_offsets_are_in_the_zone_that_all_of_them_have_or_in_utc(cells, zone, hours):
    found, form = parse(column(cells), CellRules())
    assert form is None
    assert found.type.tz == zone
    assert pa.compute.hour(found).to_pylist() == hours


def test_moments_with_a_zone_beside_others_are_refused():
    _, form = parse(column(["2020-01-01T10:00:00+02:00", "2020-01-01 10:00"]), CellRules())
    said = "holds dates in different formats, such as '2020-01-01T10:00:00.02:00' and '2020-01-01 10:00'"
    assert re.search(said, str(form.refusal("x.csv", "when")))
    assert merge_types(pa.timestamp("us", "UTC"), pa.timestamp("us")).refusal("x.csv", "when") is not None
    assert merge_types(pa.timestamp("us", "+02:00"), pa.timestamp("us", "+01:00")) == pa.timestamp("us", "UTC")


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


# --- Cells in a format -------------------------------------------------------------------------------

PATTERNS = {
    "Y": r"(?P<year>[0-9]{4})",
    "y": r"(?P<short>[0-9]{2})",
    "m": r"(?P<month>[0-9]{1,2})",
    "b": r"(?P<name>[A-Za-z]{3,9})\.?",
    "B": r"(?P<name>[A-Za-z]{3,9})\.?",
    "d": r"(?P<day>[0-9]{1,2})",
    "H": r"(?P<hour>[0-9]{1,2})",
    "I": r"(?P<twelve>[0-9]{1,2})",
    "M": r"(?P<minute>[0-9]{2})",
    "S": r"(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,6}))?",
    "p": r"(?P<half>[AaPp])\.?[Mm]\.?",
}
NAMES = ["january", "february", "march", "april", "may", "june", "july", "august"]
NAMES += ["september", "october", "november", "december"]
FORMS = [*_FORMATS, "%Y%m%d", "%d%m%Y", "%y%m%d %H%M%S", "%d.%b.%Y", "%d%b%y", "%bT%d %Y", "%B %d. %Y", "%Y年%m月%d日"]
FORMS += ["%m%p%d%I%y", "%I %d %m %Y", "%H:%M %p %d/%m/%Y", "%M %d %m %Y", "%S.%d/%m/%Y", "%d  %b\t%Y", "%p.%d.%m.%Y%"]


def moment_of(cell, form):
    """Return the moment that a cell says in a format, or None: the regular expression of the format, then NumPy."""
    pieces = re.split(r"%(.)", form)
    plain = [re.sub(r"(?:\\?\s)+", r"[ \\t\\n\\f\\r]+", re.escape(piece)) for piece in pieces[::2]]
    groups = [PATTERNS[letter] for letter in pieces[1::2]]
    found = re.fullmatch("".join(map("".join, zip(plain, [*groups, ""], strict=True))), cell)
    if not found:
        return None
    said = {name: text for name, text in found.groupdict().items() if text is not None}
    year = said.get("year") or ("19" if said["short"] >= "69" else "20") + said["short"]
    short = [name[:3] for name in NAMES]
    named = said.get("name", "jan")[:3].lower()
    month = said.get("month") or (short.index(named) + 1 if named in short else 0)
    hour = int(said.get("twelve", said.get("hour", 0)))
    if "twelve" in said and not 1 <= hour <= 12:
        return None
    if "twelve" in said and "half" in said:
        hour = hour % 12 + 12 * (said["half"] in "Pp")
    clock = f"{hour:02}:{said.get('minute', '00')}:{said.get('second', '00')}.{said.get('fraction', '0'):0<6}"
    try:
        return np.datetime64(f"{year}-{int(month):02}-{int(said['day']):02}T{clock}", "us")
    except ValueError:
        return None


def read(cells, form):
    cells = cells if isinstance(cells, pa.Array) else pa.array(cells, pa.string())
    found = _moments(cells, form).to_numpy(zero_copy_only=False)
    return [None if np.isnat(moment) else moment for moment in found]


@st.composite
def nearly(draw, form):
    """Return a cell that is written in a format, but for numbers that no date has, or for a character."""

    def number(most):
        return st.integers(0, most).flatmap(lambda n: st.sampled_from([f"{n:02}", str(n)]))

    names = st.sampled_from([*NAMES, *(name[:3] for name in NAMES), "Sept", "Juno", "ma", "xyz", "decemberly"])
    written = {
        "Y": st.integers(0, 9999).map("{:04}".format) | st.integers(1890, 2110).map(str),
        "y": st.integers(0, 99).map("{:02}".format),
        **dict.fromkeys("bB", st.builds(str.__add__, names | names.map(str.title) | names.map(str.upper), DOT)),
        "m": number(13),
        "d": number(32),
        "H": number(25),
        "I": number(14),
        "M": number(61),
        "S": st.builds(str.__add__, number(61), st.just("") | st.from_regex(r"\.[0-9]{0,7}", fullmatch=True)),
        "p": st.builds("{}{}{}{}".format, st.sampled_from("AaPpx"), DOT, st.sampled_from("Mmn"), DOT),
    }
    pieces = re.split(r"%(.)", form)
    spaced = [
        re.sub(r"\s", lambda _: draw(st.sampled_from([" ", " ", "  ", "\t", ""])), piece) for piece in pieces[::2]
    ]
    directives = [draw(written[letter]) for letter in pieces[1::2]]
    cell = "".join(map("".join, zip(spaced, [*directives, ""], strict=True)))
    if draw(st.booleans()):
        return cell
    where, what = draw(st.integers(0, len(cell))), draw(st.text("019 ./:-TaMpé年\u00a0\n\x00", max_size=2))
    return cell[:where] + what + cell[where + draw(st.integers(0, 2)) :]


DOT = st.sampled_from(["", "", "."])
CELLS = st.text("0123456789/-.:, TaAmMpPjanfebdé年\U0001f600\x00", max_size=24) | st.text(max_size=40)


@given(st.sampled_from(FORMS).flatmap(lambda form: st.lists(nearly(form) | CELLS, max_size=10)))
def test_a_format_reads_what_its_pattern_matches(cells):
    for form in FORMS:
        assert read(cells, form) == [moment_of(cell, form) for cell in cells], form


@given(st.datetimes(datetime(1969, 1, 1), datetime(2068, 12, 31)))
def test_a_format_reads_as_strptime_does(moment):
    for form in _FORMATS:
        cell = moment.strftime(form)
        wanted = np.datetime64(datetime.strptime(cell, form), "us")
        assert read([cell, cell.upper()], form) == [wanted] * 2, form


@pytest.mark.parametrize(
    ("form", "cell", "moment"),
    [
        ("%d/%m/%Y %H:%M", "13/4/2020 17:30", "2020-04-13T17:30"),
        ("%d/%m/%Y %H:%M", "13/4/2020 7:30", "2020-04-13T07:30"),
        ("%d/%m/%Y %H:%M", "13/4/2020 17:3", None),
        ("%d/%m/%Y %H:%M", "13/4/202017:30", None),
        ("%d/%m/%Y %H:%M", "13/ 4/2020 17:30", None),
        ("%d/%m/%Y %H:%M", "13/4/2020 24:00", None),
        ("%d/%m/%Y %H:%M", f"13/4/2020{' ' * 100}17:30", "2020-04-13T17:30"),
        ("%d %b %Y %H:%M:%S", "4 MARCH. 2020 17:30:05.25", "2020-03-04T17:30:05.250"),
        ("%d %b %Y %H:%M:%S", "4 Mar 2020 17:30:05.", None),
        ("%d %b %Y %H:%M:%S", "4 Mar 2020 17:30:60", None),
        ("%m/%d/%Y %I:%M %p", "3/13/2020 12:30 a.m.", "2020-03-13T00:30"),
        ("%m/%d/%Y %I:%M %p", "3/13/2020 12:30 PM", "2020-03-13T12:30"),
        ("%m/%d/%Y %I:%M %p", "3/13/2020 13:30 AM", None),
        ("%m/%d/%Y %I:%M %p", "3/13/2020 0:30 AM", None),
        ("%d.%b.%Y", "4.Mar.2020", "2020-03-04"),
        ("%d%m%Y", "1122020", "2020-02-11"),
        ("%Y%m%d", "2020131", None),
        ("%d/%m/%Y", "29/2/1900", None),
        ("%d/%m/%Y", "29/2/2000", "2000-02-29"),
        ("%d/%m/%Y", "29/2/0000", "0000-02-29"),
        ("%d/%m/%Y", "31/12/9999", "9999-12-31"),
        ("%d/%m/%y", "1/1/69", "1969-01-01"),
        ("%d/%m/%y", "1/1/68", "2068-01-01"),
    ],
)
def test_a_cell_is_read_by_a_format_or_not(form, cell, moment):
    assert read([cell], form) == [moment and np.datetime64(moment, "us")]
    assert moment_of(cell, form) == (moment and np.datetime64(moment, "us"))


@given(st.sampled_from(FORMS), st.data())
def test_a_cell_is_read_by_itself_wherever_it_stands(form, data):
    cells = data.draw(st.lists(st.none() | nearly(form).flatmap(pieces_of) | st.just("1" * 1000), max_size=12))
    first, end = sorted(data.draw(st.tuples(*[st.integers(0, len(cells))] * 2)))
    alone = [None if cell is None else read([cell], form)[0] for cell in cells[first:end]]
    assert read(pa.array(cells, pa.string()).slice(first, end - first), form) == alone


def pieces_of(cell):
    """Return a cell as it is, or a beginning or an end of it, which its neighbour may complete."""
    cut = st.integers(0, len(cell))
    return st.just(cell) | cut.map(lambda at: cell[:at]) | cut.map(lambda at: cell[at:])


def test_what_stands_in_a_missing_cell_is_not_read():
    validity, offsets, text = pa.array(["13/4/2020", "14/4/2020"]).buffers()
    cells = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(b"\x02"), offsets, text])
    assert validity is None
    assert _moments(cells, "%d/%m/%Y").to_pylist() == [None, datetime(2020, 4, 14)]
    assert _moments(pa.array([None, None], pa.string()), "%d/%m/%Y").null_count == 2
    assert len(_moments(pa.array([], pa.string()), "%d/%m/%Y")) == 0


def test_dates_of_many_rows_are_read_in_order():
    hours = np.datetime64("2020-01-01T00", "us") + np.arange(40_000) * np.timedelta64(1, "h")
    cells = [moment.strftime("%d/%m/%Y %H:%M") for moment in hours.tolist()]
    text = pa.chunked_array([cells[:15_000], cells[15_000:15_001], cells[15_001:], ["NA"]])
    found, form = parse(text, CellRules())
    assert form.formats == ("%d/%m/%Y %H:%M",)
    assert found.to_pylist() == [*hours.tolist(), None]
    late = pa.chunked_array([*text.chunks, ["31/4/2020 10:00"]])
    assert parse(late, CellRules())[1].refusal("a.csv", "when") is not None
