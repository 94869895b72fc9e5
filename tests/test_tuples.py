"""`gradcli.tuples` against `typing.NamedTuple`, which it stands for."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from gradcli import tuples


class Ours(tuples.NamedTuple):
    """One."""

    first: int
    second: str = "b"

    def twice(self) -> int:
        return 2 * self.first


class Theirs(typing.NamedTuple):
    """One."""

    first: int
    second: str = "b"

    def twice(self) -> int:
        return 2 * self.first


class Narrower(Ours):
    """Made before any tuple of the class above may be."""


def seen(made: Any) -> list[object]:
    """What one can see of a tuple of one of these classes."""
    match made(3, "x"):
        case made(first, second):
            matched = first, second
    return [
        tuple(made(1)), repr(made(1)).partition("(")[2], made(1).first, made(first=2).second,
        made(5).twice(), made(1)._replace(first=7), made(1)._asdict(), made._make([1, 2]),
        made._fields, made._field_defaults, made.__doc__, made(1) == made(1, "b"), hash(made(1)),
        matched, made.__name__, made.__module__, made.__match_args__, copy.copy(made(4)),
    ]  # fmt: skip


def test_a_tuple_is_what_typing_makes() -> None:
    assert seen(Ours)[:14] == seen(Theirs)[:14]
    assert seen(Ours)[15:] == seen(Theirs)[15:]


def test_a_class_made_of_another_has_its_own_tuples() -> None:
    made = Narrower(1)
    assert type(made) is Narrower
    assert type(Ours(1)) is Ours
    assert repr(made) == "Narrower(first=1, second='b')"


def test_a_tuple_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(Ours(1, "z")))
    assert type(sent) is Ours
    assert sent == (1, "z")


def test_a_tuple_is_never_changed_and_never_lacks_a_value() -> None:
    with pytest.raises(AttributeError):
        Ours(1).first = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Ours(1).third = 2  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="first"):
        Ours()  # type: ignore[call-arg]
