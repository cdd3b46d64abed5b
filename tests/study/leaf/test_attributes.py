"""Known shapes give known numbers, turning a leaf changes nothing, and texture follows its formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb_study.leaf import (
    ATTRIBUTES,
    SPECIES,
    UnmeasuredError,
    attributes,
    draw_leaf,
    grey,
    outline,
    segment,
    shape,
    texture,
)
from helpers.strategies import examples

SHAPE = ATTRIBUTES[:10]
rows, columns = np.mgrid[:480, :640]


def drawn_mask(length, width, angle, inside):
    """A shape in the middle of a photograph, turned by degrees; ``inside`` gets the positions along and across."""
    turn = np.deg2rad(angle)
    y, x = rows - 240.3, columns - 320.6
    along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    return inside(2 * along / length, 2 * across / width)


def ellipse(length, width, angle=0.0):
    return drawn_mask(length, width, angle, lambda u, v: u**2 + v**2 <= 1)


def rectangle(length, width, angle=0.0):
    return drawn_mask(length, width, angle, lambda u, v: (abs(u) <= 1) & (abs(v) <= 1))


@pytest.mark.parametrize("diameter", [40, 150, 400])
def test_a_disc_has_the_numbers_of_a_disc(diameter):
    found = shape(outline(ellipse(diameter, diameter)))
    near = 1.5 / diameter  # pixels are that coarse
    assert found["area"] == pytest.approx(np.pi * diameter**2 / 4, rel=near)
    assert found["perimeter"] == pytest.approx(np.pi * diameter, rel=near + 0.005)  # stairs leave half a percent
    for name in ("diameter", "length", "width"):
        assert found[name] == pytest.approx(diameter, rel=near)
    assert found["aspect_ratio"] == pytest.approx(1, rel=near)
    assert found["form_factor"] == pytest.approx(1, rel=2 * near + 0.01)
    assert found["rectangularity"] == pytest.approx(4 / np.pi, rel=2 * near)
    assert found["perimeter_to_diameter"] == pytest.approx(np.pi, rel=near + 0.005)
    assert found["perimeter_to_length_and_width"] == pytest.approx(np.pi / 2, rel=near + 0.005)


@pytest.mark.parametrize("angle", [0, 17, 45, 90, 131])
def test_a_rectangle_has_the_numbers_of_a_rectangle(angle):
    found = shape(outline(rectangle(300, 120, angle)))
    assert found["area"] == pytest.approx(36000, rel=0.01)
    assert found["perimeter"] == pytest.approx(840, rel=0.01)
    assert found["diameter"] == pytest.approx(np.hypot(300, 120), rel=0.01)
    assert found["length"] == pytest.approx(300, abs=1.5)
    assert found["width"] == pytest.approx(120, abs=1.5)
    assert found["aspect_ratio"] == pytest.approx(2.5, rel=0.015)
    assert found["form_factor"] == pytest.approx(4 * np.pi * 36000 / 840**2, rel=0.015)
    assert found["rectangularity"] == pytest.approx(1, rel=0.015)


@pytest.mark.parametrize("angle", [0, 23, 45, 78])
def test_an_ellipse_has_the_numbers_of_an_ellipse(angle):
    from scipy.special import ellipe

    found = shape(outline(ellipse(400, 100, angle)))
    perimeter = 4 * 200 * ellipe(1 - (50 / 200) ** 2)
    assert found["area"] == pytest.approx(np.pi * 200 * 50, rel=0.01)
    assert found["perimeter"] == pytest.approx(perimeter, rel=0.01)
    assert found["diameter"] == pytest.approx(400, abs=1.5)
    assert found["aspect_ratio"] == pytest.approx(4, rel=0.015)


def test_the_attributes_are_those_of_the_convention():
    f = attributes(draw_leaf("five-lobed", 3))
    a, p, d, length, width = (f[name] for name in ATTRIBUTES[:5])
    ratios = (length / width, 4 * np.pi * a / p**2, length * width / a, p / d, p / (length + width))
    assert tuple(f[name] for name in ATTRIBUTES[5:10]) == pytest.approx(ratios)
    assert tuple(f) == ATTRIBUTES


@pytest.mark.slow
@examples(24)
@given(st.sampled_from(list(SPECIES)), st.integers(0, 2**20), st.floats(0, 360), st.floats(0, 360), st.booleans())
def test_turning_or_mirroring_a_photograph_changes_no_attribute_by_2_percent(species, seed, one, other, mirrored):
    size = (480, 640)
    first = attributes(draw_leaf(species, seed, angle=one, size=size))
    second = attributes(draw_leaf(species, seed, angle=other, mirrored=mirrored, size=size))
    for name in SHAPE:
        assert second[name] == pytest.approx(first[name], rel=0.02), name


@pytest.mark.parametrize("turn", [np.rot90, np.fliplr, np.flipud, np.transpose])
def test_turning_the_pixels_themselves_changes_nothing(turn):
    image = grey(draw_leaf("three-lobed", 5))
    first, second = (shape(outline(segment(i))) for i in (image, np.ascontiguousarray(turn(image))))
    assert second == pytest.approx(first, rel=1e-6)


def test_twice_the_size_doubles_lengths_and_leaves_ratios():
    small, large = (attributes(draw_leaf("lance", 2, size=size)) for size in ((240, 320), (480, 640)))
    for name in ATTRIBUTES[1:5]:
        assert large[name] == pytest.approx(2 * small[name], rel=0.02)
    for name in ATTRIBUTES[5:10]:
        assert large[name] == pytest.approx(small[name], rel=0.03)  # tips are blunter on coarse pixels


def test_where_the_leaf_lies_does_not_matter():
    image = np.full((300, 400), 245, dtype=np.uint8)
    image[40:90, 30:190] = 70
    moved = np.roll(image, (150, 170), axis=(0, 1))
    assert shape(outline(segment(moved))) == pytest.approx(shape(outline(segment(image))))


def test_a_hair_is_too_thin_to_be_measured():
    hair = np.zeros((50, 50), dtype=bool)
    hair[25, 5:45] = True
    with pytest.raises(UnmeasuredError, match="too thin"):
        outline(hair)


# --- texture: counted one pair of neighbours at a time ------------------------------------------------


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
