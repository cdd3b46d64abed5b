"""The encoding of a text file.

It is that of a byte order mark, or UTF-8 if the text is valid UTF-8, or else the one in which the text looks most like
words.
"""

from __future__ import annotations

import codecs
import re
from itertools import pairwise

_MARKS = [  # longer marks first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_LATIN = ["cp1252", "cp1250", "iso8859_2"]
"""Western and Central European encodings: a text can be valid in all of them; the first is the most common."""
_OTHERS = ["cp1251", "koi8_r", "cp1253", "cp1254", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
_FEW = 4
"""With fewer bytes beyond ASCII than this, the encoding is not detected."""
EVIDENCE_BYTES = 1 << 16
"""The number of bytes of lines beyond ASCII that an encoding is detected from."""


def sniff_encoding(sample: bytes) -> str:
    """Return the encoding of a text, detected from its first bytes, which may be cut off anywhere.

    Valid UTF-8 is UTF-8. Otherwise the lines with bytes beyond ASCII decide; with too few of them, it is the Western
    encoding of Windows, CP1252.

    Examples
    --------
    >>> sniff_encoding("Köln, Österreich".encode("utf-8"))
    'utf-8'
    >>> sniff_encoding("Köln".encode("cp1252"))
    'cp1252'
    """
    if marked := [encoding for mark, encoding in _MARKS if sample.startswith(mark)]:
        return marked[0]
    if b"\0" in sample:
        return _without_mark(sample)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # which may be cut off at its end
    except UnicodeDecodeError:
        return guess_encoding(sample)
    return "utf-8"


def guess_encoding(sample: bytes) -> str:
    r"""Return the likeliest encoding of a text that is not UTF-8.

    Examples
    --------
    >>> guess_encoding("miasto\nWrocław\nŁódź\nGdańsk".encode("cp1250"))
    'cp1250'
    """
    from charset_normalizer import from_bytes

    lines = dict.fromkeys(line for line in re.split(rb"[\r\n]+", sample) if not line.isascii())
    evidence = b"\n".join(lines)[:EVIDENCE_BYTES]
    if sum(byte > 127 for byte in evidence) < _FEW:
        return _LATIN[0]
    matches = list(from_bytes(evidence, cp_isolation=_LATIN + _OTHERS))
    least = min((match.chaos for match in matches), default=0.0)
    names = [name for match in matches if match.chaos == least for name in match.could_be_from_charset]
    if not names or any(name in _LATIN for name in names):
        return min(_LATIN, key=lambda encoding: _oddness(evidence, encoding))
    return names[0]


def _oddness(evidence: bytes, encoding: str) -> int:
    """Return how often a text looks wrong in an encoding: a sign inside a word, a capital after a small letter."""
    text = evidence.decode(encoding, "replace")
    odd = re.findall(r"[^\W\d_](?=[^\x00-\x7f])[\W\d]|(?=[^\x00-\x7f])[\W\d](?=[^\W\d_])", text)
    capitals = [b for a, b in pairwise(text) if a.islower() and b.isupper() and ord(b) > 127]
    return len(odd) + len(capitals)


def _without_mark(sample: bytes) -> str:
    """Return the encoding of a text with NUL bytes: UTF-16 if about every other byte is NUL, otherwise UTF-8."""
    half = max(1, len(sample) // 2)
    even, odd = sample[::2].count(0) / half, sample[1::2].count(0) / half
    if odd > 0.5 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.5 and odd < 0.1 else "utf-8"
