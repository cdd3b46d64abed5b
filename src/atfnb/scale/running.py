"""Passes over parts, run by Dask: one task sums up each part, and a tree of tasks adds these sums up."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add, attrgetter
from typing import Any, Generic
from uuid import uuid4

import numpy as np
from dask.base import compute, persist
from dask.callbacks import Callback
from dask.delayed import Delayed, delayed

from atfnb._errors import first_line
from atfnb._pieces import Made, Piece, Pieces, Sum, appended, n_threads, on_cores
from atfnb._progress import Progress
from atfnb.scale.summary import PassRecord, ScaleSummary
from atfnb.tables import FRAME_ROWS, counting_bytes
from atfnb.training import TrainingRows

FAN_IN = 8
"""The number of sums that one task of the tree adds up."""
RETRIES = 3
"""How many times a cluster repeats a task that raised an error."""
PATIENCE = 40
"""The number of seconds to wait for an answer of a scheduler, or for a worker that can work."""
LEAST_MEMORY = 500_000_000
"""The number of bytes of memory that a worker needs at least: its process alone takes two thirds of it."""
KEPT_BYTES, KEPT_PART_BYTES = 1 << 29, 1 << 27
"""The largest numbers of bytes of coded rows that are kept from pass to pass: by this process; of a part, by a worker.

Workers keep any number of parts, as Dask moves to disk what does not fit into their memory.
"""

Opener = Callable[[Any], Iterator[Any]]
"""A function from a part to its pieces."""


@dataclass(frozen=True)
class Work:
    """What a pass does with each part: open it into pieces, and fill a sum with them."""

    open: Opener
    empty: Callable[[], Any]
    fill: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class PassSum(Generic[Sum]):
    """The sum over some parts, and the number of bytes that were read for it."""

    total: Sum
    bytes_read: int

    def __add__(self, other: PassSum[Sum]) -> PassSum[Sum]:
        return PassSum(self.total + other.total, self.bytes_read + other.bytes_read)


# --- Tasks: these run in threads or in workers -----------------------------------------------------


def sum_part(part: Any, work: Work) -> PassSum[Any]:
    """Return the sum over one part."""
    with on_cores(1), counting_bytes() as read:
        return PassSum(reduce(work.fill, work.open(part), work.empty()), sum(read))


def bytes_of(kept: PassSum[list[Any]]) -> PassSum[int]:
    """Return the number of bytes read for a part that was kept, as a sum of bytes only."""
    return PassSum(0, kept.bytes_read)


# --- Passes ----------------------------------------------------------------------------------------


@dataclass
class Runner:
    """Runs passes in threads of this process, or on the cluster of a client, and keeps a record of each."""

    client: Any = None
    """The client of a cluster; None for threads of this process."""
    progress: Progress | None = None
    """Called after each part."""
    passes: list[PassRecord] = field(default_factory=list)
    """A record of each pass so far."""

    def pieces(self, items: Sequence[Any]) -> DaskPieces[Any]:
        """Return items, such as parts of a table, as pieces; this runner runs the passes over them."""
        return DaskPieces(items, _itself, self)

    def summary(self, rows: TrainingRows, parts: int) -> ScaleSummary:
        """Return the summary of the passes so far over the parts of some training rows."""
        record = rows.record
        found = (tuple(self.passes), rows.learned.rank_errors, record.notes, record.identifiers)
        return ScaleSummary(rows.n_rows, parts, *found)

    def run(self, what: str, parts: Sequence[Any], work: Work) -> Any:
        """Return the sum of one pass over the parts."""
        start = time.perf_counter()
        return self._add_up(what, *_tasks(what, parts, sum_part, work), start).total

    def keep(self, what: str, parts: Sequence[Any], opener: Opener) -> list[Any]:
        """Return the parts, opened into pieces that Dask keeps in this process or on the workers that opened them."""
        start = time.perf_counter()
        name, opened = _tasks(what, parts, sum_part, Work(opener, list, appended))
        if self.client is not None:
            kept = self.client.persist(opened, retries=RETRIES)
        else:
            with _counting(name, _Reported(self.progress, len(parts), what)):
                kept = persist(*opened, scheduler="threads", num_workers=n_threads())
        self._add_up(what, *_tasks(what, kept, bytes_of), start)
        return list(kept)

    def _add_up(self, what: str, name: str, sums: list[Delayed], start: float) -> PassSum[Any]:
        """Return the sum of the sums over all parts, and record the pass, which began at ``start``."""
        reported, (firsts, root) = _Reported(self.progress, len(sums), what), _tree(sums, name)
        try:
            if self.client is not None:
                done: PassSum[Any] = _on(self.client, firsts, root, reported)
            else:
                with _counting(name, reported):
                    (done,) = compute(root, scheduler="threads", num_workers=n_threads())
        except KeyError as error:  # of Dask, which reads the partitions of a data frame
            raise ValueError(
                f"a partition lacks a column ({first_line(error)}): every partition needs the same columns."
            ) from None
        self.passes.append(PassRecord(what, time.perf_counter() - start, done.bytes_read))
        return done


def _tasks(what: str, parts: Sequence[Any], function: Callable[..., Any], *work: Work) -> tuple[str, list[Delayed]]:
    """Return the tasks that call a function on each part, and the name that their keys begin with."""
    name = f"{what.replace(' ', '-')}-{uuid4().hex}"
    sent = [delayed(each, name=f"work-{name}", traverse=False) for each in work]  # once, not with every part
    return name, [delayed(function)(part, *sent, dask_key_name=f"{name}-{i}") for i, part in enumerate(parts)]


def _tree(sums: list[Delayed], name: str) -> tuple[list[Delayed], Delayed]:
    """Return the tasks that sum up ``FAN_IN`` parts each, and the task that sums up all parts."""
    firsts: list[Delayed] = []
    level = 0
    while len(sums) > 1 or not firsts:
        groups = [sums[i : i + FAN_IN] for i in range(0, len(sums), FAN_IN)]
        sums = [delayed(reduce)(add, group, dask_key_name=f"sum-{name}-{level}-{i}") for i, group in enumerate(groups)]
        firsts, level = firsts or sums, level + 1
    return firsts, sums[0]


@dataclass
class _Reported:
    """Counts how many parts of a pass are done, and reports it."""

    progress: Progress | None
    parts: int
    what: str
    done: int = 0

    def more(self, parts: int) -> None:
        self.done = min(self.done + parts, self.parts)
        if self.progress is not None:
            self.progress(self.done, self.parts, self.what)


def _counting(name: str, reported: _Reported) -> Callback:
    """Return a callback for Dask that reports each part that is done."""

    def after(key: Any, *_: Any) -> None:
        if str(key).startswith(name):
            reported.more(1)

    return Callback(posttask=after)


def _on(client: Any, firsts: list[Delayed], root: Delayed, reported: _Reported) -> PassSum[Any]:
    """Return a sum computed on a cluster, which repeats the work on a part when a worker is lost or a task fails."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, as_completed
    from distributed.comm.core import CommClosedError

    *groups, whole = client.compute([*firsts, root], retries=RETRIES)
    waiting, worked = set(groups), time.monotonic()
    try:
        while waiting:
            try:
                for group in as_completed(list(waiting), timeout=PATIENCE / 8):
                    waiting.discard(group)
                    reported.more(FAN_IN)
            except TimeoutError:  # either the pass is long, or no worker is left that can run it
                worked = _last_worked(client, worked)
        return whole.result()  # type: ignore[no-any-return]
    except (CancelledError, CommClosedError):
        where = f" at {client.scheduler.address}" if client.scheduler else ""  # which a closed client has forgotten
        raise ConnectionError(
            f"the connection to the cluster{where} was lost: see that its scheduler runs, and train again."
        ) from None
    except KilledWorker:
        raise ChildProcessError(
            "several workers in a row were killed while they worked on the same part of the data, most often for lack "
            "of memory: give each worker more."
        ) from None


def _last_worked(client: Any, before: float) -> float:
    """Return when a worker of a cluster could last work; raise an error if that is too long ago."""
    from distributed.comm.core import CommClosedError

    about = client.scheduler_info(n_workers=-1)
    if not about:  # the client has closed itself, as the scheduler did not come back
        raise CommClosedError("closed")
    workers = about["workers"].values()
    if any(worker["status"] == "running" for worker in workers):
        return time.monotonic()
    if time.monotonic() - before < PATIENCE:
        return before
    if workers:
        raise ConnectionError("all workers have paused for lack of memory: give each more memory.")
    raise ConnectionError(f"the cluster at {client.scheduler.address} has no workers: start some.")


class DaskPieces(Pieces[Piece]):
    """Pieces of a table in parts: Dask opens the parts again in every pass, unless their pieces are kept."""

    kept = False

    def __init__(
        self, parts: Sequence[Any], opener: Callable[[Any], Iterator[Piece]], runner: Runner, n_rows: int = 0
    ) -> None:
        self._parts, self._open, self._runner, self.n_rows = parts, opener, runner, n_rows

    def sum(self, what: str, empty: Callable[[], Sum], fill: Callable[[Sum, Piece], Sum]) -> Sum:
        """Return the sum over all pieces, from one pass over the parts."""
        total: Sum = self._runner.run(what, self._parts, Work(self._open, empty, fill))
        return total

    def map(self, function: Callable[[Piece], Made]) -> DaskPieces[Made]:
        """Return what a function makes of each piece; it is called in every pass."""
        return self.flat_map(partial(_one, function))

    def flat_map(
        self, function: Callable[[Piece], Iterator[Made]], n_rows: int | None = None, cells: int = 0
    ) -> DaskPieces[Made]:
        """Return the pieces that a function makes of each piece; it is called in every pass."""
        n_rows = self.n_rows if n_rows is None else n_rows
        return DaskPieces(self._parts, partial(_flat, self._open, function), self._runner, n_rows)

    def keep(self, row_bytes: int) -> DaskPieces[Piece]:
        """Return these pieces, opened once and kept, if they are small enough for this process, or for its workers."""
        room = KEPT_BYTES if self._runner.client is None else KEPT_PART_BYTES * len(self._parts)
        if self.n_rows * row_bytes > room:
            return self
        kept = self._runner.keep("coded rows", self._parts, self._open)
        return DaskPieces(kept, attrgetter("total"), self._runner, self.n_rows)


def _itself(part: Any) -> Iterator[Any]:
    yield part


def _one(function: Callable[[Piece], Made], piece: Piece) -> Iterator[Made]:
    """Yield the one result that a function makes of a piece."""
    yield function(piece)


def _flat(opener: Opener, function: Callable[[Any], Iterator[Made]], part: Any) -> Iterator[Made]:
    """Yield what a function makes of each piece of a part."""
    for piece in opener(part):
        yield from function(piece)


# --- Who runs them ---------------------------------------------------------------------------------


@contextmanager
def client_of(scheduler: str | None, memory: str | int | None) -> Iterator[Any]:
    """Yield a client of the cluster at an address or of worker processes started here; None to use threads."""
    if scheduler is None and memory is None:
        yield None
        return
    try:
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise ImportError(
            "processes and clusters need distributed, which is missing: pip install 'atfnb[scale]'"
        ) from None

    if scheduler is not None:
        _ask(scheduler)
        # what ends the work is said in one sentence, not before it in Dask's log
        with silence_logging_cmgr(logging.CRITICAL), Client(scheduler) as client:
            yield client
        return
    workers = {"n_workers": n_threads(), "threads_per_worker": 1, "memory_limit": memory}
    with LocalCluster(**workers, processes=True, dashboard_address="127.0.0.1:0") as cluster, Client(cluster) as client:
        yield client


def _ask(scheduler: str) -> None:
    """Raise an error if no scheduler answers at an address; a client would wait for it without end."""
    from distributed import rpc

    async def answer() -> None:
        async with rpc(scheduler) as there:
            await there.identity()

    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has an event loop of its own in this one
            thread.submit(asyncio.run, asyncio.wait_for(answer(), PATIENCE)).result()
    except (OSError, TimeoutError, ValueError) as error:
        why = f" ({first_line(error)})" if isinstance(error, ValueError) else ""
        raise ConnectionError(f"no scheduler of Dask answers at {scheduler}{why}: check the address.") from None


def frame_rows(memory: str | int | None) -> int:
    """Return the number of rows to read at a time: those that fill 1/16 of a worker's memory at 1 kB a row."""
    from dask.utils import parse_bytes

    if memory is None:
        return FRAME_ROWS
    try:
        size = parse_bytes(memory)
    except ValueError:
        raise ValueError(f"{memory!r} is no amount of memory: give it for example as 2GB.") from None
    if size < LEAST_MEMORY:
        raise ValueError(f"{memory} of memory is too little for a worker: give each at least 500MB.")
    return int(np.clip(size >> 14, 1 << 12, FRAME_ROWS))
