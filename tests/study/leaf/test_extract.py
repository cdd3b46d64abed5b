"""A folder can be measured, interrupted, resumed and split over processes, and gives the same bytes."""

import os
import shutil
import sys

import numpy as np
import pytest
from PIL import Image

from atfnb_study.leaf import ATTRIBUTES, SPECIES, Reason, attributes, draw_folder, draw_leaf, extract, read
from atfnb_study.leaf.extract import files_in, read_labels

EACH = 3
EXTRACT = sys.modules["atfnb_study.leaf.extract"]  # the package's name for it is the function


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    labels = draw_folder(folder / "drawn", each=EACH)
    return labels, extract(labels.parent, labels, folder / "features.csv", jobs=1)


def test_a_line_for_each_leaf_with_its_attributes_and_class(whole):
    labels, done = whole
    head, *lines = done.out.read_text().splitlines()
    assert head.split(",") == ["file", *ATTRIBUTES, "class"]
    assert done.measured == len(lines) == EACH * len(SPECIES)
    name, *values, label = lines[5].split(",")
    assert label == read_labels(labels)[name]
    assert [float(value) for value in values] == list(attributes(read(labels.parent / name)).values())


def test_one_process_and_two_give_the_same_bytes(whole, tmp_path):
    labels, done = whole
    extract(labels.parent, labels, tmp_path / "features.csv", jobs=2)
    assert (tmp_path / "features.csv").read_bytes() == done.out.read_bytes()


@pytest.fixture
def counted(monkeypatch):
    real, ran = EXTRACT.measure, []

    def measure(*args, **kwargs):
        if len(ran) == counted.stop_at:
            raise KeyboardInterrupt
        ran.append(args)
        return real(*args, **kwargs)

    def counted():
        return len(ran)

    counted.stop_at = None
    monkeypatch.setattr(EXTRACT, "measure", measure)
    return counted


def test_interrupted_and_resumed_it_gives_the_same_bytes(whole, tmp_path, counted):
    labels, done = whole
    out = tmp_path / "features.csv"
    counted.stop_at = 7
    with pytest.raises(KeyboardInterrupt):
        extract(labels.parent, labels, out, jobs=1)
    assert not out.exists()
    counted.stop_at = None
    reported = []
    again = extract(labels.parent, labels, out, jobs=1, progress=lambda *args: reported.append(args))
    assert counted() == EACH * len(SPECIES)
    assert again.known == 7
    assert reported[0][:2] == (8, 24)
    assert reported[-1][:2] == (24, 24)
    assert out.read_bytes() == done.out.read_bytes()


@pytest.mark.parametrize("kept", [9, 60, -1, -40])
def test_a_journal_cut_off_anywhere_goes_on(whole, tmp_path, kept):
    labels, done = whole
    journal = done.out.with_name("features.csv.journal").read_bytes()
    (tmp_path / "features.csv.journal").write_bytes(journal[:kept])
    with pytest.warns(UserWarning, match="its photograph is measured again"):
        extract(labels.parent, labels, tmp_path / "features.csv", jobs=1)
    assert (tmp_path / "features.csv").read_bytes() == done.out.read_bytes()


def test_only_what_has_changed_is_measured_again(whole, tmp_path, counted):
    shutil.copytree(whole[0].parent, tmp_path / "drawn")
    images, labels, out = tmp_path / "drawn", tmp_path / "drawn" / "labels.csv", tmp_path / "features.csv"
    first = extract(images, labels, out, jobs=1).out.read_text()
    Image.fromarray(draw_leaf("needle", 77)).save(images / "egg-001.jpg")
    os.utime(images / "egg-001.jpg", (1, 1))
    before = counted()
    second = extract(images, labels, out, jobs=1)
    assert counted() == before + 1
    changed = [a for a, b in zip(first.splitlines(), second.out.read_text().splitlines(), strict=True) if a != b]
    assert [line.split(",")[0] for line in changed] == ["egg-001.jpg"]


def test_other_options_beside_the_same_table_are_refused(whole):
    labels, done = whole
    with pytest.raises(ValueError, match="holds measurements with leaf_pixels_only = False, not True"):
        extract(labels.parent, labels, done.out, leaf_pixels_only=True)


def test_leaf_pixels_only_changes_the_texture_alone(whole, tmp_path):
    labels, done = whole
    only = extract(labels.parent, labels, tmp_path / "only.csv", leaf_pixels_only=True, jobs=1).out
    rows = [[line.split(",")[1:-1] for line in path.read_text().splitlines()[1:]] for path in (done.out, only)]
    one, other = np.array(rows, dtype=float)
    np.testing.assert_array_equal(one[:, :10], other[:, :10])
    assert (one[:, 10:] != other[:, 10:]).all()


def test_previews_show_every_measured_leaf(whole, tmp_path, counted):
    labels, seen, out = whole[0], tmp_path / "seen", tmp_path / "features.csv"
    extract(labels.parent, labels, out, jobs=1)
    extract(labels.parent, labels, out, preview=seen, jobs=1)
    assert len(list(seen.iterdir())) == EACH * len(SPECIES)
    with Image.open(seen / "lance-000.jpg.preview.jpg") as picture:
        assert picture.size == (320, 240)
        pixels = np.asarray(picture, dtype=int)
    assert (pixels.max(axis=2) - pixels.min(axis=2) > 100).sum() > 300  # lines in colour on a grey leaf
    before = counted()
    extract(labels.parent, labels, out, preview=seen, jobs=1)
    assert counted() == before


# --- bad input -------------------------------------------------------------------------------------


def test_every_bad_file_is_counted_and_the_run_goes_on(tmp_path):
    images = tmp_path / "images"
    (images / "deeper").mkdir(parents=True)
    good = Image.fromarray(draw_leaf("egg", 1))
    for name in ("good.png", "deeper/also.png", "unlabelled.png"):
        good.save(images / name)
    (images / "text.jpg").write_text("no image")
    (images / "nothing.jpg").write_bytes(b"")
    Image.new("RGB", (90, 70), "white").save(images / "blank.png")
    good.crop((0, 0, 150, 240)).save(images / "cut.png")
    tip = np.array(good)
    tip[111:113, 150:] = 60
    Image.fromarray(tip).save(images / "tip.png")
    (images / ".hidden").write_text("not looked at")
    names = ["good.png", "deeper/also.png", "text.jpg", "nothing.jpg", "blank.png", "cut.png", "tip.png", "gone.png"]
    labels = images / "labels.csv"
    labels.write_text("file,label\n" + "".join(f"{n},egg\n" for n in [*names, "../outside.png"]) + "unlabelled.png,\n")
    done = extract(images, labels, images / "features.csv", preview=images / "seen", jobs=1)
    assert done.measured == 3
    assert done.skipped == {
        Reason.NO_FILE: ["gone.png", "../outside.png"],
        Reason.NO_LABEL: ["unlabelled.png"],
        Reason.EMPTY: ["nothing.jpg"],
        Reason.NO_IMAGE: ["text.jpg"],
        Reason.NO_LEAF: ["blank.png"],
        Reason.CUT: ["cut.png"],
    }
    assert done.remarks == {Reason.TOUCHES: ["tip.png"]}
    assert done.details["blank.png"] == "nothing in it is clearly darker than the rest"
    again = extract(images, labels, images / "features.csv", preview=images / "seen", jobs=1)
    assert (again.measured, again.skipped, again.known) == (3, done.skipped, 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            b"name,species\n1.jpg,a\n",
            "should have a column 'file' and one of class, species, label; it has name, species",
        ),
        (b"file,kind\n1.jpg,a\n", "it has file, kind"),
        (b"", "it has none"),
        (b"file,class\n", "has no labels"),
        (b"file,class\n1.jpg,a\n1.jpg,b\n", "gives '1.jpg' two classes, 'a' and 'b'"),
        (b"file,class\n\xff\xfe,a\n", "is not a CSV table"),
    ],
)
def test_a_table_without_labels_is_refused(tmp_path, text, message):
    path = tmp_path / "labels.csv"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=message):
        read_labels(path)


def test_labels_are_read_as_people_write_them(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(
        "\ufefffile,species_id,species\r\n 1.jpg ,7, Ginkgo biloba\r\n./2.jpg,7,Ginkgo biloba\r\n,,\r\n".encode()
    )
    assert read_labels(path) == {"1.jpg": "Ginkgo biloba", "2.jpg": "Ginkgo biloba"}


def test_a_folder_or_a_table_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(NotADirectoryError, match="there is no folder"):
        files_in(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="there is no table of labels"):
        extract(tmp_path, tmp_path / "labels.csv", tmp_path / "features.csv")
