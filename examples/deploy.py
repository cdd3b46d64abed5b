"""Can a database classify its own rows?

A model is a sum of table look-ups, so it can be written as one SQL query. Here it becomes a view of an SQLite database,
which comes with Python: rows that are inserted later are classified the moment they are asked for, without Python, and
as the model itself classifies them. The picture shows that the probabilities agree.
"""

import sqlite3

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from atfnb import FusionNB
from atfnb.export import plan_of, sql

cells = load_breast_cancer(as_frame=True)
X = cells.data[["mean radius", "mean texture", "mean smoothness", "worst concavity"]]
y = pd.Series(cells.target_names[cells.target])
X_old, X_new, y_old, y_new = train_test_split(X, y, random_state=0)
model = FusionNB().fit(X_old, y_old)

query = sql(plan_of(model), dialect="sqlite", table="cells", keep=("id",))
database = sqlite3.connect(":memory:")
X_old[:0].to_sql("cells", database, index_label="id")  # the table is still empty
database.execute(f"CREATE VIEW classified AS {query}")
X_new.to_sql("cells", database, index_label="id", if_exists="append")

found = pd.read_sql("SELECT * FROM classified", database, index_col="id").loc[X_new.index]
own = model.predict_proba(X_new)[:, 1]
print(f"one query classified {len(found)} new rows")
print(f"the same classes as predict: {bool((found['predicted'] == model.predict(X_new)).all())}")
print(f"the same probabilities, up to 1e-9: {bool(np.allclose(found['P(malignant)'], own, atol=1e-9))}")
print(f"right: {np.mean(found['predicted'] == y_new):.1%}")

figure, ax = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
ax.scatter(own, found["P(malignant)"], c=np.where(y_new == "malignant", "#c0392b", "#0a7d91"), s=18)
ax.set(xlabel="P(malignant) by the model", ylabel="P(malignant) by the database", title="red: malignant")
ax.spines[["top", "right"]].set_visible(False)
figure.savefig("deploy.png", dpi=110)
