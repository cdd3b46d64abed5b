"""The version of the library, where any room can import it without importing the package's front door."""

__version__ = "0.2.0"
