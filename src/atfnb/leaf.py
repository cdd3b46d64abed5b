"""The attributes of leaves: the public name of :mod:`atfnb.paper.leaf`."""

from atfnb.paper.leaf import *  # noqa: F403
from atfnb.paper.leaf import __all__ as __all__
