"""Lists that have no name of their own: `history['loss']`, `self.losses`. A loop that makes them
longer may be one node, as if they had one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from gradcli.trace.items import Items
from gradcli.trace.objects import Object

OWNERS, PLACES = 100, 100
"""So many dictionaries and objects are looked into, which hold at most so much each."""


class HeldLists:
    """The lists that stand in dictionaries and objects among the values of names, and in those that
    these hold, by how a program writes them. Those that have a name, too, are left out.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.lists: dict[str, Items] = {}
        self._places: dict[str, tuple[Object, Any]] = {}
        seen = {id(each) for each in values.values()}
        owners = [(name, each) for name, each in values.items() if isinstance(each, Object)]
        for written, owner in islice(owners, OWNERS):  # which grow by what they hold
            places = owner.places()
            for place, (behind, value) in places.items() if len(places) <= PLACES else ():
                if id(value) in seen:
                    continue
                seen.add(id(value))
                if type(value) is Items:
                    self.lists[written + behind] = value
                    self._places[written + behind] = owner, place
                elif isinstance(value, Object):
                    owners.append((written + behind, value))

    def put(self, written: str, items: Items) -> None:
        """Have another list there."""
        owner, place = self._places[written]
        owner.put_at(place, items)

    def now(self) -> dict[str, Any]:
        """What is there now."""
        return {
            written: owner.places()[place].value for written, (owner, place) in self._places.items()
        }

    def restore(self) -> None:
        """Put all lists back."""
        for written, items in self.lists.items():
            self.put(written, items)
