"""Is the Gini index a better measure of relevance than information gain?

An index is a function of the counts, registered under a name; it then works in every classifier that takes one. Here
the drop in Gini impurity takes the place of information gain in ATFNB. The two nearly agree on which attributes
matter; the picture shows how the training accuracy depends on the switching factor β under the new index.
"""

import pandas as pd
from sklearn.datasets import load_wine

from atfnb import ATFNB
from atfnb.evaluation import cross_validate
from atfnb.indexes import relevance


@relevance("gini")
def gini(counts):
    """The mean drop in Gini impurity: Σ P(a) Σ P(c|a)² − Σ P(c)²."""
    tables = [
        counts.of_attribute(j) / counts.of_attribute(j).sum() for j in range(len(counts.n_values))
    ]  # P(a, c) of each attribute
    return [(p**2 / p.sum(axis=1, keepdims=True)).sum() - (p.sum(axis=0) ** 2).sum() for p in tables]


X, y = load_wine(as_frame=True, return_X_y=True)
models = {index: ATFNB(relevance=index) for index in ("information_gain", "gini")}
found = cross_validate(models, X, y, folds=5, repeats=4)
for index in models:
    print(f"{index:17} accuracy {found.mean(index, 'accuracy'):.2f} ± {found.standard_error(index, 'accuracy'):.2f}")
lead = found.compare("gini", "information_gain", "accuracy")
print(f"the difference, 95 % interval: {lead.low:+.2f} to {lead.high:+.2f}")

relevances = pd.DataFrame({index: model.fit(X, y).relevance_ for index, model in models.items()}, X.columns)
print("\nThe most relevant attributes by either:")
print(relevances.round(2).nlargest(4, "gini").to_string())
models["gini"].plot_beta().figure.savefig("own_index.png", dpi=110, bbox_inches="tight")
