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

from atfnb.paper.leaf.attributes import ATTRIBUTES, attributes
from atfnb.paper.leaf.drawn import SPECIES, draw_folder, draw_leaf
from atfnb.paper.leaf.extract import Summary, extract
from atfnb.paper.leaf.photograph import Reason, UnmeasuredError, grey, read
from atfnb.paper.leaf.preview import preview
from atfnb.paper.leaf.segment import segment
from atfnb.paper.leaf.shape import Outline, outline, shape
from atfnb.paper.leaf.texture import texture

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
