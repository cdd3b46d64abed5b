"""A scorecard with hostile names and values changes nothing but its own text."""

import csv
import re

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from atfnb import NB
from atfnb.export import write
from helpers.strategies import examples

HOSTILE = ["'; DROP TABLE x; --", "</script><script>alert(1)</script>", "${x}", '"""', "a|b", "<b>&amp;", "=1+1", "\\"]
HOSTILE += ["-cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "a\rb", "\r=1", "two\nlines"]
NAMES = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=9)
)


@examples(25)
@given(NAMES, NAMES)
def test_names_and_values_stay_text(tmp_path_factory, name, value):
    folder = tmp_path_factory.mktemp("card")
    model = NB().fit(pd.DataFrame({name: [value, "other", value, "other"] * 5}), ["no", "yes", "no", "no"] * 5)
    for ending in ("csv", "md", "html"):
        write(model, folder / f"card.{ending}")
    page = (folder / "card.html").read_text(encoding="utf-8")
    assert set(re.findall(r"<\s*/?\s*(script|b)\b", page)) == set()
    with (folder / "card.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert len({len(line) for line in lines}) == 1
    assert not [cell for line in lines[1:] for cell in line[:2] if re.match(r"[=+\-@\t\r](?![\d.]+$)", cell)]
    tables = [line for line in (folder / "card.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in tables}
    assert len(bars) <= 2, "a bar in a name is not escaped"
