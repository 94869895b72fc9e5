"""`super()`: what an object has from the classes behind one of its classes."""

from __future__ import annotations

from functools import partial

from gradcli.diagnostics import RefusedError
from gradcli.trace.classes import Class, Instance, bound, made_new
from gradcli.trace.modules import Method, Module
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value


class Super(Object):
    """`super()`: an object as the classes behind one of its classes see it."""

    what = "super()"

    def __init__(self, instance: Value, after: Class) -> None:
        self.instance = instance
        self.after = after

    def attribute(self, name: str) -> Value:
        owner = self.instance if isinstance(self.instance, Class) else None
        if isinstance(self.instance, Instance):
            owner = self.instance.made_by
        value = None if owner is None else owner.found(name, self.after)
        if value is None or owner is None:
            raise self.has_no("attribute", name)
        instance = self.instance if isinstance(self.instance, Instance) else None
        return bound(value, instance, owner)

    def method(self, name: str) -> Method:
        instance = self.instance
        if isinstance(instance, Instance) and instance.made_by.found(name, self.after) is None:
            known = instance.methods().get(name)
            if name == "__new__":
                return made_new
            if name == "__setattr__":
                return lambda given, _: instance.keep(str(given[0]), given[1])
            if name == "__call__" and isinstance(instance, Module):
                return partial(Module.call, instance)
            if known is not None or name == "__init__":
                return known or (lambda *_: None)
        if name == "__init_subclass__" and isinstance(instance, Class):
            return lambda _, given: _told_nothing(instance, given)
        if name == "__new__" and isinstance(instance, Class):
            own = instance.found(name, self.after)
            if own is None:
                return made_new
            if isinstance(own, Object):
                return own.call
        value = self.attribute(name)
        if not isinstance(value, Object):
            raise self.has_no("method", name)
        return value.call


def _told_nothing(made: Class, keywords: Given) -> None:
    """`super().__init_subclass__()`, which `object` takes without more."""
    if keywords:
        said = f"{made.name}.__init_subclass__() takes no keyword arguments"
        raise RefusedError(("TypeError", said), "type", said)
