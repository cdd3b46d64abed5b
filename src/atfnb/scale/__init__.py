"""Training on data that no machine holds, on Dask: a few passes over parts of it, each of which adds something up.

=====================  ===============================================  ==========================================
pass                   of each part                                     in the end
=====================  ===============================================  ==========================================
files                  names of columns, rows and bytes                 parts of about a million rows
weights, if any        their sum                                        the grid on which sums of weights are exact
values                 classes; values × classes, or a sketch           cuts, by ChiMerge; categories; means
candidates, if any     numbers between candidate cuts × classes         cuts, by ChiMerge
counts                 values × classes, and what the indexes need      probabilities and indexes
ends of intervals      how many rows begin and cease to be right at β   the cells of β that can hold the best
ends in open cells     these ends                                       β, exactly
log-loss               gradient and second derivatives by θ             FusionNB's weights
effects of values      gradient by the effect of every value            FusionNB's effects
=====================  ===============================================  ==========================================

The passes from the counts on are those of :mod:`atfnb.classifiers`: what differs is who runs the pieces.
"""

try:
    import dask  # noqa: F401
    import pyarrow  # noqa: F401
except ImportError as error:
    raise ImportError(f"atfnb.scale needs {error.name}: pip install 'atfnb[scale]'") from None

from atfnb.scale.fit import fit_dask, fit_files
from atfnb.scale.predict import predict_dask
from atfnb.scale.summary import PassRecord, ScaleSummary

__all__ = ["PassRecord", "ScaleSummary", "fit_dask", "fit_files", "predict_dask"]
