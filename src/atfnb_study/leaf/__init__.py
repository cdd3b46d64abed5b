"""Leaves: from a photograph to ten attributes of shape and four of texture.

::

    photograph ──grey──▶ grey ──segment──▶ mask ──outline──▶ outline ──shape──▶ 10 attributes
                          └─────────────────┴──texture──▶ 4 attributes

Each arrow is a pure function on arrays. :func:`attributes` does all of them for one photograph, :func:`extract` for a
folder, and :func:`draw_leaf` draws leaves for trials without photographs. Needs the extra ``leaf``.

Available as :mod:`atfnb.leaf`.
"""

try:
    import skimage as _skimage  # noqa: F401
except ImportError as error:
    raise ImportError("leaves need scikit-image, which is missing: pip install 'atfnb[leaf]'") from error

from atfnb_study.leaf.attributes import ATTRIBUTES, Outline, attributes, outline, shape, texture
from atfnb_study.leaf.drawn import SPECIES, draw_folder, draw_leaf
from atfnb_study.leaf.extract import Summary, extract, files_in, preview
from atfnb_study.leaf.photograph import Reason, UnmeasuredError, grey, read, segment

__all__ = ["ATTRIBUTES", "SPECIES", "Outline", "Reason", "Summary", "UnmeasuredError", "attributes", "draw_folder"]
__all__ += ["draw_leaf", "extract", "files_in", "grey", "outline", "preview", "read", "segment", "shape", "texture"]
