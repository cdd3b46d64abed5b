"""Train on data larger than memory, on Dask: a few passes over parts of the data, each of which adds something up.

==========================  ===================================================  ======================================
pass                        what each part adds                                  result
==========================  ===================================================  ======================================
files                       names of columns, rows and bytes                     parts of about a million rows
types of columns, of CSV    the type of each column                              numbers, booleans or text
weights, if any             their sum in each class                              a grid on which their sums are exact
classes and values          classes; values × classes, or a sketch of quantiles  cuts, by ChiMerge; categories; means
candidate cuts, if any      numbers between candidate cuts × classes             cuts, by ChiMerge
counts                      values × classes, and what the indexes need          probabilities and indexes
ends of intervals           how many rows become right or wrong at each β        the buckets that can hold the best β
ends in open buckets        these ends                                           β, exactly
log-loss                    gradient and second derivatives by θ                 FusionNB's weights
effects of values           gradient by the effect of every value                FusionNB's effects
==========================  ===================================================  ======================================

Reading the parts belongs to :mod:`atfnb.tables`, the survey of their values to :mod:`atfnb.encoding`, and the passes
from the counts on to :mod:`atfnb.classifiers`. This package only runs them: in threads or on a cluster, with retries,
in limited memory.
"""

try:
    import dask  # noqa: F401
    import pyarrow  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"training in parts (atfnb.scale) needs {error.name}, which is missing: pip install 'atfnb[scale]'"
    ) from None

from atfnb.scale.fit import files_in_parts, fit_dask, fit_files, predict_dask
from atfnb.scale.summary import PassRecord, ScaleSummary

__all__ = ["PassRecord", "ScaleSummary", "files_in_parts", "fit_dask", "fit_files", "predict_dask"]
