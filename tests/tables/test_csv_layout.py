"""Encodings, delimiters, headers and decimal signs are found out, and said."""

import pytest

from atfnb.tables.encodings import sniff_encoding
from helpers.table_files import format_of, read, text_of, written

SAMPLES = {
    "German": "Stadt;Größe\nMünchen;groß\nKöln;mittel\nDüsseldorf;mittel\n",
    "one umlaut": "name,value\nMüller,3\nMeier,4\n",
    "French": "ville,état\nOrléans,très élevé\nBéziers,modéré\nNîmes,cœur\n",
    "Spanish": "ciudad,x\nMálaga,año\nCoruña,niño\n",
    "euro": "preis,x\n3 €,1\n5 €,2\n",
    "Polish": "miasto,ocena\nŁódź,dobra\nGdańsk,średnia\nKraków,świetna\nWrocław,zła\n",
    "short Polish": "miasto,x\nŁódź,1\nWrocław,2\n",
    "Czech": "město,x\nPlzeň,žluťoučký\nČeské Budějovice,kůň\n",
    "Russian": "город,оценка\nМосква,хорошо\nКазань,плохо\nТверь,отлично\n",
    "Greek": "πόλη,x\nΑθήνα,καλό\nΠάτρα,κακό\n",
    "Japanese": "都市,評価\n東京,良い\n大阪,普通\n京都,悪い\n",
    "Chinese": "城市,评价\n北京,好\n上海,一般\n",
    "Korean": "도시,평가\n서울,좋음\n부산,나쁨\n",
}
ENCODINGS = {
    **{name: ["cp1252"] for name in ("German", "one umlaut", "French", "Spanish", "euro")},
    **{name: ["cp1250"] for name in ("short Polish", "Czech")},
    "Polish": ["cp1250", "iso8859_2"],
    "Russian": ["cp1251", "koi8_r"],
    "Greek": ["cp1253"],
    "Japanese": ["cp932", "euc_jp"],
    "Chinese": ["gb18030"],
    "Korean": ["cp949"],
}


@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize(("sample", "encoding"), [(s, e) for s, encodings in ENCODINGS.items() for e in encodings])
def test_old_encodings_are_told(sample, encoding, times):
    data = (SAMPLES[sample] * times).encode(encoding)
    assert data.decode(sniff_encoding(data)) == SAMPLES[sample] * times


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_unicode_is_told(sample, encoding, tmp_path):
    if encoding in ("utf-16-le", "utf-16-be") and sample in ("Japanese", "Chinese", "Korean", "Greek", "Russian"):
        pytest.skip("without a mark, only text that is mostly ASCII shows it")
    rows = SAMPLES[sample].strip().split("\n")
    path = written(tmp_path, SAMPLES[sample].encode(encoding))
    delimiter = ";" if ";" in rows[0] else ","
    assert read(path).column_names == text_of(path).column_names == rows[0].split(delimiter)
    assert text_of(path).column(0)[0].as_py() == rows[1].split(delimiter)[0]
    assert format_of(path).encoding == encoding


@pytest.mark.parametrize("end", [0, 1, 2])
def test_a_sample_cut_inside_a_character_is_still_utf8(end):
    data = "東京".encode()
    assert sniff_encoding(data[: len(data) - end]) == "utf-8"


def test_an_encoding_that_shows_late_is_found_when_reading_whole(tmp_path):
    data = b"a,b\n" + b"1,2\n" * 200_000 + "Köln,3\nMünchen,4\n".encode("cp1252")
    path = written(tmp_path, data)
    assert read(path)["a"][-2:].to_pylist() == ["Köln", "München"]
    assert str(format_of(path)) == "table.csv: CSV, CP1252, separated by commas"


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b\n1,5;2,5\n3,5;4,0\n", ";"),
        ("a\tb\nx, y\tz\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a;b",c\n"x;y",2\n', ","),
        ('a;b\n"1;2;3";2\n', ";"),
        ("City, State\tn\nUlm, BW\t1\nBonn, NRW\t2\n", "\t"),
        ("a\n1\n2\n", None),
        ("a,b\n1,2\n3,4\n5\n", ","),
    ],
)
def test_the_delimiter_is_told(text, delimiter, tmp_path):
    from atfnb.tables import open_table

    with open_table(written(tmp_path, text)) as file:
        assert file.format.delimiter == delimiter


def test_the_delimiter_that_the_user_insists_on_is_taken(tmp_path):
    path = written(tmp_path, "a b;c\n1 2;3\n")
    assert read(path, delimiter=" ").column_names == ["a", "b;c"]
    assert read(path).column_names == ["a b", "c"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_of_any_kind_and_blank_lines(end, last, tmp_path):
    lines = ["", ' a ,"b\nc"', "", "1,x", '2,"y\ny"', "", "3,z"]
    path = written(tmp_path, end.join(lines) + (end if last else ""))
    for table in (read(path), text_of(path)):
        assert table.column_names == ["a", "b\nc"]
        assert table.column(1).to_pylist() == ["x", "y\ny", "z"]


def test_a_column_without_a_name_gets_one(tmp_path):
    assert read(written(tmp_path, ",x\n0,5\n1,6\n")).column_names == ["column 1", "x"]


def test_a_count_as_names_is_a_header(tmp_path):
    assert read(written(tmp_path, "0,1,2\n5,6,7\n")).to_pydict() == {"0": [5], "1": [6], "2": [7]}


def test_decimal_commas_and_points(tmp_path):
    comma = read(written(tmp_path, "a;b;c\n1,5;2;1.000,5\n-2,25e1;3;2\n"))
    assert comma.to_pydict() == {"a": [1.5, -22.5], "b": [2, 3], "c": [1000.5, 2.0]}
    assert read(written(tmp_path, "a;b\n1,5;2,5\n"))["a"].to_pylist() == [1.5]
    mixed = read(written(tmp_path, "a;b\n1,5;2.5\n"))
    assert mixed.to_pydict() == {"a": ["1,5"], "b": [2.5]}


def test_what_was_found_out_is_said(tmp_path):
    import gzip

    path = written(tmp_path, gzip.compress("a;b\n1,5;2\n".encode("utf-8-sig")), "t.data")
    assert str(format_of(path)) == "t.data: CSV, UTF-8 with a BOM, separated by semicolons, decimal comma, gzip"
    assert str(format_of(written(tmp_path, "a\tb\n1\t2\n"))) == "table.csv: CSV, UTF-8, separated by tabs"
    assert str(format_of(written(tmp_path, "a\n1\n"))) == "table.csv: CSV, UTF-8, one column"
    assert str(format_of(written(tmp_path, "a:b\n1:2\n"), delimiter=":")).endswith("separated by ':'")
