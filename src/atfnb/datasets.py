"""The 50 data sets of the paper: the public name of :mod:`atfnb.paper.datasets`."""

from atfnb.paper.datasets import *  # noqa: F403
from atfnb.paper.datasets import __all__ as __all__
