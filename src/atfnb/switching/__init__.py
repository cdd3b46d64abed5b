"""The switching factor β: QSF, which is exact, and SLS, which tries a grid.

A row's score for class c is a line in β, T_c = β·K_c + M_c (Eq. 16), so the row is right on one interval of β
(Eq. 18), and the training accuracy is a step function of β: the weight of the intervals that cover it. QSF finds
the highest step by sweeping over the intervals' ends. It is the exact line search of minimum error rate training
(Och 2003).
"""

from atfnb.switching.curve import accuracy_at, step_function
from atfnb.switching.found import BetaSearch
from atfnb.switching.grid import beta_grid, search_grid, weight_right
from atfnb.switching.intervals import Lines, Reach, reach
from atfnb.switching.search import qsf, sls
from atfnb.switching.sweeping import Swept, sweep

__all__ = [
    "BetaSearch",
    "Lines",
    "Reach",
    "Swept",
    "accuracy_at",
    "beta_grid",
    "qsf",
    "reach",
    "search_grid",
    "sls",
    "step_function",
    "sweep",
    "weight_right",
]
