"""Table files for the tests: written, packed, opened."""

import bz2
import gzip
import io
import lzma
import zipfile

import pyarrow as pa

from atfnb.tables import Dialect, open_table


def zipped(data, *names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names or ("table.csv",):
            archive.writestr(name, data)
    return stream.getvalue()


def by_arrow(kind):
    def pack(data):
        stream = io.BytesIO()
        with pa.CompressedOutputStream(pa.PythonFile(stream, "w"), kind) as packed:
            packed.write(data)
            packed.flush()
            packed.close()
            return stream.getvalue()

    return pack


PACKERS = {
    None: bytes,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
    "zstd": lambda data: pa.compress(data, "zstd", asbytes=True),
    "lz4": lambda data: pa.compress(data, "lz4", asbytes=True),
}


def written(folder, data, name="table.csv"):
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def read(path, **dialect):
    with open_table(path, Dialect(**dialect)) as file:
        return file.read()


def text_of(path, **dialect):
    """The batches, put together."""
    with open_table(path, Dialect(**dialect)) as file:
        return pa.concat_tables([batch.table for batch in file.batches()])


def format_of(path, **dialect):
    with open_table(path, Dialect(**dialect)) as file:
        file.read()
    return file.format
