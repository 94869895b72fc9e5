"""The one place that makes text from outside safe to print on a terminal."""

from __future__ import annotations

import re

_UNSAFE = (
    "["
    "\x00-\x09\x0b-\x1f\x7f-\x9f"  # control characters, DEL and ESC among them; not the line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction of what follows
    "\u2028\u2029"  # line breaks to some terminals
    "\u00ad\u200b\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # have no width
    "\ufdd0-\ufdef\ufffe\uffff"  # no characters; XML allows the last two nowhere
    "\ud800-\udfff"  # lone surrogates, which no encoding can print
    "]"
)


def sanitise(text: str) -> str:
    r"""The text with characters that control a terminal, or are invisible, as escapes: `\x1b`."""
    if text.replace("\n", "").isprintable():
        return text  # without the expression, which takes long to compile
    return re.sub(_UNSAFE, _escape, text)


def within_lines(text: str) -> str:
    r"""What a program prints, sanitised. Tabs and `\r` stay, as in `print("\repoch 1", end="")`:
    they move within their own line, and all that a line hides was printed by the program itself.
    """
    return "\r".join("\t".join(map(sanitise, each.split("\t"))) for each in text.split("\r"))


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
