"""A script that fits ATFNB on some million rows of codes and prints the peak of its memory and the codes' bytes."""

PEAK_OF_FIT = """
import sys
import numpy as np
from atfnb import ATFNB

rows, attributes = int(sys.argv[1]), 20
rng = np.random.default_rng(0)
small = rng.integers(0, 5, (1000, attributes), dtype=np.uint8)
ATFNB(categorical_features="all").fit(small, np.arange(1000) % 3).predict(small)  # compile first


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024


before = peak()
X, y = np.empty((rows, attributes), np.uint8), np.empty(rows, np.uint8)
for start in range(0, rows, 100_000):
    part = slice(start, min(start + 100_000, rows))
    y[part] = rng.integers(0, 3, part.stop - start)
    X[part] = rng.integers(0, 5, (part.stop - start, attributes))
    X[part, :8] = (X[part, :8] // 2 + y[part, None]) % 5
ATFNB(categorical_features="all").fit(X, y)
print(peak() - before, X.nbytes)
"""
