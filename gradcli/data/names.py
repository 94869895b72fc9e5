"""Which of the arrays in a file is meant."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError, nearest


def choose(key: str | None, keys: list[str], name: str) -> str:
    """The one of several arrays that a key names; without a key, the only one. Raises `data`."""
    if key in keys:
        return key
    if key is None and len(keys) == 1:
        return keys[0]
    listing = ", ".join(keys[:20]) + (", …" if len(keys) > 20 else "") or "nothing"
    near = nearest(key, keys) if key else None
    problem = f"{name} has no array {key!r}" if key else f"{name} holds {len(keys)} arrays"
    raise GradcliError(
        "data",
        f"{problem}; it holds {listing}",
        hint=f"did you mean {name}:{near}?" if near else f"name one: @{name}:KEY",
    )
