"""Tuples with named fields, which cost little until the first of them is made.

`typing.NamedTuple` compiles each annotation and a constructor for each class, 0.2 ms in all, and
every start defines some forty classes of which a small program uses a few.
"""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False  # importing it takes time
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    # What reads a field of a named tuple: a property would take three times as long.
    _Getter = type(namedtuple("_Model", ("field",)).field)

    class _Fields(tuple):
        """What such tuples have in common; `typing.NamedTuple` tells what the methods do."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, **changes):
            return type(self)(**self._asdict() | changes)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{type(self).__name__}({fields})"

    class _Named(type):
        """Makes a class of the fields, defaults and methods in its body."""

        def __new__(cls, name, _, body):
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            places = {field: _Getter(i, "") for i, field in enumerate(fields)}

            def first(of, *values, **named):
                """Make the first tuple, and a constructor for the others."""
                model = namedtuple(name, fields, defaults=defaults.values())
                made.__new__ = model.__new__
                return made.__new__(of, *values, **named)

            own = {"__slots__": (), "__new__": first, "__match_args__": fields,
                   "_fields": fields, "_field_defaults": defaults}  # fmt: skip
            made = type(name, (_Fields,), places | own | body)
            return made

    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})
