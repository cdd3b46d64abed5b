"""Numbers as people write them: with thousands separators, a currency sign, a percent sign or a unit.

A column is such numbers if every cell is written in one form: 2,701 · $3.50 · 72% · 12 kg. Codes, postcodes, telephone
numbers, ranges, versions and lists are not. What a column is depends on no order, so that parts of it may be looked at
one by one (:func:`type_of_both`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from atfnb.tables.cells import LEADING_ZERO, Cells, numbers, typed
from atfnb.tables.cells import type_of_both as _type_of_both

_CURRENCIES = r"[$€£¥₹₽₩₺₪₴₦₫₱฿¢]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL"
_UNITS = r"[%‰]|[A-Za-zµμ°Ω]+(?:[²³]|/[A-Za-zµμ°Ω]+[²³]?)?|[cdkm]?m[23]"
_LETTERS = {"m", "g", "s", "h", "l", "t", "d", "V", "W"}
"""The units of one letter that may stand right behind a number; 12a and 7B are names of houses and classes."""
_ORDINALS = {"st", "nd", "rd", "th"}


@dataclass(frozen=True)
class Form:
    """How the numbers of a column are written.

    Parameters
    ----------
    sign : str
        A currency sign, % or a unit that stands at every number; "" if there is none.
    thousands : str
        What stands between thousands in some of the numbers; "" if nothing does.

    Examples
    --------
    >>> Form("$").described("fee")
    "'fee' is read as numbers without the sign $; --categorical 'fee' keeps it as text."
    """

    sign: str = ""
    thousands: str = ""

    def described(self, column: str) -> str:
        """Return the sentence that says how a column is read."""
        left_out = [f"the {'unit' if self.sign[0].isalpha() else 'sign'} {self.sign}"] if self.sign else []
        left_out += [f"the thousands separator {self.thousands}"] if self.thousands else []
        percent = f" (72{self.sign} is 72)" if self.sign in ("%", "‰") else ""
        return (
            f"{column!r} is read as numbers without {' and '.join(left_out)}{percent}; "
            f"--categorical {column!r} keeps it as text."
        )


def understood(text: Any, cells: Cells) -> tuple[Any, Form | None]:
    """Return a column of text as what it holds, and how its numbers are written if that is in some form.

    Examples
    --------
    >>> column, form = understood(pa.chunked_array([["$3.50", "?", "$1,200"]]), Cells())
    >>> column.to_pylist(), form
    ([3.5, None, 1200.0], Form(sign='$', thousands=','))
    """
    column = typed(text, cells)
    form = _form_of(column, cells) if pa.types.is_string(column.type) else None
    return (column, None) if form is None else (formed(column, cells, form.sign), form)


def type_of_both(one: Any, other: Any) -> Any:
    """Return the type or the form of a column of which two parts have these.

    Examples
    --------
    >>> type_of_both(Form("$"), Form("$", ",")), type_of_both(Form("$"), pa.int64())
    (Form(sign='$', thousands=','), DataType(string))
    >>> type_of_both(Form("", ","), pa.int64())
    Form(sign='', thousands=',')
    """
    forms = [each for each in (one, other) if isinstance(each, Form)]
    if len(forms) == 2:
        marks = "".join(sorted({*one.thousands, *other.thousands}))
        return Form(one.sign, marks) if one.sign == other.sign else pa.string()
    if not forms:
        return _type_of_both(one, other)
    rest = other if forms[0] is one else one
    plain = pa.types.is_integer(rest) or pa.types.is_floating(rest)
    return forms[0] if pa.types.is_null(rest) or (plain and not forms[0].sign) else pa.string()


def formed(text: Any, cells: Cells, sign: str) -> Any:
    """Return text without marks for missing cells as numbers; each is plain, or has the sign or thousands separators.

    Raises
    ------
    ValueError
        If a cell is not such a number.
    """
    trimmed = pc.utf8_trim_whitespace(text)
    patterns = {_pattern(sign, cells.decimal), _pattern("", cells.decimal)}
    in_form = pc.match_substring_regex(trimmed, "|".join(sorted(patterns)))
    strange = rf"[^0-9+{re.escape(cells.decimal)}-]"
    bare = pc.replace_substring_regex(pc.replace_substring(trimmed, sign, "") if sign else trimmed, strange, "")
    return numbers(pc.if_else(in_form, bare, trimmed), cells)


def _form_of(text: Any, cells: Cells) -> Form | None:
    """Return how the numbers of a column of text are written, or None if it is a column of text."""
    first = text.drop_null().slice(0, 1)
    sign = _sign_of(first[0].as_py().strip(), cells.decimal)
    if sign is None and not _are_plain(first, cells):
        return None
    sign = sign or ""
    trimmed = pc.utf8_trim_whitespace(text.drop_null())
    in_form = pc.match_substring_regex(trimmed, _pattern(sign, cells.decimal))
    others = trimmed.filter(pc.invert(in_form))
    if len(others) == len(trimmed) or (len(others) and (sign or not _are_plain(others, cells))):
        return None
    mark = "," if cells.decimal == "." else "."
    grouped = pc.any(pc.match_substring_regex(trimmed.filter(in_form), rf"[0-9]{re.escape(mark)}[0-9]{{3}}")).as_py()
    return Form(sign, mark if grouped else "")


def _are_plain(text: Any, cells: Cells) -> bool:
    """Return whether all cells are numbers without any form, and none is a code as 007."""
    try:
        numbers(text, cells)
    except pa.ArrowInvalid:
        return False
    return not pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py()


def _sign_of(cell: str, decimal: str) -> str | None:
    """Return the sign or unit of a number, "" if it has none, or None if the cell is not a number in some form."""
    number = rf"[+-]?{_number(decimal)}"
    if found := re.fullmatch(rf"(?:[+-]?({_CURRENCIES})\s*)?{number}", cell):
        return found[1] or ""
    found = re.fullmatch(rf"{number}(\s*)({_CURRENCIES}|{_UNITS})", cell)
    if not found or found[2] in _ORDINALS:
        return None
    is_name = len(found[2]) == 1 and found[2].isalpha() and not found[1] and found[2] not in _LETTERS
    return None if is_name else found[2]


def _number(decimal: str) -> str:
    """Return the pattern of a number without an exponent: no needless zero, and thousands in groups of three."""
    mark, point = ("," if decimal == "." else r"\."), re.escape(decimal)
    return rf"(?:(?:0|[1-9][0-9]*|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+)(?:{point}[0-9]+)?|{point}[0-9]+)"


@lru_cache(maxsize=64)
def _pattern(sign: str, decimal: str) -> str:
    """Return the pattern of a number with this sign, before or behind it; without any, of one with separators."""
    if not sign:
        mark, point = ("," if decimal == "." else r"\."), re.escape(decimal)
        return rf"^[+-]?[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+(?:{point}[0-9]+)?$"
    this, number = re.escape(sign), _number(decimal)
    behind = rf"[+-]?{number}\s*{this}"
    if not re.fullmatch(_CURRENCIES, sign):
        glued = r"\s+" if len(sign) == 1 and sign.isalpha() and sign not in _LETTERS else r"\s*"
        return rf"^[+-]?{number}{glued}{this}$"
    return rf"^(?:[+-]?{this}\s*[+-]?{number}|{behind})$"
