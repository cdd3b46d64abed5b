"""The classifiers, one weighting scheme per file: each returns the weights of the attributes, and BaseNB does the rest.

``ROSTER`` lists them. A new classifier is a file and a line there: the command, the model file, the report and the
studies read its declaration.
"""

from atfnb.classifiers.atfnb import ATFNB, AccuracyCurve, CFWBeta, fuse
from atfnb.classifiers.base import BaseNB
from atfnb.classifiers.cfw import CFW
from atfnb.classifiers.counted import CountedNB
from atfnb.classifiers.declaration import Declaration, FittedField, Meaning
from atfnb.classifiers.dfw import DFW
from atfnb.classifiers.edits import edits_in_words
from atfnb.classifiers.fusion import FusionNB, PairsSkippedWarning
from atfnb.classifiers.nb import NB
from atfnb.classifiers.weighted import WeightedNB
from atfnb.classifiers.wnb import KLNB, WNB
from atfnb.switching import JointLines, joint_lines

ROSTER: tuple[type[BaseNB], ...] = (FusionNB, ATFNB, CFWBeta, CFW, DFW, WNB, KLNB, NB, WeightedNB)
"""Every classifier of the library, in the order in which the command lists them: the most accurate first."""

__all__ = ["ATFNB", "CFW", "DFW", "KLNB", "NB", "ROSTER", "WNB", "AccuracyCurve", "BaseNB", "CFWBeta", "CountedNB"]
__all__ += ["Declaration", "FittedField", "FusionNB", "JointLines", "Meaning", "PairsSkippedWarning", "WeightedNB"]
__all__ += ["edits_in_words", "fuse", "joint_lines"]
