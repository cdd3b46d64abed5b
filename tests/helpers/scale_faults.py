"""Faults that happen in a worker process: it is killed, or a part of the data cannot be read for a while."""

import os
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from distributed.core import Status

from atfnb.scale.running import Runner


def first_time(flag: Path) -> bool:
    """Whether nobody, in any process, has come here before."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


@dataclass(frozen=True)
class Dies:
    """The worker that comes here first is killed, by its id."""

    opened: Any
    flag: Path

    def __call__(self, part):
        if first_time(self.flag):
            os.kill(os.getpid(), signal.SIGKILL)
        yield from self.opened(part)


@dataclass(frozen=True)
class AlwaysDies:
    """Every worker that comes here is killed."""

    opened: Any
    flag: Path

    def __call__(self, part):
        time.sleep(0.5)  # it has been started for a while
        os.kill(os.getpid(), signal.SIGKILL)
        yield from self.opened(part)


@dataclass(frozen=True)
class FailsTwice:
    """The part that is opened first fails twice, in the middle, and then works."""

    opened: Any
    flag: Path

    def __call__(self, part):
        first = self.flag.with_suffix(".part")
        if first_time(first):
            first.write_text(repr(part))
        for piece in self.opened(part):
            if first.read_text() == repr(part) and any(first_time(self.flag.with_suffix(f".{n}")) for n in (1, 2)):
                raise OSError("the disk was away")
            yield piece


def all_at_work(client, seconds=300):
    """Wait until every worker runs: one that is killed while it is being started is not started again."""
    until = time.monotonic() + seconds
    nannies = client.cluster.workers.values()
    while not all(nanny.process is not None and nanny.process.status is Status.running for nanny in nannies):
        assert time.monotonic() < until, "a worker that was killed has not been started again"
        time.sleep(0.05)


def in_every_pass(monkeypatch, fault, folder, client):
    """Let every pass have a fault, passes of a kind one together; gives the flags, by pass."""
    flags = {}
    run, keep = Runner.run, Runner.keep

    def faulty(what, opened):
        all_at_work(client)
        return fault(opened, flags.setdefault(what, folder / f"{len(flags)}"))

    def run_with_fault(self, what, parts, work):
        return run(self, what, parts, replace(work, open=faulty(what, work.open)))

    def keep_with_fault(self, what, parts, opened):
        return keep(self, what, parts, faulty(what, opened))

    monkeypatch.setattr(Runner, "run", run_with_fault)
    monkeypatch.setattr(Runner, "keep", keep_with_fault)
    return flags
