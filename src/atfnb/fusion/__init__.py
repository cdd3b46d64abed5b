"""What FusionNB learns: weights fused from any number of indexes, effects of values, and effects of pairs.

The room is read in this order:

1. ``fitting.py``: from counts to fused weights.
2. ``likelihood.py``: weights w = Fθ (+ δ) with the lowest log-loss of rows under tables without them.
3. ``accuracy.py``: weights w = Fθ with the highest accuracy, by exact line searches.
4. ``refining.py``: choose strengths and pairs by cross-validation, then learn the effects of values and of pairs.
5. ``effects.py``: an effect of each value on each class, smooth along numbers.
6. ``strengths.py``: how strongly the effects are shrunk, by cross-validation.
7. ``pairs.py``: which attributes act together, and what two of their values add together.
8. ``pair_choice.py``: how many pairs there are, and how strongly they are shrunk, by cross-validation.
"""

from atfnb.fusion.fitting import Coarse, Criterion, FusionOptions, PairOption, fuse_weights
from atfnb.fusion.pairs import PairEffects
from atfnb.fusion.refining import Refined, additive_scores, refine_values

__all__ = [
    "Coarse",
    "Criterion",
    "FusionOptions",
    "PairEffects",
    "PairOption",
    "Refined",
    "additive_scores",
    "fuse_weights",
    "refine_values",
]
