"""Draw the pictures of the README and of these pages: ``make pictures``."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer, load_wine

from atfnb import ATFNB, FusionNB, plot_beta, plot_weights
from atfnb_study.leaf import draw_leaf, grey, outline, preview, segment

HERE = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parents[1] / "examples"


def wine() -> None:
    """The switching factor and the weights on wine, side by side."""
    model = ATFNB().fit(*load_wine(as_frame=True, return_X_y=True))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    plot_beta(model, ax=left)
    plot_weights(model, ax=right)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "wine.png", dpi=110)


def row() -> None:
    """How the values of one wine lead to its class."""
    wines = load_wine(as_frame=True)
    model = FusionNB().fit(wines.data, wines.target_names[wines.target])
    model.plot_row(wines.data.iloc[61], top=8).figure.savefig(HERE / "row.png", dpi=110)


def leaves() -> None:
    """Previews of four drawn leaves."""
    images = [grey(draw_leaf(species, 2, size=(360, 400))) for species in ("lance", "five-lobed", "needle", "toothed")]
    row = np.hstack([preview(image, outline(segment(image))) for image in images])
    Image.fromarray(row).save(HERE / "leaves.jpg", quality=85, subsampling=0)


def report() -> None:
    """Four parts of the report page of breast cancers, as a browser shows them."""
    X, y = load_breast_cancer(as_frame=True, return_X_y=True)
    named = y.map({0: "malignant", 1: "benign"})
    page = FusionNB().fit(X, named).report(X, named, title="breast cancer: what was learned", target="diagnosis")
    with sync_playwright() as play, TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        page.save(file)
        browser = play.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1100, "height": 1100}, color_scheme="light")
        tab.goto(file.as_uri())
        tab.screenshot(path=HERE / "report.png")
        for part, name in (("what-if", "what-if"), ("counts", "what-counts"), ("mistakes", "mistakes")):
            box = tab.evaluate("id => document.getElementById(id).getBoundingClientRect().toJSON()", part)
            clip = {"x": 0, "y": box["top"] + 12, "width": 1100, "height": min(box["height"] - 24, 980)}
            tab.screenshot(path=HERE / f"{name}.png", clip=clip, full_page=True)
        browser.close()


def examples() -> None:
    """What each example prints and draws, for its page."""
    folder = Path(__file__).parent / "examples"
    for script in sorted(EXAMPLES.glob("*.py")):
        drawn = {**os.environ, "MPLBACKEND": "Agg"}
        done = subprocess.run([sys.executable, script], cwd=folder, env=drawn, stdout=subprocess.PIPE, check=True)
        (folder / f"{script.stem}.txt").write_bytes(done.stdout)


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    wine()
    row()
    leaves()
    report()
    examples()
