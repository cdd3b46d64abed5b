"""Measurements of speed, scale and ablations, and the generator of test data."""
