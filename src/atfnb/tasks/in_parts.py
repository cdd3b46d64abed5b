"""Files larger than memory → a model."""

from __future__ import annotations

from pathlib import Path

from atfnb._processes import Progress
from atfnb.classifiers import BaseNB
from atfnb.table_files import Dialect
from atfnb.tasks.rows import Wanted
from atfnb.tasks.words import UsageError


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
) -> str:
    """Fit a classifier to files, here or on a cluster; and say what that took."""
    if wanted.categorical or wanted.dialect != Dialect():
        raise UsageError(
            "files in parts are read as they are: --categorical, --encoding, --delimiter and "
            "--missing-mark go with one file that fits into memory."
        )
    from atfnb.scale import fit_files

    _, summary = fit_files(
        model,
        data,
        wanted.target,
        ignore=wanted.ignore,
        weight=wanted.weight,
        scheduler=scheduler,
        memory=memory,
        progress=progress,
    )
    return summary.text
