"""The real photographs against the table published for them."""

import csv

import numpy as np
import pytest
from scipy.stats import spearmanr

from atfnb_study.leaf import attributes, extract, read

PUBLISHED = {
    "area": ("area", 0.99),
    "perimeter": ("perimeter", 0.98),
    "form_factor": ("circularity", 0.98),
    "aspect_ratio": ("aspect_ratio", 0.98),  # there it is W/L
    "diameter": ("diameter", 0.98),
    "contrast": ("contrast", 0.9),
}
EVERY = 16


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.shared
def test_attributes_rank_the_leaves_as_the_published_table_does(shared, tmp_path):
    folder = shared / "flavia"
    labels = rows_of(folder / "labels.csv")
    published = dict(
        zip((row["file"] for row in labels), rows_of(folder / "features_lakshika_talagala_14.csv"), strict=True)
    )
    chosen = tmp_path / "labels.csv"
    chosen.write_text("file,species\n" + "".join(f"{row['file']},{row['species']}\n" for row in labels[::EVERY]))
    done = extract(folder / "images", chosen, tmp_path / "features.csv", jobs=2)
    ours = rows_of(done.out)
    assert len(ours) == len(labels[::EVERY])
    for name, (theirs, least) in PUBLISHED.items():
        pair = [[float(row[name]) for row in ours], [float(published[row["file"]][theirs]) for row in ours]]
        assert abs(spearmanr(*pair).statistic) >= least, name


@pytest.mark.shared
def test_turning_a_real_photograph_changes_no_attribute_of_its_shape(shared):
    image = read(shared / "flavia" / "images" / "1001.jpg")
    first, second = attributes(image), attributes(np.ascontiguousarray(np.rot90(image)))
    assert [first[name] for name in list(first)[:10]] == pytest.approx(
        [second[name] for name in list(first)[:10]], 1e-6
    )
