"""Leaves from a folder, from a table or drawn, told on a console."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from atfnb._errors import and_more
from atfnb.console import progress_bar
from atfnb.paper.text_table import TextTable, on_console

if TYPE_CHECKING:
    from rich.console import Console

    from atfnb.paper.leaf import Summary

NAMED = 3
"""How many files are named for each reason."""


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
    """Measure a folder of photographs and say what became of each; the labels are in it if they are not given."""
    from atfnb.paper.leaf import extract

    with progress_bar(console, "measuring") as told:
        done = extract(
            images,
            labels or images / "labels.csv",
            out,
            leaf_pixels_only=leaf_pixels_only,
            preview=preview,
            jobs=jobs,
            progress=told,
        )
    earlier = f", {done.known} of the files looked at by an earlier start" if done.known else ""
    leaves = "1 leaf" if done.measured == 1 else f"{done.measured} leaves"
    console.print(f"{leaves} measured, into {out}{earlier}")
    if done.skipped or done.remarks:
        console.print(on_console(summary_table(done)))
    if not done.measured:
        raise ValueError(f"no photograph of {images} could be measured.")
    return done


def summary_table(done: Summary) -> TextTable:
    """How many files were left out, or are to be looked at, and why; a few of each kind by name."""
    rows = []
    for what, found in (("left out", done.skipped), ("measured", done.remarks)):
        for reason, names in found.items():
            told = [name + (f" ({done.details[name]})" if name in done.details else "") for name in names[:NAMED]]
            rows.append((what, len(names), reason.value, ", ".join(told) + and_more(len(names), NAMED)))
    return TextTable("leaves", "what to know of the files", ("", "files", "because it", "which"), tuple(rows))


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
    """The table of attributes that a study of leaves is made on: as given, measured, or drawn and measured."""
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
