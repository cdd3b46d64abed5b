"""Who runs the passes: a cluster at an address, processes started here, or threads of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from atfnb.scale.parts import ROWS


@contextmanager
def client_of(scheduler: str | None, memory: str | int | None) -> Iterator[Any]:
    """A client of the cluster at an address, or of processes started here; or none."""
    if scheduler is None and memory is None:
        yield None
        return
    import joblib
    from distributed import Client, LocalCluster

    if scheduler is not None:
        with Client(scheduler) as client:
            yield client
        return
    workers = {"n_workers": joblib.cpu_count(), "threads_per_worker": 1, "memory_limit": memory}
    with LocalCluster(**workers, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def frame_rows(memory: str | int | None) -> int:
    """How many rows to hold at a time: what 1/16 of a worker's memory holds at 1 kB a row, copies included."""
    from dask.utils import parse_bytes

    return ROWS if memory is None else int(np.clip(parse_bytes(memory) >> 14, 1 << 12, ROWS))
