"""The attributes of leaves for a study or for the command: from a folder of photographs, a table, or drawn leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from atfnb._errors import and_more
from atfnb.console import progress_bar
from atfnb.paper.text_table import TextTable, console_table

if TYPE_CHECKING:
    from rich.console import Console

    from atfnb.paper.leaf import Summary

NAMED = 3
"""The number of files that are named for each reason; the others are counted."""


def measure_folder(
    console: Console,
    images: Path,
    labels: Path | None,
    out: Path,
    *,
    leaf_pixels_only: bool = False,
    preview: Path | None = None,
    jobs: int,
) -> Summary:
    """Measure a folder of photographs, and print how many were measured and which were left out.

    Parameters
    ----------
    console : rich.console.Console
        The console for the progress bar and the outcome.
    images, out, leaf_pixels_only, preview, jobs
        As for :func:`atfnb.leaf.extract`.
    labels : Path, optional
        The table of labels; by default ``labels.csv`` in the folder of photographs.
    """
    from atfnb.paper.leaf import extract

    with progress_bar(console, "measuring") as progress:
        done = extract(
            images,
            labels or images / "labels.csv",
            out,
            leaf_pixels_only=leaf_pixels_only,
            preview=preview,
            jobs=jobs,
            progress=progress,
        )
    earlier = f"; {done.known} of the files were looked at in an earlier run" if done.known else ""
    leaves = "1 leaf" if done.measured == 1 else f"{done.measured} leaves"
    console.print(f"{leaves} measured, into {out}{earlier}")
    if done.skipped or done.remarks:
        console.print(console_table(summary_table(done)))
    if not done.measured:
        raise ValueError(f"no photograph of {images} could be measured.")
    return done


def summary_table(done: Summary) -> TextTable:
    """Return a table of the files that were left out or have a remark: how many, why, and the names of a few."""
    rows = []
    for what, found in (("left out", done.skipped), ("measured", done.remarks)):
        for reason, names in found.items():
            few = [name + (f" ({done.details[name]})" if name in done.details else "") for name in names[:NAMED]]
            rows.append((what, len(names), reason.value, ", ".join(few) + and_more(len(names), NAMED)))
    return TextTable("leaves", "files left out or with a remark", ("", "files", "because it", "which"), tuple(rows))


def features_of(
    console: Console,
    out: Path,
    *,
    images: Path | None,
    labels: Path | None,
    features: Path | None,
    drawn: bool,
    jobs: int,
) -> Path:
    """Return the path of the table of attributes for a study of leaves: as given, measured, or drawn and measured."""
    if sum((images is not None, features is not None, drawn)) != 1:
        raise ValueError("the study of leaves needs one of --images DIR, --features FILE and --drawn.")
    if features is not None:
        if not features.is_file():
            raise FileNotFoundError(f"there is no table {str(features)!r}.")
        return features
    if images is None:
        from atfnb.paper.leaf import draw_folder

        images = out / "drawn"
        if not (images / "labels.csv").exists():
            draw_folder(images)
    measure_folder(console, images, labels, out / "features.csv", jobs=jobs)
    return out / "features.csv"
