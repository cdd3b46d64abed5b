"""Two decision models of the expert system DEX, applied to every combination of their attributes.

A model is a tree: each concept grades two or three attributes or other concepts by a table. The class of a
data set is the concept at the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from atfnb.paper.datasets.frames import import_pandas

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Concept:
    """A grade from 0 up for each combination of its inputs' values, the last input changing fastest."""

    inputs: tuple[str, ...]
    grades: str


@dataclass(frozen=True)
class Hierarchy:
    """Attributes with their values, concepts in the order in which they can be graded, and the root's names."""

    attributes: dict[str, tuple[str, ...]]
    concepts: dict[str, Concept]
    classes: tuple[str, ...]


CAR = Hierarchy(
    attributes={
        "buying": ("vhigh", "high", "med", "low"),
        "maint": ("vhigh", "high", "med", "low"),
        "doors": ("2", "3", "4", "5more"),
        "persons": ("2", "4", "more"),
        "lug_boot": ("small", "med", "big"),
        "safety": ("low", "med", "high"),
    },
    concepts={
        "price": Concept(("buying", "maint"), "0011 0111 1123 1233"),
        "comfort": Concept(("doors", "persons", "lug_boot"), "000 112 012  000 112 122  000 122 122  000 122 122"),
        "tech": Concept(("comfort", "safety"), "000 012 023"),
        "class": Concept(("price", "tech"), "0000 0011 0113 0123"),
    },
    classes=("unacc", "acc", "good", "vgood"),
)

NURSERY = Hierarchy(
    attributes={
        "parents": ("usual", "pretentious", "great_pret"),
        "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
        "form": ("complete", "completed", "incomplete", "foster"),
        "children": ("1", "2", "3", "more"),
        "housing": ("convenient", "less_conv", "critical"),
        "finance": ("convenient", "inconv"),
        "social": ("nonprob", "slightly_prob", "problematic"),
        "health": ("recommended", "priority", "not_recom"),
    },
    concepts={
        "employ": Concept(("parents", "has_nurs"), "01123 11233 22333"),
        "structure": Concept(("form", "children"), "0122 1122 1222 2222"),
        "struct_finan": Concept(("structure", "housing", "finance"), "01 11 11  11 11 22  12 22 22"),
        "soc_health": Concept(("social", "health"), "012 012 112"),
        "class": Concept(
            ("employ", "struct_finan", "soc_health"), "024 124 224  124 124 224  224 224 234  224 234 334"
        ),
    },
    classes=("recommend", "very_recom", "priority", "spec_prior", "not_recom"),
)


def grade(hierarchy: Hierarchy) -> pd.DataFrame:
    """Grade every combination of the attributes' values, the last attribute changing fastest.

    References
    ----------
    M. Bohanec and V. Rajkovič, "Expert system for decision making", Sistemica 1(1), 1990 (car);
    M. Olave, V. Rajkovič and M. Bohanec, "An application for admission in public school systems",
    Expert Systems in Public Administration, 1989 (nursery).

    Examples
    --------
    >>> grade(CAR)["class"].value_counts().to_dict()
    {'unacc': 1210, 'acc': 384, 'good': 69, 'vgood': 65}
    """
    sizes = [len(values) for values in hierarchy.attributes.values()]
    codes = dict(zip(hierarchy.attributes, np.indices(sizes).reshape(len(sizes), -1), strict=True))
    for name, concept in hierarchy.concepts.items():
        inputs = tuple(codes[one] for one in concept.inputs)
        grades = np.array([int(digit) for digit in concept.grades if digit != " "])
        levels = [one.max() + 1 for one in inputs]
        codes[name] = grades.reshape(levels)[inputs]
    names = hierarchy.attributes | {"class": hierarchy.classes}
    return import_pandas().DataFrame(
        {name: np.array(values, dtype=object)[codes[name]] for name, values in names.items()}
    )


car = partial(grade, CAR)
nursery = partial(grade, NURSERY)
