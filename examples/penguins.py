"""Which measurements tell three species of penguins apart?

344 penguins of the Palmer Archipelago, as they stand in the field protocol: with identifiers, comments, dates and
missing values. The columns that name a bird or a study are left out by hand, because they could give the species away
without saying anything about penguins. The picture shows how one bird with an unusually long bill is classified.
"""

from pathlib import Path

import pandas as pd

from atfnb import NB, FusionNB
from atfnb.evaluation import cross_validate

file = Path(__file__).parents[1] / "docs" / "tables" / "penguins-raw.csv"
birds = pd.read_csv(file, parse_dates=["Date Egg"])
species = birds.pop("Species").str.split().str[0]
birds = birds.drop(columns=["studyName", "Sample Number", "Individual ID", "Comments", "Region", "Stage", "Island"])

found = cross_validate({"FusionNB": FusionNB(), "naive Bayes": NB()}, birds, species, folds=5)
for name in found.names:
    print(f"{name:12} {found.mean(name, 'accuracy'):.1%} of the birds right")

model = FusionNB().fit(birds, species)
weights = pd.Series(model.weights_, [attribute.name for attribute in model.encoder_.attributes])
print("\nThe three attributes that count most:")
for attribute, weight in weights.nlargest(3).items():
    print(f"  {attribute:22} {weight:.2f}")

longest = birds[species == "Gentoo"]["Culmen Length (mm)"].idxmax()
model.plot_row(birds.loc[longest], top=8).figure.savefig("penguins.png", dpi=110)
