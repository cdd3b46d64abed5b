"""What FusionNB learns: weights fused from any number of indexes, effects of values, and effects of pairs.

The room is read in this order:

1. ``fitting.py``: from counts to fused weights; w = Fθ with the highest accuracy, by exact line searches.
2. ``likelihood.py``: weights w = Fθ (+ δ) with the lowest log-loss of rows under tables without them.
3. ``refining.py``: choose shrinkages and pairs by cross-validation, then learn the effects of values and of pairs.
4. ``effects.py``: an effect of each value on each class, smooth along numbers, and its penalised loss;
   ``learning.py``: the effects with the lowest loss, and their standard errors; ``shapes.py``: effects that must rise,
   fall or bend one way along a column.
5. ``pairs.py``: which attributes act together, and what two of their values add together.
6. ``choosing.py``: how strongly effects are shrunk, and how many pairs there are, by cross-validation.
7. ``folds.py``: folds and samples by the content of rows.
8. ``coarse.py``: fewer intervals of a number, those that cost least.
9. ``screening.py``: of a table with many more columns than rows, the columns that say most by themselves.
"""

from atfnb.fusion.choosing import is_reliable
from atfnb.fusion.coarse import fewer_cuts
from atfnb.fusion.fitting import Criterion, FusionOptions, PairOption, fuse_weights
from atfnb.fusion.pairs import PairEffects
from atfnb.fusion.refining import Refined, additive_scores, refine_values
from atfnb.fusion.screening import screened
from atfnb.fusion.shapes import Kind as ShapeKind
from atfnb.fusion.shapes import Shape

__all__ = ["Criterion", "FusionOptions", "PairEffects", "PairOption", "Refined", "Shape", "ShapeKind"]
__all__ += ["additive_scores", "fewer_cuts", "fuse_weights", "is_reliable", "refine_values", "screened"]
