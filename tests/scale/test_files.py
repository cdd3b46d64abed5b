"""Files as they come: parts of Parquet and CSV give the model of memory, and what is wrong is named."""

import dask.dataframe as dd
import numpy as np
import pyarrow as pa
import pytest
from dask.delayed import delayed
from pyarrow import parquet

from atfnb import ATFNB, NB
from atfnb.scale import fit_dask, fit_files, predict_dask
from atfnb.tables import Policy
from helpers.scale_tables import assert_same_model, big_frame, in_memory, in_parts

FRAME = big_frame(3000)
WHOLE = in_memory(ATFNB(), FRAME)


def write(folder, *frames, suffix="parquet", **options):
    """One file of each frame; gives the pattern of all."""
    for number, frame in enumerate(frames):
        path = folder / f"{number}.{suffix}"
        if suffix == "parquet":
            parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, **options)
        else:
            frame.to_csv(path, index=False, **options)
    return str(folder / f"*.{suffix}")


def thirds(frame=FRAME):
    return frame[:1000], frame[1000:1001], frame[1001:]


@pytest.mark.parametrize("row_group_size", [100, 10_000])
def test_parquet_files_give_the_model_of_memory(tmp_path, monkeypatch, row_group_size):
    monkeypatch.setattr("atfnb.tables.planning.PART_ROWS", (300, 300))
    told = []
    pattern = write(tmp_path, *thirds(), row_group_size=row_group_size)
    model, summary = fit_files(ATFNB(), pattern, "kind", progress=lambda *now: told.append(now))
    assert_same_model(model, WHOLE)
    assert summary.rows == 3000
    assert summary.parts == (12 if row_group_size == 100 else 3)
    assert [each.what for each in summary.passes][:3] == ["files", "classes and values", "counts"]
    assert summary.bytes_read == sum(each.bytes_read for each in summary.passes) > 0
    assert "3,000 rows in" in summary.text
    last = {what: (done, total) for done, total, what in told}
    assert list(last) == [each.what for each in summary.passes]
    assert all(done == total for done, total in last.values())


@pytest.mark.parametrize("rows", [1, 37, 1000])
def test_csv_files_are_read_some_rows_at_a_time(tmp_path, monkeypatch, rows):
    frame = FRAME[:25] if rows == 1 else FRAME[-250:-100]
    monkeypatch.setattr("atfnb.scale.running.FRAME_ROWS", rows)
    model, summary = fit_files(ATFNB(), write(tmp_path, frame[:15], frame[15:], suffix="csv"), "kind")
    assert_same_model(model, in_memory(ATFNB(), frame.astype({"flag": bool})))
    assert summary.parts == 2


def test_a_csv_file_of_many_blocks_gives_the_model_of_memory(tmp_path):
    """Arrow reads a megabyte at a time; here line ends in quotes, and a row of totals, are at its ends too."""
    frame = big_frame(30_000)
    frame["colour"] = frame["colour"] + ' of "a\nlong name, ' + "very " * 9 + '"'
    path = write(tmp_path, frame, suffix="csv")
    with (tmp_path / "0.csv").open("a") as file:
        file.write("Total,5,,,\n")
    model, summary = fit_files(ATFNB(), path, "kind", policy=Policy(leave_out=True))
    assert_same_model(model, in_memory(ATFNB(), frame.astype({"flag": bool})))
    assert summary.parts == 1
    (note,) = summary.notes[1:]
    assert note.startswith("1 row with totals left out: row 30,001 below the header ('Total')")


def test_csv_with_semicolons_gaps_and_a_column_that_is_whole_in_one_file_only(tmp_path):
    frame = FRAME.copy()
    frame.loc[frame["size"].notna() & (frame.index < 1000), "size"] = 1.0
    pattern = write(tmp_path, frame[:1000], frame[1000:], suffix="csv", sep=";")
    assert_same_model(fit_files(ATFNB(), pattern, "kind")[0], in_memory(ATFNB(), frame))


def test_predictions_of_files_read_them_as_training_does(tmp_path):
    model, rows = fit_files(ATFNB(), write(tmp_path, *thirds(), suffix="csv"), "kind")[0], FRAME.drop(columns="kind")
    new = tmp_path / "new"
    new.mkdir()
    write(new, rows[:2000], rows[2000:], suffix="csv", sep=";", decimal=",", na_rep="?")
    predicted = predict_dask(model, new).compute()
    np.testing.assert_array_equal(predicted.to_numpy(), WHOLE.predict(rows))
    (new / "1.csv").write_text("size;count\n")
    with pytest.raises(ValueError, match=r"1.csv has no column 'colour'"):
        predict_dask(model, new)
    write(new, rows.drop(columns="colour"), suffix="csv")
    with pytest.raises(ValueError, match=r"0.csv has no column 'colour', which the model was fitted with"):
        predict_dask(model, new / "0.csv")


def test_a_folder_and_a_single_file(tmp_path):
    write(tmp_path, FRAME)
    assert_same_model(fit_dask(ATFNB(), tmp_path, "kind"), WHOLE)
    assert_same_model(fit_dask(ATFNB(), tmp_path / "0.parquet", "kind"), WHOLE)
    predicted = predict_dask(WHOLE, str(tmp_path / "*.parquet")).compute()
    np.testing.assert_array_equal(predicted.to_numpy(), WHOLE.predict(FRAME.drop(columns="kind")))


def test_other_orders_of_columns_empty_files_and_what_one_file_alone_has(tmp_path):
    first, second, third = thirds()
    assert set(third["kind"]) - set(first["kind"]) == {"cedar"}
    assert "violet" in set(third["colour"])
    pattern = write(tmp_path, first, FRAME[:0], second[second.columns[::-1]], third[third.columns[[2, 0, 1, 4, 3]]])
    assert_same_model(fit_dask(ATFNB(), pattern, "kind"), WHOLE)


def test_text_that_pyarrow_reads_in_pieces_or_by_dictionary(tmp_path):
    as_dictionary = FRAME.astype({"colour": "category", "kind": "category"})
    pattern = write(tmp_path, *thirds(as_dictionary), row_group_size=50)
    assert_same_model(fit_dask(ATFNB(), pattern, "kind"), WHOLE)


# --- faults ------------------------------------------------------------------------------------------


def refusal(pattern, kind=ValueError, **options):
    """What is said; and nothing of the model is there."""
    model = ATFNB()
    with pytest.raises(kind) as caught:
        fit_dask(model, pattern, "kind", **options)
    assert not hasattr(model, "classes_")
    return str(caught.value)


def test_a_partition_without_a_column_is_refused_in_a_sentence():
    rows = FRAME.drop(columns="kind")
    parts = [delayed(rows), delayed(rows.rename(columns={"colour": "Colour"}))]
    frame = dd.from_delayed(parts, meta=rows[:0], verify_meta=False)
    said = "a partition has no column 'colour', which the model was fitted with: did you mean 'Colour'"
    with pytest.raises(ValueError, match=said):
        predict_dask(WHOLE, frame).compute()


def test_a_missing_column_is_named_with_its_file(tmp_path):
    first, second, _ = thirds()
    for suffix in ("parquet", "csv"):
        said = refusal(write(tmp_path, first, second.drop(columns="size"), suffix=suffix))
        assert f"{tmp_path}/1.{suffix} has no column 'size', which {tmp_path}/0.{suffix} has" in said
    said = refusal(write(tmp_path, first, second.assign(extra=1)))
    assert f"{tmp_path}/0.parquet has no column 'extra'" in said


def test_another_type_is_named_with_its_file(tmp_path):
    first, _, third = thirds()
    said = refusal(write(tmp_path, first, third.assign(count="many")))
    assert "column 'count' holds" in said
    assert f"{tmp_path}/0.parquet" in said
    assert f"{tmp_path}/1.parquet" in said
    parts = [delayed(first), delayed(third.assign(count="many"))]
    frame = dd.from_delayed(parts, meta=first.iloc[:0], verify_meta=False)
    assert "column 'count' holds numbers in partition 0 and text in partition 1" in refusal(frame)
    said = refusal(write(tmp_path, first, third.assign(kind=1)))
    assert f"the target holds text in {tmp_path}/0.parquet and numbers in {tmp_path}/1.parquet" in said


def test_a_corrupt_file_is_named(tmp_path):
    pattern = write(tmp_path, *thirds(), write_page_checksum=True, use_dictionary=False, compression="none")
    whole = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(whole[:-20])
    assert f"{tmp_path}/1.parquet is a damaged Parquet file" in refusal(pattern)
    (tmp_path / "1.parquet").write_bytes(b"")
    assert f"{tmp_path}/1.parquet is empty" in refusal(pattern)
    (tmp_path / "1.parquet").write_bytes(whole)
    whole = (tmp_path / "2.parquet").read_bytes()
    (tmp_path / "2.parquet").write_bytes(whole[:500] + bytes(8) + whole[508:])
    assert f"{tmp_path}/2.parquet cannot be read" in refusal(pattern)


def test_a_broken_line_of_a_csv_file_is_named(tmp_path):
    pattern = write(tmp_path, *thirds(), suffix="csv")
    with (tmp_path / "2.csv").open("a") as file:
        file.write("1,2,3\n")
    assert f"of {tmp_path}/2.csv has 3 cells and the header 5" in refusal(pattern)


def test_what_else_is_wrong_is_said(tmp_path):
    assert "names no file" in refusal(tmp_path / "*.parquet", FileNotFoundError)
    assert "must be a Dask data frame" in refusal(FRAME.to_dict(), TypeError)
    assert "the data hold no rows" in refusal(write(tmp_path, FRAME[:0]))
    pattern = write(tmp_path, FRAME)
    assert "the table has no column 'colours': did you mean 'colour'?" in refusal(pattern, ignore=["colours"])
    assert "no column is left" in refusal(pattern, ignore=["size", "count", "colour", "flag"])
    (tmp_path / "x.txt").touch()
    assert "x.txt is empty: it needs a line with the names of the columns" in refusal(str(tmp_path / "x.txt"))
    assert "one class only, 'ash'" in refusal(write(tmp_path, FRAME.assign(kind="ash")))
    said = refusal(write(tmp_path, FRAME.assign(kind=[None, *FRAME["kind"][1:]])))
    assert f"{tmp_path}/0.parquet: the target is missing in row 0" in said
    said = refusal(write(tmp_path, FRAME.assign(size=np.inf)))
    assert f"{tmp_path}/0.parquet: column 'size' is infinite" in said
    said = refusal(write(tmp_path, FRAME.assign(w=-1.0)), weight="w")
    assert "0.parquet: column 'w': sample_weight is negative in row 0" in said
    assert "zero for every row" in refusal(write(tmp_path, FRAME.assign(w=0.0)), weight="w")
    write(tmp_path, FRAME, suffix="csv")
    assert "the files are not of one kind" in refusal(tmp_path)
    with pytest.raises(TypeError, match="a classifier of atfnb is needed"):
        fit_dask(object(), pattern, "kind")


def test_a_model_that_was_fitted_stays_when_another_fit_fails(tmp_path):
    model = in_memory(NB(), FRAME)
    before = model.model_
    with pytest.raises(ValueError, match="is infinite"):
        fit_dask(model, in_parts(FRAME.assign(size=np.inf), [10]), "kind")
    assert model.model_ is before


def test_too_many_categories_are_refused(monkeypatch):
    monkeypatch.setattr("atfnb.encoding.survey.MAX_CATEGORIES", 5)
    frame = FRAME.assign(colour=[f"c{i}" for i in range(3000)])
    assert "column 'colour' has more than 5 categories" in refusal(in_parts(frame, [1000, 1000]))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_that_changes_between_two_passes_is_named(tmp_path, suffix):
    pattern = write(tmp_path, *thirds(), suffix=suffix)

    def change(done, parts, what):
        if what == "classes and values" and done == parts:
            write(tmp_path, *thirds(FRAME.assign(size=FRAME["size"] + 1)), suffix=suffix)

    with pytest.raises(ValueError, match=rf"{tmp_path}/\d.{suffix} was changed while it was read"):
        fit_files(NB(), pattern, "kind", progress=change)


def test_files_may_be_listed(tmp_path):
    write(tmp_path, *thirds())
    paths = [tmp_path / f"{k}.parquet" for k in range(3)]
    assert_same_model(fit_dask(ATFNB(), paths, "kind"), WHOLE)
    assert len(predict_dask(WHOLE, paths).compute()) == 3000
