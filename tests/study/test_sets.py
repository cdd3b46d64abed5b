"""Groups of species are drawn from one seed, and go through the same study as the sets of UCI."""

import pytest

from atfnb_study import published
from atfnb_study.sets import N_GROUPS, Flavia, Uci, source


def table_of(tmp_path, species=32, each=3):
    path = tmp_path / "features.csv"
    lines = [f"{i}-{k}.jpg,{i + k / 10},{k},species {i:02}" for i in range(species) for k in range(each)]
    path.write_text("\n".join(["file,area,perimeter,class", *lines]) + "\n")
    return str(path)


def test_15_groups_of_15_species_no_two_the_same(tmp_path):
    flavia = Flavia(table_of(tmp_path))
    assert flavia.names() == [f"G_{k}" for k in range(1, 16)]
    groups = [tuple(flavia.species(name)) for name in flavia.names()]
    assert len(set(groups)) == N_GROUPS
    assert all(len(set(group)) == 15 for group in groups)
    X, y = flavia.load("G_1")
    assert list(X.columns) == ["area", "perimeter"]
    assert sorted(y.unique()) == list(groups[0])
    assert len(X) == 45
    assert flavia.cells("G_1") == 90


def test_one_seed_the_same_groups_another_others(tmp_path):
    path = table_of(tmp_path)
    assert Flavia(path, 0) == Flavia(path, 0)
    one, same, other = (Flavia(path, seed).species("G_3") for seed in (0, 0, 1))
    assert one == same
    assert one != other


def test_fewer_species_make_smaller_groups(tmp_path):
    assert len(Flavia(table_of(tmp_path, species=8)).species("G_1")) == 4
    with pytest.raises(ValueError, match="at least 6 species"):
        Flavia(table_of(tmp_path, species=5)).load("G_1")


def test_the_table_of_groups_stands_beside_the_papers(tmp_path):
    found = Flavia(table_of(tmp_path)).table(("G_1", "G_13"))
    assert found.name == "T3"
    assert found.rows[1][:5] == ("G_13", 45, 2, 15, "927/14/15")


def test_both_studies_name_tables_that_the_paper_prints():
    for sets in (Uci(), Flavia("features.csv")):
        profile = sets.profile
        for name in (
            profile.tables.accuracy,
            f"{profile.tables.accuracy}-foot",
            profile.tables.t_tests,
            profile.tables.ranks,
            profile.tables.signs,
        ):
            assert name in published.TABLES


def test_the_content_marks_the_source(tmp_path):
    first = source("G_1", Flavia(table_of(tmp_path)))
    (tmp_path / "more").mkdir()
    second = source("G_1", Flavia(table_of(tmp_path / "more", each=4)))
    assert first.startswith("features.csv, 15 species ")
    assert first != second


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read as CSV"),
        ("class,area\na,1\n", "last column"),
        ("file,class\n1.jpg,a\n", "columns of attributes"),
        ("area,class\n1,\n", "a class in every row"),
        ("area,class\nlarge,a\n", "numbers only"),
    ],
)
def test_a_table_without_attributes_is_refused(tmp_path, text, message):
    path = tmp_path / "features.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        Flavia(str(path)).load("G_1")


def test_an_unknown_group_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no group 'iris'; there are G_1"):
        Flavia(table_of(tmp_path)).load("iris")
