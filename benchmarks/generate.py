"""Generate Parquet files of any length: ``python -m benchmarks.generate folder --rows 100000000 --columns 20``.

Of ten columns seven are numbers with two decimals, one is a number with all decimals, and two are text; there are three
classes. Each file has a seed of its own, so that it does not depend on the number of files.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

CLASSES = np.array(["ash", "birch", "cedar"])
WORDS = np.array(["amber", "blue", "crimson", "dun", "emerald", "fawn", "green", "hazel"])
FILE_ROWS = 1_000_000
GROUP_ROWS = 250_000


def generate(folder: Path, rows: int, columns: int = 20, seed: int = 0) -> list[Path]:
    """Write files of a million rows each, the last with the remaining rows, and return their paths.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (path,) = generate(Path(folder), rows=5, columns=10)
    ...     parquet.read_table(path).shape
    (5, 11)
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for piece, first in enumerate(range(0, rows, FILE_ROWS)):
        path = folder / f"rows-{piece:05d}.parquet"
        table = table_of(min(FILE_ROWS, rows - first), columns, np.random.default_rng([seed, piece]))
        parquet.write_table(table, path, row_group_size=GROUP_ROWS, write_page_checksum=True)
        paths.append(path)
    return paths


def table_of(rows: int, columns: int, random: np.random.Generator) -> pa.Table:
    """Return a table whose columns depend on the class, the last more than the first, and the class in "y"."""
    y = random.integers(0, len(CLASSES), rows)
    made = {}
    for j in range(columns):
        strength = 0.1 + 0.9 * j / columns
        if j % 10 in (3, 8):
            word = np.where(random.random(rows) < 0.3 * strength, y, random.integers(0, len(WORDS), rows))
            made[f"word{j}"] = pa.DictionaryArray.from_arrays(word.astype(np.int8), WORDS).dictionary_decode()
            continue
        number = random.standard_normal(rows) + strength * y
        made[f"number{j}"] = pa.array(number if j % 10 == 5 else number.round(2))
    made["y"] = pa.DictionaryArray.from_arrays(y.astype(np.int8), CLASSES).dictionary_decode()
    return pa.table(made)


def main() -> None:
    """Parse the command line and write the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="folder for the files")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of all files together")
    parser.add_argument("--columns", type=int, default=20, help="columns without the class")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other rows")
    asked = parser.parse_args()
    generate(asked.folder, asked.rows, asked.columns, asked.seed)


if __name__ == "__main__":
    main()
