"""Every kind of image file is read as what it shows, and every other file is told."""

import numpy as np
import pytest
from PIL import Image

from atfnb.paper.leaf import Reason, UnmeasuredError, attributes, draw_leaf, grey, read

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
def test_what_is_no_photograph_is_told(tmp_path, make, reason):
    path = tmp_path / "photograph.jpg"
    make(path)
    with pytest.raises(UnmeasuredError) as error:
        read(path)
    assert error.value.reason is reason, error.value


def test_an_image_too_large_for_memory_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(UnmeasuredError, match="cannot be read") as error:
        read(saved(tmp_path, Image.fromarray(LEAF)))
    assert error.value.reason is Reason.UNREADABLE
