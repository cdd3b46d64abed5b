"""Columns of a fresh model that a person should look at, in the words of the command."""

from __future__ import annotations

from collections.abc import Sequence

from atfnb.classifiers import BaseNB
from atfnb.cli.rows import Wanted
from atfnb.cli.words import options
from atfnb.report import doubts_in_words, doubts_of


def doubts_about(model: BaseNB, wanted: Wanted) -> tuple[str, ...]:
    """Return a sentence on each kind of column that may not hold what it promises, those to be kept aside."""
    found = doubts_of(model.encoder_, model.counts_, model.n_rows_).without(wanted.keep)
    return tuple(doubts_in_words(found, repr(wanted.target), _leave_out))


def _leave_out(columns: Sequence[str]) -> str:
    it = "it" if len(columns) == 1 else "them"
    return f"leave {it} out with {options('--ignore', columns)}"
