"""`datetime`, `pathlib` and what `time` makes text of: dates and names, without clock and files."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.held_values import HeldValue, PosixPath, computed, held, plain_of
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_BEGIN = datetime(2026, 1, 1)
"""The date that each run begins at, so that it can be repeated."""


class Dates:
    """The functions by name."""

    def __init__(self, values: Values, clock: Special) -> None:
        """`clock` gives the seconds since the run began."""
        self.values = values
        self._clock = clock
        now = ("now", "utcnow", "today")
        self.functions: dict[str, Special] = {
            "datetime.datetime": partial(self._made, datetime),
            "datetime.date": partial(self._made, date),
            "datetime.timedelta": partial(self._made, timedelta),
            **{f"datetime.datetime.{name}": self._now for name in now},
            "datetime.date.today": self._today,
            "datetime.datetime.strptime": partial(self._made, datetime.strptime),
            **{f"datetime.{kind.__name__}.fromisoformat": partial(self._made, kind.fromisoformat)
               for kind in (datetime, date)},
            "datetime.datetime.fromtimestamp": self._from_seconds,
            **dict.fromkeys(("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"),
                            partial(self._made, PosixPath)),
            "time.strftime": self._written,
            **dict.fromkeys(("time.gmtime", "time.localtime"), self._from_seconds),
            **dict.fromkeys(("time.ctime", "time.asctime"), self._usual),
        }  # fmt: skip

    def _made(self, kind: Callable[..., Any], arguments: list[Value], keywords: Given) -> Value:
        given = [plain_of(self.values, each) for each in arguments]
        named = {name: plain_of(self.values, each) for name, each in keywords.items()}
        return held(self.values, computed(kind, *given, **named))

    def _moment(self) -> datetime:
        seconds = self.values.number(self._clock([], {}), "a time")
        return _BEGIN + timedelta(seconds=seconds)

    def _now(self, arguments: list[Value], keywords: Given) -> Value:
        return HeldValue(self.values, self._moment())

    def _today(self, arguments: list[Value], keywords: Given) -> Value:
        return HeldValue(self.values, self._moment().date())

    def _from_seconds(self, arguments: list[Value], keywords: Given) -> Value:
        """The date of so many seconds after 1970, in UTC; without them now."""
        given = bind_names("gmtime", ("secs",), arguments, keywords, ("secs",))
        return HeldValue(self.values, self._date_of(given.get("secs")))

    def _date_of(self, seconds: Value) -> datetime:
        if isinstance(seconds, HeldValue) and isinstance(seconds.value, datetime):
            return seconds.value
        if seconds is None:
            return self._moment()
        number = self.values.number(seconds, "seconds")
        found: datetime = computed(datetime.fromtimestamp, number, UTC)
        return found.replace(tzinfo=None)

    def _written(self, arguments: list[Value], keywords: Given) -> Value:
        """`time.strftime('%H:%M:%S', time.gmtime(s))`."""
        given = bind_names("strftime", ("format", "t"), arguments, keywords, ("t",))
        if not isinstance(given["format"], str):
            raise GradcliError("type", "strftime takes a format", hint="'%H:%M:%S'")
        return held(self.values, computed(self._date_of(given.get("t")).strftime, given["format"]))

    def _usual(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("ctime", ("secs",), arguments, keywords, ("secs",))
        return time.asctime(self._date_of(given.get("secs")).timetuple())
