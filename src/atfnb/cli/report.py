"""A model and a file → the rows that its page is about."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb.classifiers import BaseNB
from atfnb.cli.predict import as_trained, check_columns, forms_of, target_of
from atfnb.cli.rows import check_names
from atfnb.encoding import kind_of_values, learned_kinds
from atfnb.tables import Dialect, Format, as_kinds, open_table, plain_classes, with_class


@dataclass(frozen=True)
class Known:
    """The rows of a file, as a model learned to read them, and the class of each."""

    X: pa.Table
    y: NDArray[Any]
    target: str
    format: Format
    notes: tuple[str, ...]


def rows_for(model: BaseNB, data: str, target: str | None, dialect: Dialect) -> Known:
    """Read what a model knows from a file that has the classes too."""
    target = target or target_of(model)
    if target is None:
        raise ValueError("the model does not say which column it predicts: name it with --target.")
    kinds = {**learned_kinds(model.encoder_), target: kind_of_values(model.classes_.tolist())}
    with open_table(data, as_trained(model, dialect)) as file:
        check_names(file.columns, [target], file.format.name)
        check_columns(model, file.columns, file.format.name)
        table = pa.concat_tables([as_kinds(batch, kinds, forms_of(model)) for batch in file.batches()])
    table, notes = with_class(table, target)
    classes = plain_classes(np.array(table.column(target).to_pylist()))
    return Known(table.drop_columns([target]), classes, target, file.format, (*notes, *_on_weights(model)))


def _on_weights(model: BaseNB) -> Iterator[str]:
    """Generate a sentence if the rows had weights in training."""
    weight = float(model.training_record.get("weight", model.n_rows_))
    if not math.isclose(weight, model.n_rows_, rel_tol=1e-9):
        yield "The model was trained on weighted rows; in these results every row counts the same."
