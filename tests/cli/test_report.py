"""atfnb report: a page, and what it needs."""

from atfnb import NB, save
from helpers.cli_tables import pets


def test_report_writes_a_page(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    code, _, err = run("report", "model.json", "pets.csv", "-o", "report.html")
    assert code == 0, err
    assert "Report saved to report.html." in err
    assert "<title>" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_model_that_does_not_name_its_target_asks_for_it(run, folder):
    table = pets()
    save(NB().fit(table.drop(columns="kind"), table["kind"]), "model.json")
    code, _, err = run("report", "model.json", "pets.csv", "-o", "report.html")
    assert code == 1
    assert "name it with --target" in err
    assert run("report", "model.json", "pets.csv", "-o", "report.html", "--target", "kind", "--folds", "2")[0] == 0


def test_a_class_with_one_row_is_named_on_the_page(run, folder):
    for kinds, said in ((["fish"], "Class &#39;fish&#39;: one row only"), (["fish", *["cat"] * 79], "")):
        table = pets()
        table.loc[: len(kinds) - 1, "kind"] = kinds
        table.to_csv("rare.csv", index=False)
        assert run("train", "rare.csv", "-t", "kind", "-o", "model.json")[0] == 0
        code, _, err = run("report", "model.json", "rare.csv", "-o", "report.html")
        assert code == 0, err
        assert said in (folder / "report.html").read_text(encoding="utf-8")


def test_no_output_replaces_what_it_is_made_of(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    (folder / "link.csv").symlink_to("pets.csv")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for out in ("model.json", "pets.csv", "link.csv"):
        code, _, err = run("report", "model.json", "pets.csv", "-o", out)
        assert code == 1
        assert "would replace the input" in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
