import pytest

from benchmarks import ablation


def test_constants_of_pairs_are_changed_for_one_variant_only():
    before = {**ablation.USUAL, **ablation.USUAL_GRIDS}
    assert ablation.with_constants(STANDARD_ERRORS=0.0, MOST_GROUPS=8).pairs == "auto"
    assert (ablation.choosing.STANDARD_ERRORS, ablation.pairs.MOST_GROUPS) == (0.0, 8)
    ablation.with_constants()
    of_rooms = vars(ablation.choosing) | vars(ablation.pairs)
    assert before == {name: of_rooms[name] for name in ("STANDARD_ERRORS", "MULTIPLES", "MOST_GROUPS", "FLAT")}


@pytest.mark.slow
def test_every_variant_is_measured_and_written(tmp_path, capsys):
    ablation.main(["--set", "iris", "--splits", "1", "--jobs", "1", "--out", str(tmp_path)])
    page = (tmp_path / "ablation.md").read_text()
    assert all(what in page for what in ablation.VARIANTS)
    assert "Means over 1 set × 1 split." in page
    assert page.strip() in capsys.readouterr().out
