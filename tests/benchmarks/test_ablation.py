import pytest

from atfnb.fusion import choosing, pairs
from benchmarks import ablation


def test_constants_of_pairs_are_changed_for_one_variant_only():
    before = {**ablation.USUAL, **ablation.USUAL_GRIDS}
    assert ablation.with_constants(STANDARD_ERRORS=0.0, MOST_GROUPS=8).pairs == "auto"
    assert (choosing.STANDARD_ERRORS, pairs.MOST_GROUPS) == (0.0, 8)
    ablation.with_constants()
    assert before == {"STANDARD_ERRORS": choosing.STANDARD_ERRORS, "MULTIPLES": choosing.MULTIPLES} | {
        "MOST_GROUPS": pairs.MOST_GROUPS,
        "FLAT": pairs.FLAT,
    }


@pytest.mark.slow
def test_every_variant_is_measured_and_written(tmp_path, capsys):
    ablation.main(["--set", "iris", "--splits", "1", "--jobs", "1", "--out", str(tmp_path)])
    page = (tmp_path / "ablation.md").read_text()
    assert all(what in page for what in ablation.VARIANTS)
    assert "Means over 1 set × 1 split." in page
    assert page.strip() in capsys.readouterr().out
