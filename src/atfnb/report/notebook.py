"""What a notebook shows of a fitted model: how much the attributes count, and β."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from atfnb.report.plots import BLUE, RED

TOP = 10

FRAME = '<div style="font: 13px/1.5 system-ui, sans-serif; margin: .4em 0">{}</div>'
ROW = (
    '<tr><td style="text-align: right; background: none">{name}</td>'
    '<td style="width: 14em; background: none"><div style="height: .8em; width: {width:.1f}%; background: {colour}">'
    '</div></td><td style="text-align: right; background: none">{weight:.3f}</td></tr>'
)


def weights_html(model: Any) -> str:
    """The attributes that count most as bars, and a sentence on β, as HTML; nothing before the model is fitted.

    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB
    >>> weights_html(ATFNB())
    ''
    >>> "β = 0.6141, best from 0.4929 to 0.7353" in weights_html(ATFNB().fit(*load_iris(return_X_y=True)))
    True
    """
    return FRAME.format("".join(_parts(model))) if hasattr(model, "table_") else ""


def _parts(model: Any) -> Iterator[str]:
    if hasattr(model, "beta_"):
        low, high = model.beta_interval_
        yield (
            f"<div>β = {model.beta_:.4f}, best from {low:.4f} to {high:.4f}; "
            f"training accuracy {model.beta_accuracy_:.4f}</div>"
        )
    weights = model.weights_
    largest = np.argsort(-np.abs(weights), kind="stable")[:TOP]
    scale = 100 / max(float(np.abs(weights).max()), 1e-300)
    rows = (
        ROW.format(
            name=escape(model.encoder_.attributes[j].name[:60]),
            width=scale * abs(weights[j]),
            colour=RED if weights[j] < 0 else BLUE,
            weight=weights[j],
        )
        for j in largest
    )
    yield f"<table style='font: inherit'>{''.join(rows)}</table>"
    if len(weights) > TOP:
        yield f"<div>and {len(weights) - TOP} more attributes</div>"
