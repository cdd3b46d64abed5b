"""A folder of photographs and a table of labels → a table of attributes; interrupted and resumed at will."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from atfnb._files import Journal, write_whole
from atfnb._processes import Progress, in_processes
from atfnb.paper.leaf.attributes import ATTRIBUTES, measure
from atfnb.paper.leaf.labels import files_in, read_labels
from atfnb.paper.leaf.photograph import Reason, UnmeasuredError, read
from atfnb.paper.leaf.preview import write_preview

METHOD = 1
"""Raised when the same photograph would give other numbers."""
FEW = 16
"""So few photographs are done before further processes have started."""


@dataclass(frozen=True)
class Measured:
    """What was found in one file: 14 numbers, or the reason why there are none; or both, where there is a remark."""

    file: str
    mark: str
    """Its size and the time of its last change: another mark, another photograph."""
    values: list[float]
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Summary:
    """What became of a folder of photographs."""

    out: Path
    measured: int
    """Rows of the table."""
    known: int
    """How many files an earlier start had looked at."""
    skipped: dict[Reason, list[str]]
    """The files that are not in the table, by reason."""
    remarks: dict[Reason, list[str]]
    """Files that are in the table, but of which there is something to say."""
    details: dict[str, str]
    """What more there is to say of a skipped file."""


def extract(
    images: Path,
    labels: Path,
    out: Path,
    *,
    leaf_pixels_only: bool = False,
    preview: Path | None = None,
    jobs: int = 2,
    progress: Progress = lambda *_: None,
) -> Summary:
    """Measure every photograph that has a label, and write a table: file, 14 attributes, class.

    What is measured is kept beside the table, in a journal: a second start goes on from there, and measures only what
    is new or has changed.

    Parameters
    ----------
    images : Path
        The folder of photographs.
    labels : Path
        A CSV table with a column ``file`` and one named ``class``, ``species`` or ``label``.
    out : Path
        The table to write; it is replaced whole, when everything is measured.
    leaf_pixels_only : bool, default=False
        Take the texture of the leaf alone, instead of the whole image.
    preview : Path, optional
        A folder for each photograph with its outline, length and width drawn on it.
    jobs : int, default=2
        How many processes to use.
    progress : callable, optional
        Told after every photograph.

    Examples
    --------
    >>> import tempfile
    >>> from atfnb.paper.leaf import draw_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels = draw_folder(Path(folder), each=1)
    ...     done = extract(Path(folder), labels, Path(folder) / "features.csv", jobs=1)
    >>> done.measured, done.skipped
    (8, {})
    """
    journal_file = out.with_name(f"{out.name}.journal")
    there = files_in(images, but_not=[labels, out, journal_file, *([preview] if preview else [])])
    classes = read_labels(labels)
    journal = _open_journal(journal_file, leaf_pixels_only)
    known = {one.file: one for one in journal.records}
    named = [_photograph(name, images, preview) for name in there if name in classes]
    todo = [one for one in named if not one.is_done(known.get(one.name))]
    task = partial(_measure, leaf_pixels_only=leaf_pixels_only)
    for done, one in enumerate(in_processes(task, todo, jobs if len(todo) > FEW else 1), start=1):
        journal.add(one)
        known[one.file] = one
        progress(len(named) - len(todo) + done, len(named), one.file)
    found = {one.name: known[one.name] for one in named}
    rows = [(found[name], label) for name, label in classes.items() if name in found and found[name].values]
    write_whole(out, _as_csv(rows))
    skipped = [(one.file, one.reason) for one in found.values() if not one.values]
    skipped += [(name, Reason.NO_FILE) for name in classes if name not in found]
    skipped += [(name, Reason.NO_LABEL) for name in there if name not in classes]
    remarks = [(one.file, one.reason) for one, _ in rows if one.reason]
    details = {one.file: one.detail for one in found.values() if one.detail}
    return Summary(out, len(rows), len(named) - len(todo), _by_reason(skipped), _by_reason(remarks), details)


@dataclass(frozen=True)
class _Photograph:
    """A file to be measured, and where its preview goes."""

    name: str
    path: Path
    mark: str
    picture: Path | None

    def is_done(self, known: Measured | None) -> bool:
        """Whether an earlier start has looked at this very file, and drawn what is wanted."""
        if known is None or known.mark != self.mark:
            return False
        return self.picture is None or not known.values or self.picture.exists()


def _photograph(name: str, folder: Path, preview: Path | None) -> _Photograph:
    told = (folder / name).stat()
    picture = preview / f"{name}.preview.jpg" if preview else None
    return _Photograph(name, folder / name, f"{told.st_size} {told.st_mtime_ns}", picture)


def _open_journal(path: Path, leaf_pixels_only: bool) -> Journal[Measured]:
    options = {"leaf_pixels_only": leaf_pixels_only, "method": METHOD, "scikit-image": version("scikit-image")}
    return Journal(path, Measured, options, work="measurements", again="its photograph is measured again")


def _measure(photograph: _Photograph, leaf_pixels_only: bool) -> Measured:
    """Look at one photograph, in whatever process."""
    try:
        found = measure(read(photograph.path), leaf_pixels_only=leaf_pixels_only)
    except UnmeasuredError as error:
        return Measured(photograph.name, photograph.mark, [], error.reason.value, error.detail)
    if photograph.picture:
        write_preview(photograph.picture, found.grey, found.outline)
    values = [found.values[attribute] for attribute in ATTRIBUTES]
    return Measured(photograph.name, photograph.mark, values, Reason.TOUCHES.value if found.touches else "")


def _as_csv(rows: list[tuple[Measured, str]]) -> str:
    """All digits, so that tables compare to the byte."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", *ATTRIBUTES, "class"])
    writer.writerows([one.file, *one.values, label] for one, label in rows)
    return text.getvalue()


def _by_reason(told: list[tuple[str, str]]) -> dict[Reason, list[str]]:
    names = {reason: [name for name, why in told if why == reason] for reason in Reason}
    return {reason: files for reason, files in names.items() if files}
