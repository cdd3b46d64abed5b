"""A file of outcomes that survives being interrupted: one line per (set, split), written as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atfnb import _files
from atfnb.paper.protocol import Outcome


class Journal(_files.Journal[Outcome]):
    """The outcomes of one study in one folder.

    The first line of the file tells the study's options. A study with other options is refused; a last line that was
    cut off is dropped.
    """

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        super().__init__(folder / "journal.jsonl", Outcome, options, work="a study", again="its split runs again")
        self.outcomes = {(outcome.name, outcome.split): outcome for outcome in self.records}

    def _refusal(self, found: dict[str, Any], differing: list[str]) -> str:
        """A study that did not record what this one does cannot go on, whatever its options."""
        if "recorded" not in differing:
            return super()._refusal(found, differing)
        kept = ", ".join(self.options["recorded"])
        return (
            f"{self.path.parent} holds a study of another version, which did not write down what this one does "
            f"({kept}): choose another folder."
        )

    def add(self, outcome: Outcome) -> None:
        """Write an outcome down, for good."""
        self.outcomes[outcome.name, outcome.split] = outcome
        super().add(outcome)

    def in_order(self, names: list[str], n_splits: int) -> Iterator[Outcome]:
        """The outcomes in the study's order, whatever order they came in."""
        for name in names:
            for split in range(n_splits):
                yield self.outcomes[name, split]
