"""Measurements of speed and scale, ablations of FusionNB, ways to update models, and a generator of large files.

Run from the root of the repository: ``python -m benchmarks.speed``, ``benchmarks.scale``, ``benchmarks.ablation``,
``benchmarks.updates`` and ``benchmarks.generate``, each with ``--help``. They need the extras ``bench`` and ``scale``.
"""
