"""Which loans will fail, if only one in ten does?

With uneven classes a high accuracy says little: always answering "paid" is right nine times out of ten. So the
question is how many of the failed loans are found, and what finding more of them costs. `class_weight="balanced"`
gives the failed loans together as much weight as the others. The table at the end is a scorecard: what a value adds to
the log-odds of "failed". The loans are drawn by a rule in which debts weigh more without savings, and the picture shows
what the model made of that: the two attributes act together.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from atfnb import FusionNB, plot_pair

random = np.random.default_rng(7)
n = 9000
loans = pd.DataFrame(
    {
        "income": random.lognormal(7.9, 0.4, n).round(-1),
        "debt share": random.beta(2, 4, n).round(2),
        "years in job": random.exponential(5, n).round(),
        "savings": random.choice(["none", "some", "many"], n, p=[0.5, 0.3, 0.2]),
    }
)
pressed = 6 * loans["debt share"] * (loans["savings"] == "none")
log_odds = pressed + 2 * loans["debt share"] - 0.12 * loans["years in job"] - (loans["income"] / 1000 - 3) * 0.5 - 4
outcome = np.where(random.random(n) < 1 / (1 + np.exp(-log_odds)), "failed", "paid")
print(f"{np.mean(outcome == 'failed'):.1%} of the loans failed")

X_train, X_test, y_train, y_test = train_test_split(loans, outcome, random_state=0, stratify=outcome)
for weighting in (None, "balanced"):
    answers = FusionNB(class_weight=weighting).fit(X_train, y_train).predict(X_test)
    (found, missed), (alarms, _) = confusion_matrix(y_test, answers)
    print(f"class_weight={weighting!s:8}: {found} of {found + missed} failures found, {alarms} false alarms")

model = FusionNB().fit(X_train, y_train)
print(f"\nActing together: {model.pairs_}\n\nScorecard, points for 'failed':")
card = model.explain(X_train)
card = card.pivot_table("contribution", ["attribute", "value"], "class", aggfunc="mean", sort=False)
points = card["failed"] - card["paid"]
for name in ("savings", "years in job"):
    for value, score in points[name].sort_values().iloc[[0, -1]].items():
        print(f"  {name} {value:12} {score:+.1f}")
plot_pair(model, *model.pairs_[0])[0].figure.savefig("credit.png", dpi=110)
