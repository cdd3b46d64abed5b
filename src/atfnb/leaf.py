"""The former place of :mod:`atfnb_study.leaf`, whose names still load from here, with a warning."""

import warnings
from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    module = import_module("atfnb_study.leaf")
    if name not in module.__all__:
        raise AttributeError(f"module 'atfnb.leaf' has no attribute {name!r}")
    warnings.warn("atfnb.leaf is now atfnb_study.leaf: import it from there.", DeprecationWarning, stacklevel=2)
    return getattr(module, name)
