"""The former place of :mod:`atfnb_study.leaf`, whose names still load from here, with a warning."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    warnings.warn("atfnb.leaf is now atfnb_study.leaf: import it from there.", DeprecationWarning, stacklevel=2)
    return getattr(import_module("atfnb_study.leaf"), name)
