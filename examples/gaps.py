"""Does it matter that a test was not done?

In a medical table, a missing value is rarely an accident: a doctor orders a test for the patients who look ill. Here
a blood value is measured for one patient in three. Where tests are ordered by suspicion, "skip", which leaves missing
values out of the sum, throws that knowledge away; a value of its own ("value", the default of FusionNB) learns it. So
does filling in the mean ("impute") here, but only because two rows in three then hold exactly the same number. Where
tests are ordered by lot, all three are level, so the default costs nothing. The patients are drawn.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from atfnb import FusionNB
from atfnb.evaluation import cross_validate


def patients(by_suspicion):
    """Return 1,500 patients, a third of them tested, and whether each is ill."""
    random = np.random.default_rng(11)
    ill = random.random(1500) < 0.3
    chance = np.where(ill, 0.7, 0.16) if by_suspicion else 0.33
    marker = (random.normal(4, 1, 1500) + 0.8 * ill).round(1)
    table = pd.DataFrame(
        {"age": random.integers(20, 80, 1500) + 6 * ill, "fever": random.random(1500) < 0.3 + 0.3 * ill}
    )
    return table.assign(marker=np.where(random.random(1500) < chance, marker, np.nan)), np.where(ill, "ill", "well")


ways = ("value", "skip", "impute")
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for ax, by_suspicion in zip(axes, (True, False), strict=True):
    table, ill = patients(by_suspicion)
    title = "tests ordered by suspicion" if by_suspicion else "tests ordered by lot"
    found = cross_validate({way: FusionNB(missing=way) for way in ways}, table, ill, folds=5)
    loss = [found.mean(way, "log-loss") for way in ways]
    print(f"{title}: {table['marker'].isna().mean():.0%} missing")
    for way, each in zip(ways, loss, strict=True):
        print(f"  missing={way!r:9} log-loss {each:.2f}")
    ax.barh(ways, loss, xerr=[found.standard_error(way, "log-loss") for way in ways], color="#0a7d91")
    ax.set(title=title, xlabel="log-loss, cross-validated (lower is better)")
    ax.spines[["top", "right"]].set_visible(False)
figure.savefig("gaps.png", dpi=110)
