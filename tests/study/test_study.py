"""A study can be interrupted, resumed and split over processes, and gives the same bytes."""

import json
from dataclasses import replace

import numpy as np
import pytest

from atfnb_study import study
from atfnb_study.sets import Uci, source
from atfnb_study.study import StudyOptions, run_study

SETS = ("iris", "titanic", "balance-scale")
OPTIONS = StudyOptions(SETS, ("NB", "WNB", "ATFNB", "FusionNB"), n_splits=3)


def results_of(folder):
    return (folder / "results.csv").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, run_study(OPTIONS, folder, jobs=1)


@pytest.mark.slow
def test_one_process_and_two_give_the_same_bytes(whole, tmp_path):
    run_study(OPTIONS, tmp_path, jobs=2)
    assert results_of(tmp_path) == results_of(whole[0])


def test_interrupted_and_resumed_it_gives_the_same_bytes(whole, tmp_path, monkeypatch):
    real, done = study.run_split, []

    def stop_after_four(*args, **kwargs):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(study, "run_split", stop_after_four)
    with pytest.raises(KeyboardInterrupt):
        run_study(OPTIONS, tmp_path, jobs=1)
    assert not (tmp_path / "results.csv").exists()
    journal = tmp_path / "journal.jsonl"
    with journal.open("a") as file:
        file.write('{"name": "iris", "spl')  # a kill in the middle of a line
    ran = []
    monkeypatch.setattr(study, "run_split", lambda *args, **kwargs: ran.append(args) or real(*args, **kwargs))
    with pytest.warns(UserWarning, match="was cut off: it is dropped"):
        run_study(OPTIONS, tmp_path, jobs=1)
    assert len(ran) == 9 - 4
    assert results_of(tmp_path) == results_of(whole[0])


def test_a_finished_study_runs_nothing_again(whole, monkeypatch):
    monkeypatch.setattr(study, "run_split", None)
    again = run_study(OPTIONS, whole[0], jobs=1)
    for part in ("accuracy", "log_loss", "brier", "reliability", "seconds"):
        np.testing.assert_array_equal(getattr(again, part), getattr(whole[1], part))


def test_the_file_of_results_holds_what_the_arrays_hold(whole):
    head, *lines = (line.split(",") for line in results_of(whole[0]).decode().splitlines())
    assert head == ["set", "split", "classifier", "right", "test_rows", "log_loss", "brier"]
    shape = whole[1].accuracy.shape
    assert len(lines) == np.prod(shape)
    assert all(len(cell.split(".")[1]) == 6 for line in lines for cell in line[5:])
    written = np.array([[float(line[3]) / float(line[4]), *map(float, line[5:])] for line in lines])
    ours = (whole[1].accuracy, whole[1].log_loss, whole[1].brier)
    for column, part in zip(written.T, ours, strict=True):
        np.testing.assert_array_equal(column.reshape(shape), part)


def test_the_seconds_of_every_fit_are_in_a_file_of_their_own(whole):
    folder, results = whole
    head, *lines = (line.split(",") for line in (folder / "times.csv").read_text().splitlines())
    assert head == ["set", "split", "classifier", "fit_seconds"]
    written = np.array([float(line[3]) for line in lines]).reshape(results.seconds.shape)
    np.testing.assert_array_equal(written, results.seconds)
    assert (results.seconds > 0).all()
    assert b"seconds" not in results_of(folder)


def test_a_journal_without_seconds_is_refused(whole, tmp_path):
    first, *lines = map(json.loads, (whole[0] / "journal.jsonl").read_text().splitlines())
    first["recorded"].remove("seconds")
    for line in lines:
        del line["seconds"]
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [first, *lines]))
    with pytest.raises(ValueError, match=r"holds a study with recorded = \[.*'reliability'\], not "):
        run_study(OPTIONS, tmp_path)


def test_the_bins_sum_to_the_test_rows_and_to_the_right_ones(whole):
    lines = [json.loads(line) for line in (whole[0] / "journal.jsonl").read_text().splitlines()[1:]]
    for line in lines:
        for name, bins in line["reliability"].items():
            rows, _, right = np.sum(bins, axis=0)
            assert rows == line["test_rows"]
            assert right == line["right"][name]
    assert whole[1].reliability.shape == (4, 10, 3)
    np.testing.assert_array_equal(
        whole[1].reliability[:, :, 0].sum(axis=1), [sum(line["test_rows"] for line in lines)] * 4
    )


def test_other_options_in_the_same_folder_are_refused(whole):
    with pytest.raises(ValueError, match="holds a study with seed = 0, not 7: choose another folder"):
        run_study(StudyOptions(SETS, OPTIONS.classifiers, 3, seed=7), whole[0])


def test_a_journal_of_a_version_that_wrote_less_is_refused_in_one_sentence(whole, tmp_path):
    first, *lines = map(json.loads, (whole[0] / "journal.jsonl").read_text().splitlines())
    del first["recorded"]
    old = [first, *({key: line[key] for key in ("name", "split", "test_rows", "right")} for line in lines)]
    (tmp_path / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in old))
    with pytest.raises(
        ValueError, match=r"holds a study of another version, without recorded = \['right', 'log_loss', 'brier', "
    ):
        run_study(OPTIONS, tmp_path)


@pytest.mark.parametrize("text", ["nonsense\nmore\n", "[]\n", '{"name": "iris"}\n'])
def test_a_damaged_journal_is_named(whole, tmp_path, text):
    first = (whole[0] / "journal.jsonl").read_text().split("\n")[0] + "\n"
    (tmp_path / "journal.jsonl").write_text(first + text if "name" in text else text)
    with pytest.raises(ValueError, match=r"journal\.jsonl is damaged"):
        run_study(OPTIONS, tmp_path)


@pytest.mark.parametrize("kept", [40, -3, -30])
def test_a_journal_cut_off_anywhere_goes_on(whole, tmp_path, kept):
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes((whole[0] / "journal.jsonl").read_bytes()[:kept])
    with pytest.warns(UserWarning, match="was cut off"):
        run_study(OPTIONS, tmp_path, jobs=1)
    assert results_of(tmp_path) == results_of(whole[0])


def test_a_cut_inside_a_letter_is_a_cut(tmp_path):
    options = StudyOptions(("iris",), ("NB", "CFW-β"), 2)
    first = run_study(options, tmp_path, jobs=1)
    journal = tmp_path / "journal.jsonl"
    text = journal.read_bytes()
    journal.write_bytes(text[: text.rindex("β".encode()) + 1])
    with pytest.warns(UserWarning, match="was cut off"):
        again = run_study(options, tmp_path, jobs=1)
    np.testing.assert_array_equal(again.accuracy, first.accuracy)


def test_other_data_in_the_same_folder_is_refused(tmp_path):
    ours = StudyOptions(("iris",), ("NB",), 2, sources={"iris": source("iris", Uci())})
    run_study(ours, tmp_path, jobs=1)
    with pytest.raises(ValueError, match="holds a study with sources"):
        run_study(StudyOptions(("iris",), ("NB",), 2, sources={"iris": "folder 0123456789ab"}), tmp_path, jobs=1)


def test_names_that_stand_for_one_model_are_compared_once(tmp_path):
    names = ("NB", "WNB", "KLNB", "ATFNB", "IP", "MP")
    results = run_study(StudyOptions(SETS, names, 2), tmp_path, jobs=1)
    assert results.distinct()[0][:2] == ["NB", "WNB = KLNB"]
    assert any(name.startswith("ATFNB = IP = MP") for name in results.distinct()[0])
    assert results.distinct()[1].shape[1] == len(results.distinct()[0])


def test_models_that_are_right_alike_but_not_sure_alike_are_two(whole):
    same = replace(whole[1], accuracy=np.ones_like(whole[1].accuracy))
    assert list(same.groups()) == list(OPTIONS.classifiers)
    same = replace(same, log_loss=np.ones_like(same.log_loss))
    assert same.groups() == {"NB = WNB = ATFNB = FusionNB": 0}


def test_results_carry_versions_seed_and_options(whole):
    first = json.loads((whole[0] / "journal.jsonl").read_text().split("\n")[0])
    assert first["seed"] == 0
    assert first["order"] == "clean"
    assert set(first["versions"]) == {"atfnb", "numpy", "scipy", "scikit-learn", "numba", "pandas"}


def test_progress_is_reported_after_every_split(tmp_path):
    reported = []
    run_study(StudyOptions(("iris",), ("NB",), 2), tmp_path, jobs=1, progress=lambda *args: reported.append(args))
    assert reported == [(1, 2, "iris"), (2, 2, "iris")]


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.shared
def test_the_means_over_the_50_sets_are_those_of_the_prototype(shared, tmp_path):
    from atfnb_study import datasets

    options = StudyOptions(tuple(datasets.catalogue()), ("NB", "WNB", "CFW", "ATFNB"), n_splits=3)
    results = run_study(options, tmp_path, sets=Uci(str(shared / "datasets")), jobs=2)
    np.testing.assert_allclose(results.mean.mean(axis=0), [0.828, 0.813, 0.831, 0.829], atol=0.01)
