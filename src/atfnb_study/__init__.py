"""The paper's experiments: its data sets, leaves, protocol, statistics, tables, figures and studies.

::

    sets ──splits──▶ outcomes ──▶ results ──statistics──▶ tables, figures ──▶ a page and a summary

It stands beside :mod:`atfnb`, which imports nothing of it. :mod:`atfnb_study.datasets` and :mod:`atfnb_study.leaf`,
which needs the extra ``leaf``, are useful on their own.
"""
