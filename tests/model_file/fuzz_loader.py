"""Fuzz the loader of model files with atheris: ``python fuzz_loader.py corpus-folder [libFuzzer options]``.

Bytes are mutated as they are, or, where they are JSON, somewhere in the document. A file is refused with a ValueError
of one sentence, or gives a model that answers; anything else stops the run.
"""

import json
import sys
import warnings
from pathlib import Path
from random import Random


def main():
    import atheris

    with atheris.instrument_imports(include=["atfnb.model_file"]):
        import atfnb.model_file  # noqa: F401
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from atfnb.model_file import from_bytes
    from helpers.model_files import as_text, assert_one_sentence, mutated, rows_for

    def mutate(data, max_size, seed):
        random = Random(seed)
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or not document or random.random() < 0.25:
            return atheris.Mutate(data, max_size)
        return as_text(mutated(document, random)).encode()[:max_size]

    def read(data):
        try:
            model = from_bytes(data, "model.json")
        except ValueError as error:
            assert_one_sentence(error)
            return
        model.predict(rows_for(model))

    warnings.simplefilter("ignore")
    atheris.Setup(sys.argv, read, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
