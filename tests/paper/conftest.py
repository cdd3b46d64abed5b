"""The browser that shows the page of a study."""

from browsers import browser, violations, visit

__all__ = ["browser", "violations", "visit"]
