"""Is a column with thousands of names worth keeping?

A customer's town has 2,000 values, most of them in a handful of rows. Rare ones are pooled into one value, so that
chance is not taken for knowledge; frequent ones keep an effect of their own. Whether the column helps is a question for
cross-validation: here the town matters by the region that it lies in, which no column names. The picture shows the
towns that FusionNB moves furthest. The customers are drawn, the towns by Zipf's law.
"""

import numpy as np
import pandas as pd

from atfnb import NB, FusionNB
from atfnb.evaluation import cross_validate

random = np.random.default_rng(3)
n, towns, regions = 8000, 2000, 12
share = 1 / np.arange(1, towns + 1)
town = random.choice(towns, size=n, p=share / share.sum())
region_of = random.integers(0, regions, towns)
age = random.integers(18, 80, n)
visits = random.poisson(3, n)
log_odds = 0.5 * (visits - 3) + 1.2 * random.normal(size=regions)[region_of[town]]
buys = np.where(random.random(n) < 1 / (1 + np.exp(-log_odds)), "buys", "leaves")
customers = pd.DataFrame({"age": age, "visits": visits, "town": [f"town {i:04}" for i in town]})

for name, model in (("naive Bayes", NB()), ("FusionNB", FusionNB())):
    print(name)
    for columns in (["age", "visits"], ["age", "visits", "town"]):
        found = cross_validate({name: model}, customers[columns], buys, folds=5)
        print(f"  from {', '.join(columns):18} accuracy {found.mean(name, 'accuracy'):.3f}")

model = FusionNB().fit(customers, buys)
labels = model.encoder_.attributes[2].labels
print(f"\n{customers['town'].nunique():,} towns became {len(labels)} values, the last of them '{labels[-1]}'")
model.plot_effects("town", top=12).figure.savefig("towns.png", dpi=110, bbox_inches="tight")
