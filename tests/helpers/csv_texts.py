"""Random CSV files, small, with everything that a CSV file can have."""

import gzip
from dataclasses import dataclass

from hypothesis import strategies as st

NUMBERS = st.sampled_from(["0", "1", "2", "-3", " 4 ", "12"])
FRACTIONS = st.sampled_from(["0.5", "1.25", "-2.5", "1e2", "7"])
TEXT = st.sampled_from(["red", "blue", " red", "grün", "Ünal", '5" pipe', "it's"])
QUOTED = st.sampled_from(["a,b", "a;b", 'say "so"', "two\nlines", "two\r\nlines", "\n", '"', "tab\there"])
TRUTHS = st.sampled_from(["true", "False", "TRUE"])
CODES = st.sampled_from(["007", "7", "12"])
GROUPED = st.sampled_from(["1,234", "12,345.5", "7", "-1,000", "0.5"])
MONEY = st.sampled_from(["$3.50", "$ 4", "-$1,200", "5 $"])
UNITS = st.sampled_from(["12 kg", "3.5kg", "1,000 kg"])
WAYS = st.sampled_from(["(4)", "−3", "1 234", "2'500", "5k", "<5", ">5", "7", "1.5"])
WORDS = st.sampled_from(["-", "unknown", "None", "8", "."])
LARGE = st.sampled_from([str(2**53 + 1), str(2**63), "3"])
DATES = st.sampled_from(["2024-01-31", "2024-02-01 10:00", "10:30", "10"])
MOMENTS = st.sampled_from(["2024-01-31", "2023-02-01 10:00", "2024-03-03T10:00Z", "2024-05-05T01:00:00+02:00"])
WRITTEN_DATES = st.sampled_from(["3/4/2024", "13/4/2024", "5/6/2023", " 7/8/2024"])
OTHER_DATES = st.sampled_from(["1/13/2024", "31/4/2024", "3.4.2024", "3/4/24", "2024-02-30", "4 Mar 2024", "20240203"])
GAPS = st.sampled_from(["", "?", "NA", " NA ", "null", "-", "nan"])
KINDS = [
    NUMBERS,
    NUMBERS,
    FRACTIONS,
    TEXT,
    TEXT,
    QUOTED,
    QUOTED,
    TRUTHS,
    CODES,
    LARGE,
    st.just(""),
    GROUPED,
    MONEY,
    UNITS,
    WAYS,
    WORDS,
    MOMENTS,
    WRITTEN_DATES,
]
RARE = [
    MOMENTS,
    WRITTEN_DATES,
    OTHER_DATES,
    NUMBERS,
    FRACTIONS,
    TEXT,
    QUOTED,
    TRUTHS,
    CODES,
    LARGE,
    GAPS,
    GAPS,
    DATES,
    GROUPED,
    MONEY,
    UNITS,
    WAYS,
    WORDS,
]


@dataclass(frozen=True)
class CsvText:
    """A table as lines of CSV, and how they are written."""

    header: str
    lines: tuple[str, ...]
    delimiter: str
    decimal: str
    end: str
    last: str
    encoding: str
    packed: bool

    @property
    def suffix(self):
        return ".csv.gz" if self.packed else ".csv"

    def data(self, lines=slice(None)):
        """The bytes of a file with some of the lines."""
        data = (self.end.join([self.header, *self.lines[lines]]) + self.last).encode(self.encoding)
        return gzip.compress(data) if self.packed else data


@st.composite
def csv_texts(draw):
    """A table with a target named ``kind``: mostly of one kind a column, with other cells and gaps strewn in."""
    rows, columns = draw(st.integers(4, 24)), draw(st.integers(1, 3))
    cells = [draw(_column(rows)) for _ in range(columns)]
    classes = draw(st.lists(st.sampled_from(["x", "y", "y", "ü"]), min_size=rows - 3, max_size=rows - 3))
    names = draw(st.sampled_from([["a", "b"], [" a ", '"b,;\tb"'], ["", '"b\nb"']]))[: columns - 1]
    delimiter, decimal = draw(st.sampled_from([",.", ",.", ";.", ";,", "\t.", "|."]))
    lines = [
        delimiter.join(
            _cell(cell.translate(str.maketrans(".,", ",.")) if decimal == "," else cell, delimiter) for cell in row
        )
        for row in zip(*cells, ["x", "y", draw(st.sampled_from(["", "x"])), *classes], strict=True)
    ]
    in_cp1252 = "−" not in "".join(lines)
    return CsvText(
        delimiter.join([*names, "c", "kind"]),
        tuple(lines),
        delimiter,
        decimal,
        end=(end := draw(st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n"]))),
        last=draw(st.sampled_from([end, ""])),
        encoding=draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", *(["cp1252"] if in_cp1252 else [])])),
        packed=draw(st.sampled_from([False, False, False, True])),
    )


@st.composite
def _column(draw, rows):
    usual, rare = draw(st.sampled_from(KINDS)), draw(st.sampled_from(RARE))
    others = draw(st.sets(st.integers(0, rows - 1), max_size=3))
    return [draw(rare if row in others else usual) for row in range(rows)]


def _cell(cell, delimiter):
    """Quoted where it must be."""
    special = any(sign in cell for sign in (delimiter, "\r", "\n")) or cell.startswith('"')
    return '"' + cell.replace('"', '""') + '"' if special else cell
