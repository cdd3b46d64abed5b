"""What goes wrong, in the words of Python and in those of the command."""

from __future__ import annotations

import re

_TERMS = {"sample_weight": "the weight", "class_weight": "--balance", "alpha": "--alpha", "max_bins": "--max-bins"}
_TERMS |= {"y": "the target"}
_PARAMETER = re.compile(rf"(^|: )({'|'.join(_TERMS)})(?= (?:must|holds|is|of)\b)")


class AdvisedError(ValueError):
    """An error that has other advice for the command than for Python.

    Parameters
    ----------
    fault : str
        What is wrong.
    in_python, in_command : str
        What to do about it.

    Examples
    --------
    >>> error = AdvisedError("column 'id' has too many values", "drop it", "leave it out with --ignore id")
    >>> print(error)
    column 'id' has too many values: drop it.
    >>> print(in_command(error))
    column 'id' has too many values: leave it out with --ignore id.
    """

    def __init__(self, fault: str, in_python: str, in_command: str) -> None:
        super().__init__(fault, in_python, in_command)  # all of them, so that it can be sent between processes

    def __str__(self) -> str:
        return f"{self.args[0]}: {self.args[1]}."

    @property
    def for_command(self) -> str:
        """The sentence for a person at a terminal."""
        return f"{self.args[0]}: {self.args[2]}."


def located(error: Exception, place: str) -> ValueError:
    """Return an error that also says where in the data it is.

    >>> print(located(ValueError("the target is missing."), "part.csv"))
    part.csv: the target is missing.
    """
    if isinstance(error, AdvisedError):
        fault, *advice = error.args
        return AdvisedError(f"{place}: {fault}", *advice)
    return ValueError(f"{place}: {error}")


def in_command(error: Exception) -> str:
    """Return the sentence of an error, with options of the command in the place of Python's parameters.

    >>> in_command(ValueError("sample_weight is negative in row 3: use 0 to leave a row out."))
    'the weight is negative in row 3: use 0 to leave a row out.'
    """
    if isinstance(error, AdvisedError):
        return error.for_command
    return _PARAMETER.sub(lambda found: found[1] + _TERMS[found[2]], str(error))
