from benchmarks import ablation


def test_every_variant_is_measured_and_written(tmp_path, capsys):
    ablation.main(["--set", "iris", "--splits", "1", "--jobs", "1", "--out", str(tmp_path)])
    page = (tmp_path / "ablation.md").read_text()
    assert all(what in page for what in ablation.VARIANTS)
    assert "Means over 1 set × 1 split." in page
    assert page.strip() in capsys.readouterr().out
