"""The classifiers: one scheme, one small file. Each says how much an attribute counts; BaseNB does the rest."""

from atfnb.classifiers.atfnb import ATFNB, CFWBeta
from atfnb.classifiers.base import BaseNB
from atfnb.classifiers.cfw import CFW
from atfnb.classifiers.dfw import DFW
from atfnb.classifiers.fusion import FusionNB
from atfnb.classifiers.nb import NB
from atfnb.classifiers.weighted import WeightedNB
from atfnb.classifiers.wnb import KLNB, WNB

__all__ = ["ATFNB", "CFW", "DFW", "KLNB", "NB", "WNB", "BaseNB", "CFWBeta", "FusionNB", "WeightedNB"]
