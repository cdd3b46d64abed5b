"""Comparisons of the classifiers."""
