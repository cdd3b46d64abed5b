"""Long work: journals, files of records that survive a crash at any moment, and tasks on several processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from atfnb._stops import note_written

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Record = TypeVar("Record", bound="DataclassInstance")
Item = TypeVar("Item")
Result = TypeVar("Result")


class Journal(Generic[Record]):
    """A file of records, one line of JSON each, that is on disk after every record.

    The first line holds the options of the work that wrote it. A file with other options is refused; a last line that
    was cut off is dropped, with a warning.

    Parameters
    ----------
    path : Path
        The file; it is created if it does not exist.
    record : dataclass
        The type of a record.
    options : dict
        The options that the records depend on.
    work : str
        A name for the work, such as "a study", for messages.
    again : str
        What happens to the work of a line that was cut off, for the warning.
    """

    def __init__(
        self, path: Path, record: Callable[..., Record], options: dict[str, Any], *, work: str, again: str
    ) -> None:
        self.path, self.record, self.options, self.work, self.again = path, record, options, work, again
        self.records: list[Record] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size:
            self._read()
        else:
            self._append(options)

    def _read(self) -> None:
        whole, newline, rest = self.path.read_bytes().rpartition(b"\n")
        if rest:
            warnings.warn(f"the last line of {self.path} was cut off: it is dropped, and {self.again}.", stacklevel=4)
            with self.path.open("r+b") as file:
                file.truncate(len(whole + newline))
        if not newline:
            self._append(self.options)
            return
        try:
            first, *lines = map(json.loads, whole.decode("utf-8").split("\n"))
            differing = [key for key in self.options if first.get(key) != self.options[key]]
            self.records = [] if differing else [self.record(**line) for line in lines]
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{self.path} is damaged ({error}): delete it, or choose another folder.") from None
        if differing:
            raise ValueError(self._refusal(first, differing))

    def _refusal(self, found: dict[str, Any], differing: list[str]) -> str:
        """Return the message that refuses to continue a file that was written with other options."""
        where = f"{self.path.parent} holds {self.work}"
        if absent := [key for key in differing if key not in found]:
            key = absent[0]
            return f"{where} of another version, without {key} = {self.options[key]!r}: choose another folder."
        key = differing[0]
        how = f"with {key} = {found[key]!r}, not {self.options[key]!r}"
        return f"{where} {how}: choose another folder, or the same options."

    def add(self, record: Record) -> None:
        """Append a record, and wait until the disk has it."""
        self.records.append(record)
        self._append(asdict(record))

    def _append(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        note_written()


def in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """Call a function on each item, on several processes, and yield the results as they come.

    joblib's ``return_as="generator_unordered"`` does nearly that, and is not used because of how it ends: when it is
    interrupted, or the caller stops asking for results, it warns, prints a traceback of its own thread or complains of
    leaked semaphores (joblib 1.6), where a person should see one sentence.

    Parameters
    ----------
    function : callable
        It is sent to other processes, so it must be importable there.
    items : iterable
        What to call it on. Items are taken as the processes need them, so no more than a few wait.
    jobs : int
        The number of processes. With fewer than two, none is started, and the results have the order of the items.

    Examples
    --------
    >>> list(in_processes(len, ["a", "bb", "ccc"], jobs=1))
    [1, 2, 3]
    """
    if jobs < 2:
        yield from map(function, items)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        remaining, waiting = iter(items), set[Future[Result]]()
        try:
            while waiting := waiting | {pool.submit(function, i) for i in islice(remaining, 4 * jobs - len(waiting))}:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(cancel_futures=True)
