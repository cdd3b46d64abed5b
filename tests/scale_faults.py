"""Faults that happen in a worker process: it is killed, or a part of the data cannot be read for a while."""

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
class FailsTwice:
    """The part that is opened first fails twice, in the middle, and then works."""

    opened: Any
    flag: Path

    def __call__(self, part):
        first = self.flag.with_suffix(".part")
        if first_time(first):
            first.write_text(repr(part))
        for piece, size in self.opened(part):
            if first.read_text() == repr(part) and any(first_time(self.flag.with_suffix(f".{n}")) for n in (1, 2)):
                raise OSError("the disk was away")
            yield piece, size


def in_every_pass(monkeypatch, fault, folder):
    """Let every pass have a fault; gives the flags, by pass."""
    flags = {}
    run = Runner.run

    def with_fault(self, what, parts, work):
        flags[what] = folder / f"{len(flags)}"
        return run(self, what, parts, replace(work, open=fault(work.open, flags[what])))

    monkeypatch.setattr(Runner, "run", with_fault)
    return flags
