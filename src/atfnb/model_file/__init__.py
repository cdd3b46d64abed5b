"""A model as a file: one JSON document that a person can read, and that executes nothing when it is loaded.

::

    model ──writing──▶ document ──files──▶ text
    text ──files──▶ document ──reading──▶ model ──checks──▶ a model whose parts fit each other

The format is declared in ``structs`` (as msgspec types) and described in ``docs/model-format.md``. What a classifier
adds to it follows from its own declaration.
"""

from atfnb.model_file.files import load, save, to_bytes
from atfnb.model_file.reading import from_document
from atfnb.model_file.structs import model_schema
from atfnb.model_file.writing import to_document

__all__ = ["from_document", "load", "model_schema", "save", "to_bytes", "to_document"]
