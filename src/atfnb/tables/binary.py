"""Binary columns of Parquet and Arrow files, as some programs write text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def is_binary(kind: Any) -> bool:
    """Return whether a column of this type holds bytes.

    Examples
    --------
    >>> is_binary(pa.binary()), is_binary(pa.dictionary(pa.int32(), pa.binary())), is_binary(pa.string())
    (True, True, False)
    """
    types = pa.types
    if types.is_dictionary(kind):
        return is_binary(kind.value_type)
    tests = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view)
    return any(test(kind) for test in tests)


def decoded(column: Any) -> Any:
    r"""Return a binary column as text, or None if one of its cells is not text in UTF-8.

    Examples
    --------
    >>> decoded(pa.chunked_array([[b"Ulm", None]])).to_pylist(), decoded(pa.chunked_array([[b"\xff"]]))
    (['Ulm', None], None)
    """
    kind = column.type
    is_coded = pa.types.is_dictionary(kind)
    try:
        return pc.cast(column, pa.dictionary(kind.index_type, pa.string()) if is_coded else pa.string())
    except pa.ArrowInvalid:
        return None


def with_decoded(table: Any) -> Any:
    """Return a table whose binary columns are text, but for those that hold other bytes."""
    for place, field in enumerate(table.schema):
        if is_binary(field.type) and (text := decoded(table.column(place))) is not None:
            table = table.set_column(place, field.name, text)
    return table
