"""What an import names that gradcli does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from gradcli.diagnostics import GradcliError
from gradcli.trace.objects import Given, Object


class Absent(Object):
    """A module, or a member of one: the line that uses it fails, not the one that imports it."""

    def __init__(self, refused: GradcliError) -> None:
        self._refused = refused.diagnostic

    def _fail(self, *_: Any) -> NoReturn:
        raise GradcliError(self._refused.code, self._refused.message, hint=self._refused.hint)

    @property
    def what(self) -> str:  # type: ignore[override]
        """What asks is about to refuse it, and knows less of why."""
        self._fail()

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        self._fail()

    def attribute(self, name: str) -> Any:
        self._fail()

    def method(self, name: str) -> Any:
        self._fail()

    def set(self, name: str, value: Any) -> None:
        self._fail()

    def elements(self) -> Any:
        self._fail()

    def item(self, items: Sequence[Any]) -> Any:
        self._fail()

    def contains(self, value: Any) -> bool:
        self._fail()

    def shown(self) -> str:
        self._fail()
