"""A pass as a graph of tasks, and Dask to run it: chunk → combine → finalise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any, Generic
from uuid import uuid4

import joblib
from dask.base import compute, persist
from dask.callbacks import Callback
from dask.delayed import Delayed, delayed

from atfnb._pieces import Made, Piece, Pieces, Sum, on_one_core
from atfnb._processes import Progress
from atfnb.scale.summary import PassRecord

FAN_IN = 8
"""How many sums one task adds up: the tree is as deep as the logarithm of the parts, and no worker holds many sums."""
RETRIES = 3
"""How often a cluster tries a task again that raised an error."""
PATIENCE = 60
"""After so many seconds without an answer, it is asked whether a cluster has any workers."""
LOST = "worker after worker was killed over the same part of the data, most often for want of memory."
KEPT_BYTES = 1 << 29
"""Up to so much is kept in this process from pass to pass. Workers keep all: Dask writes to disk what is too much."""


Opener = Callable[[Any], Iterator[tuple[Any, int]]]
"""From a part to its pieces, each with the bytes that were read for it."""


@dataclass(frozen=True)
class Done(Generic[Sum]):
    """What was added up, and how much was read for it."""

    total: Sum
    bytes_read: int

    def __add__(self, other: Done[Sum]) -> Done[Sum]:
        return Done(self.total + other.total, self.bytes_read + other.bytes_read)


@dataclass(frozen=True)
class Work:
    """What a pass does with each part: open it into pieces, and fill a sum with them."""

    open: Opener
    empty: Callable[[], Any]
    fill: Callable[[Any, Any], Any]


def chunk(part: Any, work: Work) -> Done[Any]:
    """The sum of one part."""
    with on_one_core():
        total, read = work.empty(), 0
        for piece, size in work.open(part):
            total, read = work.fill(total, piece), read + size
        return Done(total, read)


def open_once(part: Any, opened: Opener) -> list[tuple[Any, int]]:
    """All pieces of a part, to be kept."""
    with on_one_core():
        return list(opened(part))


def open_again(kept: list[tuple[Any, int]]) -> Iterator[tuple[Any, int]]:
    """The pieces of a part that was kept: nothing is read for them."""
    for piece, _ in kept:
        yield piece, 0


def combine(sums: list[Done[Any]]) -> Done[Any]:
    """The sum of sums."""
    return reduce(add, sums)


def append(into: list[Any], one: Any) -> list[Any]:
    """A list of what each part gives, in the order of the parts."""
    return [*into, one]


@dataclass
class Runner:
    """Dask, here or on a cluster; and a record of what it ran."""

    client: Any = None
    progress: Progress | None = None
    passes: list[PassRecord] = field(default_factory=list)

    def run(self, what: str, parts: Sequence[Any], work: Work) -> Any:
        """One pass over the parts."""
        with self._recorded(what) as record:
            done = self._add_up(what, parts, work)
            record(done.bytes_read)
        return done.total

    def keep(self, what: str, parts: Sequence[Any], opened: Opener) -> list[Any]:
        """Open the parts, and let Dask keep what is in them: here in memory, on a cluster where they were opened."""
        with self._recorded(what) as record:
            name = _name(what)
            shared = delayed(opened, name=f"work-{name}", traverse=False)
            lazy = [delayed(open_once)(part, shared, dask_key_name=f"{name}-{i}") for i, part in enumerate(parts)]
            if self.client is not None:
                kept = self.client.persist(lazy, retries=RETRIES)
            else:
                with _counting(name, _Told(self.progress, len(parts), what)):
                    kept = persist(*lazy, scheduler="threads", num_workers=joblib.cpu_count())
            record(self._add_up(what, kept, Work(iter, int, _nothing)).bytes_read)
        return list(kept)

    @contextmanager
    def _recorded(self, what: str) -> Iterator[Callable[[int], None]]:
        start = time.perf_counter()
        yield lambda read: self.passes.append(PassRecord(what, time.perf_counter() - start, read))

    def _add_up(self, what: str, parts: Sequence[Any], work: Work) -> Done[Any]:
        name, told = _name(what), _Told(self.progress, len(parts), what)
        shared = delayed(work, name=f"work-{name}", traverse=False)  # sent once, not with every part
        chunks = [delayed(chunk)(part, shared, dask_key_name=f"{name}-{i}") for i, part in enumerate(parts)]
        firsts, root = _tree(chunks, name)
        return _here(root, name, told) if self.client is None else _there(self.client, firsts, root, told)


def _name(what: str) -> str:
    return f"{what.replace(' ', '-')}-{uuid4().hex}"


def _nothing(into: int, piece: Any) -> int:
    return into


def _tree(sums: list[Delayed], name: str) -> tuple[list[Delayed], Delayed]:
    """The first sums of sums, each of so many parts, and the sum of all."""
    firsts: list[Delayed] = []
    level = 0
    while len(sums) > 1 or not firsts:
        groups = [sums[i : i + FAN_IN] for i in range(0, len(sums), FAN_IN)]
        sums = [delayed(combine)(group, dask_key_name=f"sum-{name}-{level}-{i}") for i, group in enumerate(groups)]
        firsts, level = firsts or sums, level + 1
    return firsts, sums[0]


@dataclass
class _Told:
    """Tells how many parts are done."""

    progress: Progress | None
    parts: int
    what: str
    done: int = 0

    def more(self, parts: int) -> None:
        self.done = min(self.done + parts, self.parts)
        if self.progress is not None:
            self.progress(self.done, self.parts, self.what)


def _here(root: Delayed, name: str, told: _Told) -> Done[Any]:
    """Dask's own threads, in this process."""
    with _counting(name, told):
        (done,) = compute(root, scheduler="threads", num_workers=joblib.cpu_count())
    return done  # type: ignore[no-any-return]


def _counting(name: str, told: _Told) -> Callback:
    """Tells of every part that threads of this process have done."""

    def after(key: Any, *_: Any) -> None:
        if str(key).startswith(name):
            told.more(1)

    return Callback(posttask=after)


def _there(client: Any, firsts: list[Delayed], root: Delayed, told: _Told) -> Done[Any]:
    """A cluster; it runs a part again when a worker is lost or a task fails."""
    from distributed import KilledWorker, as_completed

    *groups, whole = client.compute([*firsts, root], retries=RETRIES)
    waiting = set(groups)
    while waiting:
        try:
            for group in as_completed(list(waiting), timeout=PATIENCE):
                waiting.discard(group)
                told.more(FAN_IN)
        except TimeoutError:
            _check_workers(client)  # it is a long pass, unless nobody is left to do it
    try:
        return whole.result()  # type: ignore[no-any-return]
    except KilledWorker:
        raise ChildProcessError(f"{LOST} Give each worker more.") from None


def _check_workers(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise ConnectionError(f"the cluster at {client.scheduler.address} has no workers: start some.") from None


class DaskPieces(Pieces[Piece]):
    """Parts of a table that Dask opens into pieces, wherever they are, in every pass; unless they are kept."""

    kept = False

    def __init__(
        self,
        parts: Sequence[Any],
        opened: Callable[[Any], Iterator[tuple[Piece, int]]],
        runner: Runner,
        n_rows: int = 0,
    ) -> None:
        self._parts, self._open, self._runner, self.n_rows = parts, opened, runner, n_rows

    def sum(self, what: str, empty: Callable[[], Sum], fill: Callable[[Sum, Piece], Sum]) -> Sum:
        """One pass over the parts."""
        total: Sum = self._runner.run(what, self._parts, Work(self._open, empty, fill))
        return total

    def map(self, function: Callable[[Piece], Made]) -> DaskPieces[Made]:
        """Make something else of each piece, in every pass that comes to it."""
        return self.cut(Each(function))

    def keep(self, row_bytes: int) -> DaskPieces[Piece]:
        """The same, opened once, if there is room: threads keep little, a cluster has disks."""
        if self._runner.client is None and self.n_rows * row_bytes > KEPT_BYTES:
            return self
        kept = self._runner.keep("coded rows", self._parts, self._open)
        return DaskPieces(kept, open_again, self._runner, self.n_rows)

    def cut(self, function: Callable[[Piece], Iterator[Made]], n_rows: int | None = None) -> DaskPieces[Made]:
        """Make several of each piece."""
        n_rows = self.n_rows if n_rows is None else n_rows
        return DaskPieces(self._parts, Opened(self._open, function), self._runner, n_rows)


@dataclass(frozen=True)
class Each(Generic[Piece, Made]):
    """One of each."""

    function: Callable[[Piece], Made]

    def __call__(self, piece: Piece) -> Iterator[Made]:
        """What the function makes."""
        yield self.function(piece)


@dataclass(frozen=True)
class Opened(Generic[Piece, Made]):
    """The pieces of a part, made into others; the bytes are those of the first."""

    open: Callable[[Any], Iterator[tuple[Piece, int]]]
    function: Callable[[Piece], Iterator[Made]]

    def __call__(self, part: Any) -> Iterator[tuple[Made, int]]:
        """What is made of each piece."""
        for piece, size in self.open(part):
            for made in self.function(piece):
                yield made, size
                size = 0
