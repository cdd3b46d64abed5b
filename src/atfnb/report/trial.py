"""What the page tries edits of effects on: rows with their classes, as codes, and the means of pairs."""

from __future__ import annotations

import zlib
from itertools import pairwise

import numpy as np

from atfnb._typing import CodeArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.editing import Draft
from atfnb.report.sentences import Payload

MOST_ROWS, MOST_CODES = 5000, 200_000
"""The largest number of rows that edits are tried on, and of their codes together."""


def trial_of(model: BaseNB, codes: CodeArray, truth: IntArray, random_state: int) -> Payload:
    """Return what the page tries edits on: all rows, or a random sample of many.

    - ``fingerprint`` of the model's training rows, by which a file of edits names the model
    - ``rows``, their number, and ``codes`` (1 + attributes, rows), their classes and then the codes of each attribute,
      as deflated integers of a ``kind``
    - ``weight`` of all training rows together
    - ``pairMeans`` (pairs, classes), what each pair adds to each class on an average training row

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    codes : (rows, attributes) array
    truth : (rows,) array
        The code of each row's class.
    random_state : int
        The seed of the sample.
    """
    most = min(len(truth), MOST_ROWS, MOST_CODES // codes.shape[1])
    chosen = np.sort(np.random.default_rng(random_state).permutation(len(truth))[:most])
    kind = np.result_type(codes, np.min_scalar_type(len(model.classes_)))
    columns = np.column_stack([truth[chosen], codes[chosen]]).T.astype(kind.newbyteorder("<"))
    return {
        "fingerprint": model.fingerprint_,
        "rows": most,
        "kind": kind.name,
        "codes": zlib.compress(columns.tobytes(), level=9),
        "weight": float(model.counts_.classes.sum()),
        "pairMeans": _pair_means(model),
    }


def _pair_means(model: BaseNB) -> list[list[float]]:
    """Return what each pair adds to each class on an average training row: (pairs, classes)."""
    names = (model.encoder_.attributes, model.classes_.tolist(), model.class_labels)
    draft, ends = Draft.of(model.model_, model.counts_, *names), model.model_.offsets[len(model.weights_) :]
    return [draft.mean(np.arange(*each)).tolist() for each in pairwise(ends.tolist())]
