"""A model as a file: one JSON document that a person can read, and that executes nothing when it is loaded.

::

    model ──document──▶ plain dict ──layout──▶ text ──write_whole──▶ file
    file ──parse──▶ plain dict ──reading──▶ model, its shapes and numbers checked ──checks──▶ the same model, consistent

What stands where is told in ``docs/model-format.md`` and, for programs, in ``model.schema.json`` beside this module.
"""

from atfnb.model_file.document import to_document
from atfnb.model_file.files import load, save
from atfnb.model_file.reading import from_document

__all__ = ["from_document", "load", "save", "to_document"]
