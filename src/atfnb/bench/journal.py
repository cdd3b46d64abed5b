"""A file of outcomes that survives being interrupted: one line per (set, split), written as soon as it is known."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from atfnb.bench.protocol import Outcome


class Journal:
    """The outcomes of one study in one folder.

    The first line of the file tells the study's options. A study with other options is refused; a last line that was
    cut off is dropped.
    """

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        self.path = folder / "journal.jsonl"
        self.options = options
        self.outcomes: dict[tuple[str, int], Outcome] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and self.path.stat().st_size:
            self._read()
        else:
            self._append(options)

    def _read(self) -> None:
        whole, newline, rest = self.path.read_bytes().rpartition(b"\n")
        if rest:
            warnings.warn(
                f"the last line of {self.path} was cut off: it is dropped, and its split runs again.", stacklevel=3
            )
            with self.path.open("r+b") as file:
                file.truncate(len(whole + newline))
        if not newline:
            self._append(self.options)
            return
        try:
            first, *lines = map(json.loads, whole.decode("utf-8").split("\n"))
            differing = [key for key in self.options if first.get(key) != self.options[key]]
            found = [] if differing else [Outcome(**line) for line in lines]
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{self.path} is damaged ({error}): delete it, or choose another folder.") from None
        if "recorded" in differing:
            kept = ", ".join(self.options["recorded"])
            raise ValueError(
                f"{self.path.parent} holds a study of another version, which did not write down what this one does "
                f"({kept}): choose another folder."
            )
        if differing:
            key = differing[0]
            raise ValueError(
                f"{self.path.parent} holds a study with {key} = {first.get(key)!r}, not {self.options[key]!r}: "
                "choose another folder, or the same options."
            )
        self.outcomes = {(outcome.name, outcome.split): outcome for outcome in found}

    def add(self, outcome: Outcome) -> None:
        """Write an outcome down, for good."""
        self.outcomes[outcome.name, outcome.split] = outcome
        self._append(asdict(outcome))

    def _append(self, line: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def in_order(self, names: list[str], n_splits: int) -> Iterator[Outcome]:
        """The outcomes in the study's order, whatever order they came in."""
        for name in names:
            for split in range(n_splits):
                yield self.outcomes[name, split]
