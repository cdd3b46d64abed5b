"""Texture against its formulas, counted one pair of neighbours at a time."""

import numpy as np
import pytest

from atfnb.paper.leaf import texture


def by_hand(image, counts):
    """The mean over four directions of Haralick's four, from a plain loop over pairs of neighbours."""
    found = []
    for down, right in ((0, 1), (-1, 1), (-1, 0), (-1, -1)):
        pairs = []
        for r, c in np.ndindex(image.shape):
            s, d = r + down, c + right
            if 0 <= s < image.shape[0] and 0 <= d < image.shape[1] and counts[r, c] and counts[s, d]:
                pairs += [(image[r, c], image[s, d]), (image[s, d], image[r, c])]
        i, j = np.array(pairs, dtype=float).T
        share = np.unique(pairs, axis=0, return_counts=True)[1] / len(pairs)
        correlation = np.corrcoef(i, j)[0, 1]
        found.append([((i - j) ** 2).mean(), correlation, np.sqrt((share**2).sum()), (1 / (1 + (i - j) ** 2)).mean()])
    return np.mean(found, axis=0)


@pytest.fixture
def image():
    return np.random.default_rng(3).integers(90, 97, (12, 15)).astype(np.uint8)


def test_the_whole_image(image):
    assert list(texture(image).values()) == pytest.approx(by_hand(image, np.ones_like(image)))


def test_leaf_pixels_only(image):
    leaf = np.zeros(image.shape, dtype=bool)
    leaf[2:10, 3:11] = True
    leaf[5, 6] = False
    assert list(texture(image, leaf).values()) == pytest.approx(by_hand(image, leaf))


def test_what_lies_outside_the_leaf_does_not_matter(image):
    leaf = np.zeros(image.shape, dtype=bool)
    leaf[2:10, 3:11] = True
    assert texture(np.where(leaf, image, 0).astype(np.uint8), leaf) == texture(image, leaf)


def test_all_pixels_of_the_leaf_are_the_whole_image(image):
    assert texture(image, np.ones(image.shape, dtype=bool)) == pytest.approx(texture(image))


def test_turning_by_a_right_angle_and_mirroring_change_nothing(image):
    for turned in (np.rot90(image), image[:, ::-1]):
        assert texture(np.ascontiguousarray(turned)) == pytest.approx(texture(image))
