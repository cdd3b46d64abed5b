"""Speed, measured side by side with other libraries: ``python -m benchmarks.speed``."""
