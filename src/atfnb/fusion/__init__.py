"""Learn what FusionNB needs: weights fused from any number of indexes, and effects of single values.

Read the modules in this order:

1. ``fitting.py``: the algorithm, from counts to weights and effects.
2. ``likelihood.py``: weights w = Fθ (+ δ) with the lowest log-loss of rows under tables without them.
3. ``accuracy.py``: weights w = Fθ with the highest accuracy, by exact line searches.
4. ``effects.py``: an effect of each value on each class, smooth along numbers.
5. ``strengths.py``: how strongly the effects are shrunk, by cross-validation.
"""

from atfnb.fusion.fitting import (
    Coarse,
    Criterion,
    FusionOptions,
    Refined,
    additive_scores,
    fuse_weights,
    refine_values,
)

__all__ = ["Coarse", "Criterion", "FusionOptions", "Refined", "additive_scores", "fuse_weights", "refine_values"]
