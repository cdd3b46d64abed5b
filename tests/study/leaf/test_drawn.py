import subprocess
import sys

import numpy as np
import pytest

from atfnb_study.leaf import SPECIES, attributes, draw_folder, draw_leaf, grey, outline, preview, segment


@pytest.mark.parametrize("species", SPECIES)
def test_the_same_seed_draws_the_same_leaf_and_another_another(species):
    np.testing.assert_array_equal(draw_leaf(species, 4), draw_leaf(species, 4))
    assert (draw_leaf(species, 4) != draw_leaf(species, 5)).any()


@pytest.mark.parametrize("species", SPECIES)
def test_every_drawn_leaf_lies_inside_its_photograph(species):
    for seed in range(5):
        assert attributes(draw_leaf(species, seed))["area"] > 500


def test_an_unknown_species_is_refused():
    with pytest.raises(ValueError, match="no drawn species 'oak'; there are broad oval"):
        draw_leaf("oak")


def test_a_folder_is_drawn_the_same_each_time(tmp_path):
    for name in ("one", "two"):
        draw_folder(tmp_path / name, each=1, seed=3)
    one, two = ({f.name: f.read_bytes() for f in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two
    assert len(one) == len(SPECIES) + 1


def test_a_preview_draws_the_outline_where_the_leaf_ends():
    image = grey(draw_leaf("broad oval", 2, angle=0))
    found = outline(segment(image))
    picture = preview(image, found).astype(int)
    lowest = found.points[found.points[:, 0].argmax()].round().astype(int)
    around = picture[lowest[0] - 1 : lowest[0] + 2, lowest[1] - 1 : lowest[1] + 2]
    assert (np.ptp(around, axis=2) > 80).any()


def test_without_the_extra_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['skimage'] = None; import atfnb.cli; import atfnb_study.leaf"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip().endswith("leaves need scikit-image, which is missing: pip install 'atfnb[leaf]'")
