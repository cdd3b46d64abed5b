from atfnb.bench.__main__ import CLASSIFIERS, SETS, compare, main


def test_the_demo_compares_every_classifier_on_every_set(capsys, monkeypatch):
    monkeypatch.delitem(SETS, "digits")
    means = compare(n_splits=2)
    assert set(means) == {"iris", "wine", "breast-cancer"}
    assert all(set(row) == set(CLASSIFIERS) and min(row.values()) > 0.8 for row in means.values())
    monkeypatch.setattr("atfnb.bench.__main__.compare", lambda n_splits: means)
    main()
    shown = capsys.readouterr().out
    assert "iris" in shown
    assert f"{means['wine']['NB']:.4f}" in shown
