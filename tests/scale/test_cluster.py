"""A real cluster of two worker processes: the same model, also when workers are killed and parts fail."""

import pytest

from atfnb import ATFNB, FusionNB
from atfnb.scale import fit_dask, fit_files, predict_dask
from scale_faults import Dies, FailsTwice, in_every_pass
from scale_tables import assert_same_model, big_frame, in_memory, in_parts

pytestmark = pytest.mark.filterwarnings("ignore")  # a cluster that loses workers has much to say

FRAME = big_frame(4000)


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**workers, silence_logs=60) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    for number, first in enumerate(range(0, 4000, 500)):
        FRAME[first : first + 500].to_parquet(folder / f"{number}.parquet", index=False)
    return str(folder / "*.parquet")


def test_two_workers_give_the_model_of_memory(client, files):
    told = []
    model = fit_dask(ATFNB(), files, "kind", client, progress=lambda *now: told.append(now))
    assert_same_model(model, in_memory(ATFNB(), FRAME))
    assert told[-1][0] == told[-1][1] == 8
    fused = FusionNB(refine="attribute")
    assert_same_model(
        fit_dask(fused, in_parts(FRAME, [100, 0, 900]), "kind", client),
        in_memory(FusionNB(refine="attribute"), FRAME),
    )
    predicted = predict_dask(model, files, client).compute()
    assert (predicted.to_numpy() == model.predict(FRAME.drop(columns="kind"))).all()


def test_a_worker_killed_in_each_of_the_passes_changes_nothing(client, files, tmp_path, monkeypatch):
    flags = in_every_pass(monkeypatch, Dies, tmp_path)
    model, summary = fit_files(ATFNB(), files, "kind", scheduler=client.scheduler.address, max_distinct=20)
    assert list(flags) == [each.what for each in summary.passes]
    assert "candidate cuts" in flags
    assert all(flag.exists() for flag in flags.values()), "a worker was killed in every pass"
    monkeypatch.undo()
    assert model.n_rows_ == 4000
    assert_same_model(model, fit_dask(ATFNB(), files, "kind", max_distinct=20))


def test_a_part_that_fails_twice_and_then_works_changes_nothing(client, files, tmp_path, monkeypatch):
    flags = in_every_pass(monkeypatch, FailsTwice, tmp_path)
    model = fit_dask(ATFNB(), files, "kind", client)
    assert_same_model(model, in_memory(ATFNB(), FRAME))
    assert all(flag.with_suffix(f".{n}").exists() for flag in flags.values() for n in (1, 2))


def test_a_corrupt_file_stops_the_run_and_is_named(client, tmp_path):
    FRAME.to_parquet(tmp_path / "0.parquet", index=False)
    (tmp_path / "1.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ValueError, match=r"1\.parquet is no readable Parquet file"):
        fit_dask(ATFNB(), tmp_path, "kind", client)


def test_workers_started_here_are_held_to_their_memory(files):
    from distributed import get_client

    limits = set()

    def look(*_):
        limits.update(worker["memory_limit"] for worker in get_client().scheduler_info()["workers"].values())

    model, summary = fit_files(ATFNB(), files, "kind", memory="700MB", progress=look)
    assert limits == {700_000_000}
    assert summary.rows == 4000
    assert_same_model(model, in_memory(ATFNB(), FRAME))
