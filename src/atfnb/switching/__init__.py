"""The switching factor β: QSF finds the best β exactly (Algorithm 1), SLS by trying a grid (Section 4.3).

Read the modules in the order of the paper:

1. ``intervals.py``: a row's joint log-likelihood of class c is a line in β, T_c = β·K_c + M_c (Eq. 16), so a row is
   classified correctly on one interval of β (Eq. 18).
2. ``sweeping.py``: the training accuracy at a β is the weight of the intervals that cover it, a step function of β. QSF
   finds its highest step (Eq. 19 and 20). This is the exact line search of minimum error rate training (Och 2003). SLS
   computes the training accuracy at β = 0, step, 2·step, …, 1.

:func:`qsf` and :func:`sls` take arrays of slopes and intercepts. The classifiers call the functions that these are made
of, which take the rows in pieces: :func:`reach`, :func:`sweep` and :func:`search_grid`.
"""

from atfnb.switching.intervals import BetaSearch, JointLines, Reach, joint_lines, reach
from atfnb.switching.sweeping import accuracy_at, beta_grid, qsf, search_grid, sls, step_function, sweep, thinned

__all__ = ["BetaSearch", "JointLines", "Reach", "accuracy_at", "beta_grid", "joint_lines", "qsf", "reach"]
__all__ += ["search_grid", "sls", "step_function", "sweep", "thinned"]
