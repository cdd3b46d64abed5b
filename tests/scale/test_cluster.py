"""A real cluster of two worker processes: the same model, also when workers are killed and parts fail."""

import sys

import pytest

from atfnb import ATFNB, FusionNB
from atfnb.scale import fit_dask, fit_files, predict_dask
from helpers.scale_faults import AlwaysDies, Dies, FailsTwice, in_every_pass
from helpers.scale_tables import assert_same_model, big_frame, fine_frame, in_memory, in_parts, saved

pytestmark = pytest.mark.filterwarnings("ignore")  # a cluster that loses workers has much to say

FRAME = big_frame(4000)


@pytest.fixture(scope="module")
def client():
    import dask
    from distributed import Client, LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    patient = dask.config.set(
        {
            "distributed.deploy.lost-worker-timeout": "1h",  # one killed twice in 15 s is not given up
            "distributed.comm.timeouts.connect": "300s",  # however busy the machine is
            "distributed.comm.timeouts.tcp": "300s",
            "distributed.worker.multiprocessing-method": "forkserver",  # a worker starts without importing all again
        }
    )
    with patient, LocalCluster(**workers, silence_logs=60) as cluster, Client(cluster) as client:
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
    predicted = predict_dask(model, files, client).compute()
    assert (predicted.to_numpy() == model.predict(FRAME.drop(columns="kind"))).all()


@pytest.mark.slow
@pytest.mark.parametrize("refine", ["attribute", "value"])
def test_two_workers_fuse_as_memory_does(client, refine, monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.ENOUGH", 1000)
    fused = fit_dask(FusionNB(refine=refine), in_parts(FRAME, [100, 0, 900]), "kind", client)
    assert_same_model(fused, in_memory(FusionNB(refine=refine), FRAME))


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "w"])
def test_two_workers_give_the_model_of_threads_to_the_bit_also_where_it_is_sketched(client, tmp_path, weight):
    fine_frame().to_parquet(tmp_path / "0.parquet", index=False)
    for number, first in enumerate(range(0, 40_000, 1000), start=1):
        fine_frame()[first : first + 1000].to_parquet(tmp_path / f"{number}.parquet", index=False)
    asked = {"ignore": ["w"] if weight is None else [], "weight": weight}
    runs = [fit_dask(ATFNB(), tmp_path, "kind", where, **asked) for where in (client, client, None)]
    assert len(set(map(saved, runs))) == 1


@pytest.mark.slow
def test_a_worker_killed_in_each_of_the_passes_changes_nothing(client, files, tmp_path, monkeypatch):
    flags = in_every_pass(monkeypatch, Dies, tmp_path, client)
    model, summary = fit_files(ATFNB(), files, "kind", scheduler=client.scheduler.address, max_distinct=20)
    assert list(flags) == [each.what for each in summary.passes]
    assert "candidate cuts" in flags
    assert all(flag.exists() for flag in flags.values()), "a worker was killed in every pass"
    monkeypatch.undo()
    assert model.n_rows_ == 4000
    assert saved(model) == saved(fit_dask(ATFNB(), files, "kind", max_distinct=20))


@pytest.mark.slow
def test_rows_that_a_killed_worker_had_kept_are_coded_again(client, files, tmp_path, monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.ENOUGH", 1000)
    flags = in_every_pass(monkeypatch, Dies, tmp_path, client)
    model = fit_dask(FusionNB(shrinkage=1.0), files, "kind", client)
    assert {"coded rows", "rows to choose by", "effects of values"} < set(flags)
    assert all(flag.exists() for flag in flags.values()), "a worker was killed in every kind of pass"
    assert_same_model(model, in_memory(FusionNB(shrinkage=1.0), FRAME))


@pytest.mark.slow
def test_a_part_that_fails_twice_and_then_works_changes_nothing(client, files, tmp_path, monkeypatch):
    flags = in_every_pass(monkeypatch, FailsTwice, tmp_path, client)
    model = fit_dask(ATFNB(), files, "kind", client)
    assert_same_model(model, in_memory(ATFNB(), FRAME))
    assert all(flag.with_suffix(f".{n}").exists() for flag in flags.values() for n in (1, 2))


def test_a_corrupt_file_stops_the_run_and_is_named(client, tmp_path):
    FRAME.to_parquet(tmp_path / "0.parquet", index=False)
    (tmp_path / "1.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ValueError, match=r"1\.parquet is a damaged Parquet file"):
        fit_dask(ATFNB(), tmp_path, "kind", client)


def test_a_cluster_without_workers_is_not_waited_for(files, monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr("atfnb.scale.running.PATIENCE", 1)
    with (
        LocalCluster(n_workers=0, dashboard_address=None, silence_logs=60) as cluster,
        Client(cluster) as client,
        pytest.raises(ConnectionError, match=r"the cluster at tcp://.* has no workers: start some"),
    ):
        fit_dask(ATFNB(), files, "kind", client)


@pytest.mark.slow
def test_a_part_that_kills_every_worker_stops_the_run(client, tmp_path, monkeypatch):
    FRAME.to_parquet(tmp_path / "0.parquet", index=False)
    in_every_pass(monkeypatch, AlwaysDies, tmp_path, client)
    with pytest.raises(ChildProcessError, match=r"killed while they worked on the same part .* for lack of memory"):
        fit_dask(ATFNB(), tmp_path / "0.parquet", "kind", client)


@pytest.mark.slow
def test_workers_started_here_are_held_to_their_memory(files):
    from distributed import get_client

    limits = set()

    def look(*_):
        limits.update(worker["memory_limit"] for worker in get_client().scheduler_info()["workers"].values())

    model, summary = fit_files(ATFNB(), files, "kind", memory="700MB", progress=look)
    assert limits == {700_000_000}
    assert summary.rows == 4000
    assert_same_model(model, in_memory(ATFNB(), FRAME))


@pytest.mark.parametrize("where", [{"memory": "700MB"}, {"scheduler": "tcp://127.0.0.1:1"}])
def test_without_distributed_there_are_threads_only_and_it_says_so(files, where, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)  # as where it is not installed
    with pytest.raises(ImportError, match=r"need distributed, which is missing: pip install 'atfnb\[scale\]'$"):
        fit_files(ATFNB(), files, "kind", **where)
    model, _ = fit_files(ATFNB(), files, "kind")
    assert_same_model(model, in_memory(ATFNB(), FRAME))
