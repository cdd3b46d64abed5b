"""Leaves: from a photograph to ten attributes of shape and four of texture.

::

    photograph ──grey──▶ grey ──segment──▶ mask ──shape──▶ 10 attributes
                          └─────────────────┴──texture──▶ 4 attributes

Each arrow is a pure function on arrays. :func:`attributes` goes from one end to the other, :func:`extract` does so
for a folder, and :func:`draw_leaf` draws leaves where there are no photographs. Needs the extra ``leaf``.
"""

try:
    import skimage as _skimage  # noqa: F401
except ImportError as error:
    raise ImportError("leaves need scikit-image, which is missing: pip install 'atfnb[leaf]'.") from error

from atfnb.leaf.attributes import ATTRIBUTES, attributes
from atfnb.leaf.drawn import SPECIES, draw_folder, draw_leaf
from atfnb.leaf.extract import Summary, extract
from atfnb.leaf.photograph import Reason, UnmeasuredError, grey, read
from atfnb.leaf.preview import preview
from atfnb.leaf.segment import segment
from atfnb.leaf.shape import Outline, outline, shape
from atfnb.leaf.texture import texture

__all__ = [
    "ATTRIBUTES",
    "SPECIES",
    "Outline",
    "Reason",
    "Summary",
    "UnmeasuredError",
    "attributes",
    "draw_folder",
    "draw_leaf",
    "extract",
    "grey",
    "outline",
    "preview",
    "read",
    "segment",
    "shape",
    "texture",
]
