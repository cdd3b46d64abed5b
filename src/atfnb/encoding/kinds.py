"""What a table must hold to be coded, as its columns were learned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from atfnb.encoding.attributes import Attribute, NumericAttribute
from atfnb.encoding.encoder import TableEncoder

if TYPE_CHECKING:  # it would import pyarrow
    from atfnb.tables import Kind


def learned_kinds(encoder: TableEncoder) -> dict[str, Kind]:
    """What each column must hold, as it was learned."""
    return {attribute.name: _kind(attribute) for attribute in encoder.attributes}


def _kind(attribute: Attribute) -> Kind:
    return "number" if isinstance(attribute, NumericAttribute) else kind_of_values(attribute.categories)


def kind_of_values(values: Iterable[object]) -> Kind:
    """What a column with these values holds.

    >>> kind_of_values([1, 2.5]), kind_of_values([True, False])
    ('number', 'boolean')
    """
    types = {type(value) for value in values}
    if types == {bool}:
        return "boolean"
    return "whole" if types == {int} else "number" if types and types <= {int, float} else "text"
