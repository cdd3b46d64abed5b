"""Files larger than memory → a model."""

from __future__ import annotations

from pathlib import Path

from atfnb._processes import Progress
from atfnb.classifiers import BaseNB
from atfnb.cli.rows import Wanted, check_roles
from atfnb.cli.words import UsageError


def is_in_parts(data: str, scheduler: str | None, memory: str | None) -> bool:
    """Whether a table is to be read in parts: several files, a folder of them, or where a worker's memory is said.

    >>> is_in_parts("data/*.parquet", None, None), is_in_parts("data.csv", None, "2GB")
    (True, True)
    """
    several = any(sign in data for sign in "*?[") and not Path(data).exists()
    return several or Path(data).is_dir() or scheduler is not None or memory is not None


def fit_parts(
    model: BaseNB,
    data: str,
    wanted: Wanted,
    *,
    scheduler: str | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
) -> list[str]:
    """Fit a classifier to files, here or on a cluster; sentences on what was found, and on what that took."""
    if data == "-":
        raise UsageError("standard input cannot be read more than once, as parts are: write it to a file first.")
    check_roles(wanted)
    from atfnb.scale import fit_files
    from atfnb.tables import plain_classes

    _, summary = fit_files(
        model,
        data,
        wanted.target,
        ignore=wanted.ignore,
        weight=wanted.weight,
        dialect=wanted.dialect,
        as_text=wanted.categorical,
        policy=wanted.policy,
        scheduler=scheduler,
        memory=memory,
        progress=progress,
    )
    model.classes_ = plain_classes(model.classes_)
    return [*summary.notes, summary.text]
