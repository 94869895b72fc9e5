"""Methods of Python's classes as functions: `str.lower`, `dict.get`, `object.__new__`."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.trace.classes import Class, Instance
from gradcli.trace.objects import Given, Object
from gradcli.trace.sequences import Sequences
from gradcli.trace.values import Value, describe


def unbound(sequences: Sequences, arguments: list[Value], keywords: Given) -> object:
    """What the method gives that the first argument names, of the second one."""
    if len(arguments) < 2:
        raise GradcliError("type", f"{arguments[0]} is called with the object that it is for")
    title, owner, *others = arguments
    name = str(title)
    if name == "__new__" and isinstance(owner, Class):
        return owner.new(others, keywords)
    if name == "__setattr__" and isinstance(owner, Instance):
        return owner.keep(str(others[0]), others[1])
    if name == "__init__" and isinstance(owner, Instance) and name not in owner.methods():
        return None
    known = isinstance(owner, Instance) and owner.methods().get(name)
    if known:
        return known(others, keywords)
    method = owner.method(name) if isinstance(owner, Object) else sequences.method(owner, name)
    if method is None:
        raise GradcliError("type", f"{describe(owner)} has no method {name!r}")
    return method(others, keywords)
