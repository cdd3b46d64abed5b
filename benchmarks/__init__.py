"""Measurements of speed and scale, ablations of FusionNB, and a generator of large files.

Run from the root of the repository: ``python -m benchmarks.speed``, ``benchmarks.scale``, ``benchmarks.ablation`` and
``benchmarks.generate``, each with ``--help``. They need the extras ``bench`` and ``scale``.
"""
