"""Planning and parts know nothing of who runs them: here, no cluster and no Dask do."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from atfnb.tables import Dialect, counting_bytes, open_table, parts_as_learned, plan, read_frames
from atfnb.tables.planning import in_threads

TABLE = pa.table({"size": [i % 7 + 0.5 for i in range(90)], "colour": ["rgb"[i % 3] for i in range(90)]})


def files(folder, suffix):
    for k in range(3):
        part = TABLE.slice(30 * k, 30)
        if suffix == "parquet":
            parquet.write_table(part, folder / f"{k}.parquet", row_group_size=10)
        else:
            part.to_pandas().to_csv(folder / f"{k}.csv", index=False)
    return str(folder / f"*.{suffix}")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_parts_of_files_hold_their_rows_and_count_their_bytes(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("atfnb.tables.planning.PART_ROWS", (10, 10))
    pattern = files(tmp_path, suffix)
    planned = plan(pattern)
    assert planned.names == ("size", "colour")
    assert len(planned.parts) == (3 if suffix == "csv" else 9)
    with counting_bytes() as read:
        frames = [frame for part in planned.parts for _, frame in read_frames(part, ("colour", "size"), rows=7)]
    assert max(map(len, frames)) <= 7
    rows = [row for frame in frames for row in frame.to_pylist()]
    assert rows == TABLE.select(["colour", "size"]).to_pylist()
    sizes = sum(Path(path).stat().st_size for path in tmp_path.iterdir())
    assert sum(read) == sizes if suffix == "csv" else 0 < sum(read) < sizes


def test_only_the_columns_that_are_read_are_counted(tmp_path):
    (part, *_) = plan(files(tmp_path, "parquet")).parts
    read = []
    for columns in (("size",), ("colour",), ("size", "colour")):
        with counting_bytes() as counter:
            list(read_frames(part, columns))
        read.append(sum(counter))
    assert read[0] + read[1] == read[2]


def test_new_files_are_read_as_the_kinds_that_were_learned(tmp_path):
    pattern = files(tmp_path, "csv")
    (part, *_) = parts_as_learned(pattern, in_threads, Dialect(), {"size": "text"}, {}, {})
    ((_, frame),) = read_frames(part, ("size",))
    assert frame.column("size").to_pylist()[:2] == ["0.5", "1.5"]
    with pytest.raises(ValueError, match="has no column 'weight', which the model was fitted with"):
        parts_as_learned(pattern, in_threads, Dialect(), {"weight": "number"}, {}, {})


def test_types_and_odd_rows_are_those_of_all_frames_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("atfnb.tables.planning.FRAME_ROWS", 2)
    cells = ["1,1,$1,1/3/2024", "2,,$2,2/3/2024", "3,x,$3,31/3/2024", "Total,,,", "4.5,2,?,?"]
    (tmp_path / "a.csv").write_text("\n".join(["n,t,fee,day", *cells]))
    planned = plan(tmp_path / "a.csv")
    (part,) = planned.parts
    assert part.kinds == {"n": "text", "t": "text", "fee": "number", "day": "date"}
    assert (part.forms, planned.forms["day"].formats) == ({"fee": "$", "day": "%d/%m/%Y"}, ("%d/%m/%Y",))


def test_planning_imports_no_dask():
    program = "import sys, atfnb.tables.planning; sys.exit('dask' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("write", [parquet.write_table, feather.write_feather], ids=["parquet", "arrow"])
def test_text_of_files_with_types_stays_text_in_parts_too(tmp_path, write):
    table = pa.table({"code": ["7", "12", "13"], "size": [1.5, 2.0, 3.0]})
    write(table, f"{tmp_path}/codes")
    (part,) = plan(tmp_path / "codes").parts
    ((_, frame),) = read_frames(part, ("code", "size"))
    assert frame.to_pydict() == table.to_pydict()
    with open_table([tmp_path / "codes", f"{tmp_path}/./codes"]) as several:
        assert several.read().to_pydict() == pa.concat_tables([table, table]).to_pydict()
