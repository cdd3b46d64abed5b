"""Every kind of image file is read as what it shows, every other file is refused, and the leaf is found in it."""

import numpy as np
import pytest
from PIL import Image

from atfnb_study.leaf import Reason, UnmeasuredError, attributes, draw_leaf, grey, outline, read, segment
from atfnb_study.leaf.photograph import contact

LEAF = draw_leaf("narrow oval", 1)
GREY = grey(LEAF)


def saved(tmp_path, image, name="leaf.png", **options):
    path = tmp_path / name
    image.save(path, **options)
    return path


def kinds():
    colour, mono = Image.fromarray(LEAF), Image.fromarray(GREY)
    see_through = Image.new("RGBA", colour.size, (0, 0, 0, 0))  # black, but transparent: a white ground
    see_through.paste(colour, mask=Image.fromarray((GREY < 200).astype(np.uint8) * 255))
    return {
        "colour": colour,
        "grey": mono,
        "grey with transparency": mono.convert("LA"),
        "transparent": see_through,
        "16-bit": Image.fromarray(GREY.astype(np.uint16) * 257),
        "palette": colour.quantize(64),
        "palette with transparency": see_through.quantize(64),
        "black and white": Image.fromarray(GREY > 180),
        "print colours": colour.convert("CMYK"),
    }


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_of_image_is_measured(tmp_path, kind):
    name = "leaf.tif" if kind == "print colours" else "leaf.png"
    found, expected = attributes(read(saved(tmp_path, kinds()[kind], name))), attributes(LEAF)
    for name in ("area", "perimeter", "length", "width"):
        assert found[name] == pytest.approx(expected[name], rel=0.02), name


@pytest.mark.parametrize("kind", ["grey", "16-bit"])
def test_grey_and_16_bit_images_lose_nothing(tmp_path, kind):
    np.testing.assert_array_equal(grey(read(saved(tmp_path, kinds()[kind]))), GREY)


def test_a_photograph_is_turned_as_the_camera_held_it(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    assert read(saved(tmp_path, Image.fromarray(LEAF), "turned.jpg", exif=exif)).shape == (320, 240, 3)


def cut_off(path):
    whole = saved(path.parent, Image.fromarray(LEAF), "whole.jpg").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.write_bytes(b""), Reason.EMPTY),
        (lambda path: path.write_text("file,class\n"), Reason.NO_IMAGE),
        (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"rubbish" * 9), Reason.UNREADABLE),
        (cut_off, Reason.UNREADABLE),
        (lambda path: None, Reason.UNREADABLE),
    ],
)
def test_a_file_that_is_not_a_photograph_is_refused_with_the_reason(tmp_path, make, reason):
    path = tmp_path / "photograph.jpg"
    make(path)
    with pytest.raises(UnmeasuredError) as error:
        read(path)
    assert error.value.reason is reason, error.value


def test_an_image_too_large_for_memory_is_refused_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(UnmeasuredError, match="cannot be read") as error:
        read(saved(tmp_path, Image.fromarray(LEAF)))
    assert error.value.reason is Reason.UNREADABLE


# --- the mask of the leaf ---------------------------------------------------------------------------


def photograph(shape=(240, 320), ground=245):
    return np.full(shape, ground, dtype=np.uint8)


def with_leaf(top=60, bottom=180, left=40, right=280):
    image = photograph()
    image[top:bottom, left:right] = 80
    return image


def test_a_bright_midrib_does_not_cut_the_leaf():
    whole, cut = with_leaf(), with_leaf()
    cut[118:123, 40:250] = 240  # open at the stalk
    longer = outline(segment(cut)).perimeter / outline(segment(whole)).perimeter
    assert longer == pytest.approx(1, abs=0.02)


def test_holes_and_spots_belong_to_the_leaf():
    image = with_leaf()
    image[90:130, 100:160] = 245
    assert (segment(image) > 0.5).sum() == pytest.approx(120 * 240, abs=10)


def test_the_largest_dark_thing_is_the_leaf():
    image = with_leaf()
    image[5:30, 5:30] = 20
    assert not (segment(image) > 0.5)[:40, :35].any()


def test_noise_hardly_matters():
    rng = np.random.default_rng(0)
    noisy = np.clip(with_leaf() + rng.normal(0, 12, (240, 320)), 0, 255).astype(np.uint8)
    assert outline(segment(noisy)).area == pytest.approx(120 * 240, rel=0.01)


@pytest.mark.parametrize("value", [0, 128, 255])
def test_a_blank_photograph_shows_no_leaf(value):
    with pytest.raises(UnmeasuredError, match="shows no leaf") as error:
        segment(photograph(ground=value))
    assert error.value.reason is Reason.NO_LEAF


def test_noise_alone_is_no_leaf():
    noise = np.random.default_rng(1).normal(200, 12, (240, 320)).clip(0, 255).astype(np.uint8)
    with pytest.raises(UnmeasuredError, match="shows no leaf"):
        segment(noise)


def test_a_speck_is_no_leaf():
    with pytest.raises(UnmeasuredError, match="a speck"):
        segment(with_leaf(100, 106, 100, 106))


@pytest.mark.parametrize("cut", [{"left": 0}, {"right": 320}, {"top": 0}, {"bottom": 240}])
def test_a_leaf_that_the_border_cuts_is_not_measured(cut):
    with pytest.raises(UnmeasuredError, match="border cuts") as error:
        segment(with_leaf(**cut))
    assert error.value.reason is Reason.CUT


def test_a_tip_that_just_touches_the_border_is_measured():
    image = with_leaf()
    image[119:122, 280:] = 80
    assert contact(segment(image) > 0.5) == 3


def test_a_dark_ground_is_refused_with_the_reason():
    with pytest.raises(UnmeasuredError, match="ground is darker"):
        segment(255 - with_leaf())


def test_a_drawn_leaf_is_found_in_every_kind_of_array():
    leaf = draw_leaf("egg", 4)
    opaque = np.dstack([leaf, np.full(leaf.shape[:2], 255, dtype=np.uint8)])
    expected = attributes(leaf)
    for kind in (leaf / 255.0, leaf.astype(np.uint16) * 257, opaque):
        assert attributes(kind) == pytest.approx(expected, rel=0.01)
    image = grey(leaf)
    for kind in (image, image.astype(np.uint16) * 257, image / 255.0):
        np.testing.assert_array_equal(grey(kind), image)


def test_other_arrays_are_no_photographs():
    with pytest.raises(UnmeasuredError, match="is empty"):
        grey(np.zeros((0, 4), dtype=np.uint8))
    with pytest.raises(ValueError, match=r"not \(4, 4, 2\)"):
        grey(np.zeros((4, 4, 2), dtype=np.uint8))
