"""`--shape A=n,n`: shapes with names for lengths."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError


def parse_shapes(texts: Sequence[str]) -> dict[str, tuple[str | int, ...]]:
    """The shapes by name: `A=n,n`, `X=n,3`, and `c=` or `c=()` for a single number.

    Raises `usage`.
    """
    from gradcli.data.binding import checked_name

    found: dict[str, tuple[str | int, ...]] = {}
    for text in texts:
        title, equals, lengths = text.partition("=")
        if not equals:
            raise GradcliError(
                "usage", f"--shape {text[:40]!r} gives no lengths", hint="write --shape A=n,n"
            )
        title = checked_name(title)
        if title in found:
            raise GradcliError("usage", f"--shape {title} stands twice", hint="give each name once")
        inside = lengths.strip().removeprefix("(").removesuffix(")")
        found[title] = tuple(_length(title, each) for each in inside.split(",") if each.strip())
    clash = next((n for shape in found.values() for n in shape if n in found), None)
    if clash is not None:
        raise GradcliError(
            "usage", f"--shape: {clash} is the name of an input, and of a length", hint="rename one"
        )
    return found


def _length(title: str, text: str) -> str | int:
    text = text.strip()
    if text.isdecimal():
        if len(text) > 9 or int(text) < 1:
            raise GradcliError(
                "usage", f"--shape {title}: {text[:40]} is no length", hint="lengths are from 1 on"
            )
        return int(text)
    from gradcli.data.binding import checked_name

    return checked_name(text)
