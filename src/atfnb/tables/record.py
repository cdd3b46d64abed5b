"""The record of a training: what was read, left out and pooled before a model learned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from atfnb.tables.naming import RareClasses, Relabelling, spelled_classes


@dataclass(frozen=True)
class TrainingRecord:
    """What was read, left out and pooled before a model learned: notes for the user, and entries of the model file."""

    notes: tuple[str, ...] = ()
    """What was found in the table and done about it, a sentence each."""
    identifiers: tuple[str, ...] = ()
    """Columns that were left out because they hold identifiers of the rows."""
    format: str = ""
    """How the file is written, in words."""
    target: str | None = None
    """The column with the classes."""
    source: str | None = None
    """The file, or the files, as the user named them."""
    files: Sequence[str] = ()
    """The paths of the files, if there are several."""
    missing_marks: Sequence[str] | None = None
    """The texts that mark a missing value in the file, if not the usual ones."""
    forms: Mapping[str, str] = field(default_factory=dict)
    """The sign or unit of each column whose numbers are written with one, "" for thousands separators alone; and the
    format of each column of dates that are not ISO dates."""
    class_spelling: Sequence[str] | None = None
    """The classes as the file spells them, where Python spells them differently."""
    rare: RareClasses | None = None
    """The classes that count as one, or whose rows are left out, if there are any."""
    words: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The different cells, as they are written, of the column with the classes and of columns of booleans."""

    @classmethod
    def of(
        cls,
        file: Any,
        target: str,
        columns: Iterable[str],
        classes: NDArray[Any],
        names: Relabelling,
        decimal: str = ".",
    ) -> TrainingRecord:
        """Return the record of what was read from a file, or a plan of files: how cells and classes are written."""
        forms = {name: form for name in columns if (form := file.forms.get(name)) is not None}
        return cls(
            notes=tuple(form.described(name) for name, form in forms.items()),
            target=target,
            files=file.files if len(file.files) > 1 else (),
            forms={name: form.recorded for name, form in forms.items() if form.recorded is not None},
            class_spelling=spelled_classes(file.words.get(target, ()), classes, decimal),
            rare=names.rare,
            words=file.words,
        )

    @property
    def entries(self) -> dict[str, Any]:
        """What a fitted model keeps as ``training_``, and its file says."""
        kept = {
            "target": self.target,
            "source": self.source,
            "missing_marks": self.missing_marks and list(self.missing_marks),
            "forms": dict(self.forms),
            "class_spelling": list(self.class_spelling or ()),
            "rare_classes": self.rare and self.rare.record,
            "files": list(self.files),
        }
        return {name: value for name, value in kept.items() if value}
