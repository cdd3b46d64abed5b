"""Numbers as people write them: with thousands separators, a currency sign, a unit, brackets, k or M, or a bound.

The numbers of a column are read if all cells are written with the same sign or unit, or all without one. Every other
way of writing may differ from cell to cell: 21'986.19 · 25 572,44 · −645 · (419), which is −419 · 34.6k · 1.2e3 · <5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import Message, Setting
from atfnb._typing import BoolArray

if TYPE_CHECKING:
    from atfnb.tables.cells import CellRules

_LEADING_ZERO = r"^\s*[+-]?0[0-9]"
"""The pattern of a number with a needless zero, such as 007."""
CURRENCIES = r"[$€£¥₹₽₩₺₪₴₦₫₱฿¢]|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL"
_UNITS = r"[%‰]|[A-Za-zµμ°Ω]+(?:[²³]|/[A-Za-zµμ°Ω]+[²³]?)?|[cdkm]?m[23]"
_LETTERS = {"m", "g", "s", "h", "l", "t", "d", "V", "W"}
"""The units of one letter that may follow a number without a space; 12a and 7B are names of houses and classes."""
_ORDINALS = {"st", "nd", "rd", "th"}
_SPACES = " \u00a0\u2009\u202f"
"""The spaces that may separate thousands: plain, no-break, thin, and narrow no-break."""
_GAP = rf"[\s{_SPACES}]*"
_MINUS = "−–"
_SIGN = f"[+{_MINUS}-]?"
_BOUND = rf"(?:[<>≤≥]=?{_GAP})?"
_UNUSUAL = rf"[(<>≤≥{_MINUS}{_SPACES}'’kKM]"


# --- Plain numbers ---------------------------------------------------------------------------------


def parse_numbers(text: Any, rules: CellRules) -> Any:
    """Return text without marks of missing values as numbers.

    Raises
    ------
    ValueError
        If a cell is not a number.
    """
    if rules.decimal == ",":  # a cell with a point is then no number
        text = pc.replace_substring(pc.replace_substring(text, ".", "_"), ",", ".")
    try:
        return without_nan(pc.cast(text, pa.float64()))
    except pa.ArrowInvalid:
        return without_nan(pc.cast(pc.utf8_trim_whitespace(text), pa.float64()))


def without_nan(values: Any) -> Any:
    """Return floats with null for NaN."""
    nan = pc.is_nan(values)
    return pc.if_else(nan, pa.scalar(None, pa.float64()), values) if pc.any(nan).as_py() else values


def plain_numbers(text: Any, rules: CellRules) -> Any:
    """Return text as numbers, whole if 64 bits hold them all; None if a cell is no plain number, or one such as 007."""
    try:
        values = parse_numbers(text, rules)
    except pa.ArrowInvalid:
        return None
    if pc.any(pc.match_substring_regex(text, _LEADING_ZERO)).as_py():
        return None
    try:
        return pc.cast(text, pa.int64())
    except pa.ArrowInvalid:
        return values


# --- Numbers in a form -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """How the numbers of a column are written.

    Parameters
    ----------
    sign : str
        A currency sign, % or a unit before or after every number; "" if there is none.
    thousands : str
        The thousands separators in some of the numbers; "" if there are none.
    ways : str
        What else some of the numbers have: "(" for brackets, "k" for k or M, "<" for a bound, "−" for such a minus.
    only_bounds : bool
        Whether all of them are bounds, such as <5 and >5: these are names, not numbers.

    Examples
    --------
    >>> Form("$").described("fee")
    "'fee' is read as numbers without the sign $; as_text=['fee'] keeps it as text."
    >>> Form("kg", "", "<").described("load")
    "'load' is read as numbers without the unit kg (<5 is 5); as_text=['load'] keeps it as text."
    """

    sign: str = ""
    thousands: str = ""
    ways: str = ""
    only_bounds: bool = False

    @property
    def type(self) -> Any:
        """The type of the column: numbers, or text if all cells are bounds."""
        return pa.string() if self.only_bounds else pa.float64()

    @property
    def recorded(self) -> str:
        """The sign or unit, as a model file records it."""
        return self.sign

    def refusal(self, file: str, column: str) -> None:
        """Return None: numbers in one form can be read."""

    def merged(self, other: Form) -> Form | None:
        """Return the form of a column from those of two parts of it, or None if they are not written alike."""
        if self.sign != other.sign:
            return None
        thousands, ways = (_joined(a + b) for a, b in ((self.thousands, other.thousands), (self.ways, other.ways)))
        return Form(self.sign, thousands, ways, self.only_bounds and other.only_bounds)

    def described(self, column: str) -> str:
        """Return a note on how the numbers of a column are read."""
        without = [f"the {'unit' if self.sign[0].isalpha() else 'sign'} {self.sign}"] if self.sign else []
        if marks := "".join(mark for mark in self.thousands if mark not in _SPACES):
            without.append(f"the thousands separator {' or '.join(marks)}")
        without += ["spaces between thousands"] if set(self.thousands) & set(_SPACES) else []
        ways = [words for way, (_, words) in _WAYS.items() if way in self.ways]
        ways += [f"72{self.sign} is 72"] if self.sign in ("%", "‰") else []
        how = (f" without {' and '.join(without)}" if without else "") + (f" ({', '.join(ways)})" if ways else "")
        return Message(f"{column!r} is read as numbers{how}; ", Setting("as_text", [column]), " keeps it as text.")


_WAYS = {
    "(": (r"\(", "(4) is −4"),
    "k": ("[kKM]", "3k is 3,000 and 3M is 3,000,000"),
    "<": ("^[<>≤≥]", "<5 is 5"),
    "−": (f"[{_MINUS}]", "− is a minus"),
}
"""What :attr:`Form.ways` can have: the pattern of a cell that has it, and in words."""


def _joined(marks: Iterable[str]) -> str:
    """Return marks as one text: each once, sorted."""
    return "".join(sorted(set(marks)))


def parse_in_form(text: Any, rules: CellRules, sign: str) -> Any:
    """Return text without marks of missing values as numbers, plain or with this sign, in any way of writing.

    Raises
    ------
    ValueError
        If a cell is not such a number.
    """
    trimmed = pc.utf8_trim_whitespace(text)
    patterns = {_pattern(sign, rules.decimal), _pattern("", rules.decimal)}
    in_form = pc.match_substring_regex(trimmed, "|".join(sorted(patterns)))
    bare = pc.replace_substring(trimmed, sign, "") if sign else trimmed
    if pc.any(pc.match_substring_regex(bare, _UNUSUAL)).as_py():
        for pattern, plain in ((r"^[^(]*\(", "-"), (f"[{_MINUS}]", "-"), (r"[kK]\)?$", "e3"), (r"M\)?$", "e6")):
            bare = pc.replace_substring_regex(bare, pattern, plain)
    bare = pc.replace_substring_regex(bare, rf"[^0-9eE+{re.escape(rules.decimal)}-]", "")
    return parse_numbers(pc.if_else(in_form, bare, trimmed), rules)


def form_of(text: Any, rules: CellRules) -> Form | None:
    """Return how the numbers of a column of text are written, or None if it is a column of text."""
    first = text.drop_null().slice(0, 1)
    sign = _sign_of(first[0].as_py().strip(), rules.decimal)
    if sign is None and plain_numbers(first, rules) is None:
        return None
    sign = sign or ""
    trimmed = pc.utf8_trim_whitespace(text.drop_null())
    in_form = pc.match_substring_regex(trimmed, _pattern(sign, rules.decimal))
    others = trimmed.filter(pc.invert(in_form))
    if len(others) == len(trimmed) or (len(others) and (sign or plain_numbers(others, rules) is None)):
        return None
    return _form_with(sign, trimmed.filter(in_form), rules.decimal, alone=not len(others))


def _form_with(sign: str, cells: Any, decimal: str, *, alone: bool) -> Form:
    """Return the form of numbers with this sign; ``alone`` says whether they are all numbers of the column."""
    bare = pc.replace_substring(cells, sign, "") if sign else cells
    unusual = bare.filter(pc.match_substring_regex(bare, _UNUSUAL))

    def has(pattern: str) -> bool:
        return bool(pc.any(pc.match_substring_regex(unusual, pattern)).as_py())

    marks = [each for each in f"'’{_SPACES}" if has(f"[0-9]{each}[0-9]{{3}}")]
    marks += [mark for mark in ",." if mark != decimal and pc.any(pc.match_substring(bare, mark)).as_py()]
    ways = [way for way, (pattern, _) in _WAYS.items() if has(pattern)]
    are_bounds = alone and "<" in ways and pc.all(pc.match_substring_regex(bare, _WAYS["<"][0])).as_py()
    return Form(sign, _joined(marks), _joined(ways), are_bounds)


def _sign_of(cell: str, decimal: str) -> str | None:
    """Return the sign or unit of a number, "" if it has none, or None if the cell is not a number in some form."""
    bare = re.sub(f"^{_BOUND}", "", cell)
    bare = bare[1:-1] if bare[:1] + bare[-1:] == "()" else bare
    number = f"{_SIGN}{_number(decimal)}"
    if found := re.fullmatch(rf"(?:{_SIGN}({CURRENCIES}){_GAP})?{number}{_POWER}(?:{_GAP}({CURRENCIES}))?", bare):
        return found[1] or found[2] or ""
    found = re.fullmatch(rf"{number}{_EXPONENT}({_GAP})({_UNITS})", bare)
    if not found or found[2] in _ORDINALS:
        return None
    is_name = len(found[2]) == 1 and found[2].isalpha() and not found[1] and found[2] not in _LETTERS
    return None if is_name else found[2]


_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_POWER = r"(?:[eE][+-]?[0-9]+|[kKM])?"


@lru_cache(maxsize=4)
def _number(decimal: str) -> str:
    """Return the pattern of a number without a sign, an exponent or a needless zero; thousands may be in groups.

    Three groups of three digits with spaces between them are a telephone number, unless a fraction follows.
    """
    mark, point = ("," if decimal == "." else r"\."), re.escape(decimal)
    fraction = rf"(?:{point}[0-9]+)"
    groups = "|".join(rf"(?:{sign}[0-9]{{3}})+" for sign in (mark, "'", "’"))
    spaced = rf"[1-9][0-9]{{0,2}}[{_SPACES}][0-9]{{3}}|[1-9][0-9]?(?:[{_SPACES}][0-9]{{3}}){{2,}}"
    whole = rf"0|[1-9][0-9]*|[1-9][0-9]{{0,2}}(?:{groups})|{spaced}"
    return rf"(?:(?:{whole}){fraction}?|[1-9][0-9]{{0,2}}(?:[{_SPACES}][0-9]{{3}})+{fraction}|{fraction})"


@lru_cache(maxsize=64)
def _pattern(sign: str, decimal: str) -> str:
    """Return the pattern of a number with this sign before or after it; for "", of a number without a sign."""
    this, number = re.escape(sign), _number(decimal)
    if not sign or not re.fullmatch(CURRENCIES, sign):
        glued = r"\s+" if len(sign) == 1 and sign.isalpha() and sign not in _LETTERS else _GAP
        written = rf"{number}{_EXPONENT}{glued}{this}" if sign else rf"{number}{_POWER}"
        return rf"^{_BOUND}(?:{_SIGN}{written}|\({written}\))$"
    before, after = rf"{this}{_GAP}{number}{_POWER}", rf"{number}{_POWER}{_GAP}{this}"
    signed = rf"{_SIGN}(?:{before}|{after})|{this}{_GAP}{_SIGN}{number}{_POWER}"
    return rf"^{_BOUND}(?:{signed}|\((?:{before}|{after})\))$"


# --- Cells by themselves ---------------------------------------------------------------------------


def like_numbers(cells: Any, decimals: str = ".,") -> BoolArray:
    """Return which cells are numbers in some form, with any sign or unit; none if one is a code such as 007.

    Their decimal sign is one of ``decimals``.

    >>> like_numbers(pa.array(["$3.50", "1.234,5 kg", "red", "4th", "12a"])).tolist()
    [True, True, False, False, False]
    """
    if pc.any(pc.match_substring_regex(cells, _LEADING_ZERO)).as_py():
        return np.zeros(len(cells), dtype=bool)
    sign = rf"(?:{CURRENCIES}|{_UNITS})?"
    numbers = "|".join(_number(decimal) for decimal in decimals)
    pattern = rf"^{_BOUND}\(?{_SIGN}(?:{CURRENCIES})?{_GAP}{_SIGN}(?:{numbers}){_POWER}{_GAP}{sign}\)?$"
    like = pc.match_substring_regex(cells, pattern)
    name = rf"[0-9](?:{'|'.join(sorted(_ORDINALS))}|[^\W\d{''.join(sorted(_LETTERS))}kKM])$"  # 4th, 12a
    return np.asarray(pc.and_not(like, pc.match_substring_regex(cells, name)).to_numpy(zero_copy_only=False))


def signs_of(cells: Any) -> Any:
    """Return the sign or unit of each cell that is a number in some form; "" where there is none.

    >>> signs_of(pa.array(["$3.50", "(1.2e3 kg)", "34.6k"])).to_pylist()
    ['$', 'kg', '']
    """
    without = pc.replace_substring_regex(cells, "[0-9](?:[eE][+-]?[0-9]+|[kKM])", "")
    return pc.replace_substring_regex(without, rf"[0-9.,'’()<>≤≥=+{_MINUS}{_SPACES}\s-]", "")
