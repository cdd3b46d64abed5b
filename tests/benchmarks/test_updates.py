import pytest

from benchmarks import updates


@pytest.mark.slow
def test_every_way_is_measured_and_written(tmp_path, capsys):
    updates.main(["--set", "iris", "--splits", "1", "--jobs", "1", "--out", str(tmp_path)])
    page = (tmp_path / "updates.md").read_text(encoding="utf-8")
    ways = ("not updated", "trained again", "β kept", "β of the new rows", "mean of both", "β of all", "effects kept")
    assert all(way in page for way in (*ways, "Laplace", "Laplace, curvature × columns"))
    assert page.strip() in capsys.readouterr().out


def test_the_thirds_have_no_row_in_common_and_a_share_of_the_new_rows_is_added():
    rows = updates.Thirds.of("iris", 0, None, 0.4)
    assert [len(each) for each in (rows.old, rows.new, rows.test, rows.both)] == [50, 20, 50, 70]
    assert len({*rows.old, *rows.new, *rows.test}) == 120
