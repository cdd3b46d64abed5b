"""A model as a file: one JSON document that a person can read, and that executes nothing when it is loaded.

::

    model ──document──▶ entries of declared types ──text──▶ file
    file ──text──▶ entries of declared types ──document──▶ model

The format is declared in ``structs`` (as msgspec types) and described in ``docs/model-format.md``. What a classifier
adds to it follows from its own declaration. ``columns`` and ``values`` hold both directions side by side.
"""

from atfnb.model_file.document import from_bytes, from_document, load, read_edits, save, to_bytes, to_document
from atfnb.model_file.structs import model_schema

__all__ = ["from_bytes", "from_document", "load", "model_schema", "read_edits", "save", "to_bytes", "to_document"]
