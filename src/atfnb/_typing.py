"""Names for the types of the arrays that flow through the library."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
ByteArray = NDArray[np.uint8]
CodeArray = NDArray[np.unsignedinteger[Any]]
"""Codes of values, in the smallest unsigned dtype that can hold them."""
ClassArray = NDArray[np.int32]
"""Codes of classes: positions in the sorted classes."""
