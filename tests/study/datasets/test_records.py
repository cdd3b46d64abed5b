"""Every name has a record, and a record that can be relied on."""

import csv
import dataclasses

import pytest

from atfnb_study import datasets
from atfnb_study.datasets import Record, catalogue
from atfnb_study.datasets.loading import BUILDERS

SAME = {
    "chart_Input": "synthetic-control",
    "connectionist": "sonar",
    "diabetes": "pima",
    "robotnavigation": "wall-following",
}


def test_all_is_exactly_what_is_promised():
    assert datasets.__all__ == ["Record", "catalogue", "load", "load_table", "where"]


def test_there_are_fifty_names_for_46_sets():
    records = catalogue()
    assert len(records) == 50
    assert {name: record.same_as for name, record in records.items() if record.same_as} == SAME


@pytest.mark.parametrize("record", catalogue().values(), ids=lambda record: record.name)
def test_a_record_says_what_where_from_and_under_which_terms(record):
    assert min(record.shape.rows, record.shape.attributes) > 0
    assert record.shape.classes > 1
    assert record.shape.missing_cells >= 0
    for text in (record.note, record.source, record.licence):
        assert text.endswith(".")
        assert len(text) < 200
    assert record.without_folder in ("", *BUILDERS)


@pytest.mark.parametrize(("double", "name"), SAME.items())
def test_doubles_differ_in_nothing_but_the_name(double, name):
    records = catalogue()
    alike = dataclasses.replace(records[double], name=name, same_as="", paper_difference="")
    assert alike == records[name]


def test_every_builder_has_a_record_and_every_record_its_builder():
    of_records = {(r.without_folder, r.same_as or r.name) for r in catalogue().values() if r.without_folder}
    of_builders = {(kind, name) for kind, builders in BUILDERS.items() for name in builders}
    assert of_records == of_builders


def test_a_record_cannot_be_changed_nor_the_catalogue_spoiled():
    with pytest.raises(dataclasses.FrozenInstanceError):
        catalogue()["iris"].name = "rose"
    catalogue().clear()
    assert isinstance(catalogue()["iris"], Record)


def test_which_columns_are_categorical():
    columns = ["sex", "length", "class"]
    assert catalogue()["abalone"].categorical_among(columns) == ["sex"]
    assert catalogue()["car"].categorical_among(["doors", "safety"]) == ["doors", "safety"]
    assert catalogue()["iris"].categorical_among(columns) == []


@pytest.mark.shared
def test_the_catalogue_agrees_with_the_manifest_beside_the_files(shared):
    with (shared / "datasets" / "manifest.csv").open(newline="") as file:
        manifest = {line["name"]: line for line in csv.DictReader(file)}
    records = catalogue()
    assert set(manifest) == set(records)
    for name, line in manifest.items():
        counts = tuple(int(line[key]) for key in ("instances", "attributes", "classes", "missing_cells"))
        assert dataclasses.astuple(records[name].shape) == counts
        assert ";".join(records[name].categorical) == line["categorical_columns"]


@pytest.mark.shared
def test_what_differs_from_the_papers_table_2_is_said(shared):
    with (shared / "paper" / "tables" / "table2_uci_datasets.csv").open(newline="") as file:
        paper = {line.pop("dataset"): tuple(map(int, line.values())) for line in csv.DictReader(file)}
    records = catalogue()
    assert list(paper) == list(records)
    differ = {name for name, counts in paper.items() if dataclasses.astuple(records[name].shape)[:3] != counts}
    assert differ == {"knowledge", "soybean", "spect"}
    for name, printed in (("knowledge", "172"), ("soybean", "18"), ("spect", "265")):
        assert f"{printed} in the paper" in records[name].paper_difference
