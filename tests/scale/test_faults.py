"""What goes wrong with a cluster is one sentence, and soon."""

import socket
import time
from types import SimpleNamespace

import dask.dataframe as dd
import pytest
from distributed.client import Client, FutureCancelledError
from distributed.comm.core import CommClosedError

from atfnb import NB
from atfnb.scale import fit_dask, fit_files, running
from helpers.scale_tables import big_frame


@pytest.mark.parametrize("error", [CommClosedError("closed"), FutureCancelledError("sum-0", "lost", None)])
def test_a_scheduler_that_is_lost_is_named(error):
    def result():
        raise error

    lost = SimpleNamespace(
        scheduler=SimpleNamespace(address="tcp://far:1"), compute=lambda *_, retries: [SimpleNamespace(result=result)]
    )
    with pytest.raises(ConnectionError, match=r"^the connection to the cluster at tcp://far:1 was lost: see that its"):
        running._on(lost, [], None, None)


def test_a_client_that_has_closed_itself_has_lost_its_scheduler(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.01)
    with Client(n_workers=1, processes=False, dashboard_address=None) as client:
        waiting = client.submit(time.sleep, 1)
        closed = SimpleNamespace(
            scheduler=None, scheduler_info=lambda n_workers: {}, compute=lambda *_, retries: [waiting, waiting]
        )
        with pytest.raises(ConnectionError, match=r"^the connection to the cluster was lost: see that its scheduler"):
            running._on(closed, [], None, None)


@pytest.mark.parametrize(
    ("workers", "said"),
    [
        ([], "the cluster at tcp://far:1 has no workers: start some"),
        (["paused", "paused"], "all workers have paused for lack of memory: give each more"),
        (["paused", "running"], None),
    ],
)
def test_workers_that_cannot_work_are_not_waited_for(workers, said):
    info = {"workers": {i: {"status": status} for i, status in enumerate(workers)}}
    client = SimpleNamespace(scheduler=SimpleNamespace(address="tcp://far:1"), scheduler_info=lambda n_workers: info)
    now = time.monotonic()
    if said is None:
        assert running._last_worked(client, now - 1000) >= now
        return
    assert running._last_worked(client, now) == now
    with pytest.raises(ConnectionError, match=said):
        running._last_worked(client, now - 1000)


def test_a_port_that_stays_silent_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ConnectionError, match=rf"^no scheduler of Dask answers at {address}: check the address\.$"):
            fit_files(NB(), tmp_path, "kind", scheduler=address)
    with pytest.raises(ConnectionError, match=r"answers at foo://x:1 .unknown address scheme 'foo'"):
        fit_files(NB(), tmp_path, "kind", scheduler="foo://x:1")


@pytest.mark.parametrize(
    ("memory", "said"), [("250MB", "250MB of memory is too little for a worker"), ("much", "'much' is no amount of")]
)
def test_memory_that_no_worker_can_work_with_is_refused_at_once(tmp_path, memory, said):
    with pytest.raises(ValueError, match=said):
        fit_files(NB(), tmp_path, "kind", memory=memory)


def test_a_partition_with_other_columns_is_one_sentence(tmp_path):
    frame = big_frame(400)
    frame[:200].to_parquet(tmp_path / "0.parquet")
    frame[200:].drop(columns="size").to_parquet(tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"^a partition lacks a column .*'size'.*: every partition needs the same"):
        fit_dask(NB(), dd.read_parquet(tmp_path), "kind")
