"""Does weighting attributes help, and which scheme helps most?

A researcher's question, asked of four data sets of the paper that are made by the library itself or come with
scikit-learn. Each scheme is cross-validated on the same folds. The standard errors are those of Nadeau and Bengio, so
that folds which share training rows do not pretend to be independent. `atfnb reproduce` asks it of all 50 sets.
"""

import matplotlib.pyplot as plt

from atfnb import ATFNB, CFW, NB, WNB, FusionNB
from atfnb.evaluation import cross_validate
from atfnb_study.datasets import load

SCHEMES = {"NB": NB(), "WNB": WNB(), "CFW": CFW(), "ATFNB": ATFNB(), "FusionNB": FusionNB()}
SETS = ("wine", "titanic", "car", "tic-tac-toe")

print(f"{'':14}" + "".join(f"{name:>10}" for name in SCHEMES))
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for place, name in enumerate(SETS):
    found = cross_validate(SCHEMES, *load(name), folds=5)
    accuracy = [found.mean(scheme, "accuracy") for scheme in SCHEMES]
    print(f"{name:14}" + "".join(f"{each:10.2f}" for each in accuracy))
    for offset, scheme in enumerate(SCHEMES):
        error = found.standard_error(scheme, "accuracy")
        ax.errorbar(
            accuracy[offset], place + 0.13 * (offset - 2), xerr=error, fmt="o", color=f"C{offset}", label=scheme
        )
ax.set(yticks=range(len(SETS)), yticklabels=SETS, xlabel="accuracy ± corrected standard error")
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)
handles, labels = ax.get_legend_handles_labels()
ax.legend(
    handles[: len(SCHEMES)],
    labels[: len(SCHEMES)],
    frameon=False,
    ncols=len(SCHEMES),
    loc="lower center",
    bbox_to_anchor=(0.5, 1),
)
figure.savefig("schemes.png", dpi=110)
