import json
import sys

import pytest

from benchmarks.speed.__main__ import cells, main
from benchmarks.speed.comparisons import from_floats
from benchmarks.speed.measuring import Comparison


@pytest.mark.slow
def test_every_row_is_measured_printed_and_written(tmp_path, capsys):
    main(["--shrink", "200", "--out", str(tmp_path)])
    written = json.loads((tmp_path / "speed.json").read_text())
    page = (tmp_path / "speed.md").read_text()
    shown = capsys.readouterr().out
    for row in written["rows"]:
        assert row["ours"] > 0 or "needs its file" in row["note"]
        assert row["what"] in page
    for part in (
        "ATFNB fit on codes",
        "predict",
        "CFWBeta",
        "FusionNB",
        "raw floats",
        "ChiMerge",
        "QSF",
        "iris",
        "fewer than 500 rows",
        "wide",
        "growth",
        "memory",
        "workbook",
        "dates",
        "atfnb predict",
        "DuckDB",
        "ONNX Runtime",
        "model.sql",
    ):
        assert any(part in row["what"] for row in written["rows"])
    assert written["machine"]["date"] in page
    assert "speed.md" in shown


def test_a_missing_peer_leaves_its_row_marked(monkeypatch):
    monkeypatch.setitem(sys.modules, "toad.merge", None)
    rows = [row for row in from_floats(shrink=1000) if "toad" in row.against]
    assert [row.theirs for row in rows] == [None, None]
    assert "peer not installed" in cells(rows[0])


@pytest.mark.parametrize(
    ("ours", "theirs", "aim", "ratio", "verdict"),
    [
        (1.0, 4.0, 0.4, "0.25", "reached"),
        (1.0, 2.0, 0.4, "0.5", "**not reached**"),
        (1.0, 2000.0, 1 / 1000, "1/2000", "reached"),
    ],
)
def test_ratios_in_words(ours, theirs, aim, ratio, verdict):
    words = cells(Comparison("a", "b", ours, theirs, aim))
    assert words[4] == ratio
    assert words[6] == verdict
