"""Rows for the tests of fusion: coded and counted, or cut finely."""

import numpy as np

from atfnb._pieces import CodedRows
from atfnb.counts import count, log_prior
from atfnb.encoding import EncoderOptions, learn_encoder, refine_encoder
from atfnb.fusion.effects import effect_setting
from atfnb.tables import label_rows, read_table


def counted(case):
    codes, y, weights = case
    codes = codes.astype(np.uint8)
    n_values = codes.max(axis=0).astype(np.int64) + 1
    y, weights = y.astype(np.int32), weights.astype(float)
    return codes, y, weights, count(codes, y, weights, n_values, int(y.max()) + 1, {"moments"})


def fine_setting(table, y, weights):
    """The setting of effects of values, and the rows coded by their fine cuts."""
    return fine_rows(table, y, weights)[1:]


def fine_rows(table, y, weights, max_cuts=31):
    """The fine encoder, the setting of effects of values, and the coded rows."""
    rows = label_rows(read_table(table), y, weights)
    coarse = learn_encoder(rows, EncoderOptions(missing="value"))
    fine = refine_encoder(coarse.encoder, coarse.distributions, max_cuts)
    codes = fine.encoder.encode_table(rows.table)
    counts = count(codes, rows.y, rows.weight, fine.encoder.n_values, len(rows.classes))
    return fine, effect_setting(fine, counts, log_prior(counts, 1.0)), CodedRows(codes, rows.y, rows.weight)
