"""A table for tests of the command."""

import numpy as np
import pandas as pd


def pets(rows=80, seed=0):
    """A table with a number, a number with gaps, text and a class that the first two tell."""
    random = np.random.default_rng(seed)
    cat = random.random(rows) < 0.5
    return pd.DataFrame(
        {
            "weight": np.where(cat, 4.0, 12.0) + random.normal(size=rows).round(2),
            "height": np.where(random.random(rows) < 0.2, np.nan, np.where(cat, 25, 50) + random.integers(-9, 9, rows)),
            "colour": random.choice(["black", "white", "brown, light"], rows),
            "kind": np.where(cat, "cat", "dog"),
        }
    )
