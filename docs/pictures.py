"""Draw the pictures of the README: ``make pictures``."""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from atfnb import ATFNB, plot_beta, plot_weights

HERE = Path(__file__).parent / "images"


def main() -> None:
    """The switching factor and the weights on wine, side by side."""
    model = ATFNB().fit(*load_wine(as_frame=True, return_X_y=True))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    plot_beta(model, ax=left)
    plot_weights(model, ax=right)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    HERE.mkdir(exist_ok=True)
    figure.savefig(HERE / "wine.png", dpi=110)


if __name__ == "__main__":
    main()
