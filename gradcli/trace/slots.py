"""`__slots__`: the only names that objects of a class have values for."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import RefusedError


def check_slot(instance: Any, name: str) -> None:
    """Raise `name` where no class of an object lets it have a value of that name."""
    made_by = instance.made_by
    slots = [each.frame.values.get("__slots__") for each in made_by.order]
    if any(each is None for each in slots) or any(
        name in ((each,) if isinstance(each, str) else instance.values.elements(each))
        for each in slots
    ):
        return
    said = f"'{made_by.name}' object has no attribute '{name}'"
    raise RefusedError(
        ("AttributeError", said), "name", f"{name} is not in the __slots__ of {made_by.name}",
        hint="leave __slots__ out, or add the name",
    )  # fmt: skip
