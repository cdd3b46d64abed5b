"""Can a model be trained without ever holding the table?

What a model learns is a sum over rows, so files can be read in parts, a few times each. Twelve Parquet files stand
for a folder that does not fit into memory. The model is the one that a fit in memory gives: the same counts, the same
β, the same probabilities. The picture shows how much of the data each pass read. Needs `pip install 'atfnb[scale]'`.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from atfnb import ATFNB
from atfnb.scale import fit_files


def month(number):
    """Return the 20,000 journeys of one month."""
    random = np.random.default_rng(number)
    table = pd.DataFrame({"km": random.gamma(2, 4, 20_000).round(1), "hour": random.integers(0, 24, 20_000)})
    table["zone"] = random.choice(["centre", "suburb", "airport"], 20_000, p=[0.5, 0.4, 0.1])
    late = 0.1 * table["km"] + 1.5 * table["hour"].between(16, 19) + (table["zone"] == "centre") - 2.5
    return table.assign(late=np.where(random.random(20_000) < 1 / (1 + np.exp(-late)), "late", "on time"))


with TemporaryDirectory() as folder:
    for number in range(12):
        month(number).to_parquet(Path(folder, f"month{number:02}.parquet"))
    model, summary = fit_files(ATFNB(), f"{folder}/*.parquet", "late")

print(f"{summary.rows:,} rows in {summary.parts} parts, {len(summary.passes)} passes over them:")
for each in summary.passes:
    print(f"  {each.what}")

journeys = pd.concat([month(number) for number in range(12)], ignore_index=True)
whole = ATFNB().fit(journeys.drop(columns="late"), journeys["late"])
print(f"\nβ in parts {model.beta_:.4f}, in memory {whole.beta_:.4f}")
new = month(99).drop(columns="late")
print(f"the same probabilities for new rows: {bool((model.predict_proba(new) == whole.predict_proba(new)).all())}")

figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
ax.barh([each.what for each in summary.passes], [each.bytes_read / 1e6 for each in summary.passes], color="#0a7d91")
ax.set(xlabel="MB read")
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)
figure.savefig("larger_than_memory.png", dpi=110)
