"""One item to one line of JSON, whatever is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from zlib import crc32

from gradcli.batch.alike import Member, groups, stack_inputs
from gradcli.batch.form import Form, renderer
from gradcli.batch.items import Item, Kind, Verdict
from gradcli.batch.record import Parsed, ToArray, array_without_strings, bind, identify, parse
from gradcli.batch.stack import COUNT
from gradcli.data.text import decode
from gradcli.diagnostics import Diagnostic, GradcliError
from gradcli.plans import Plans, Request
from gradcli.report.json import render_error, string
from gradcli.session import Options

SHORT = 2**12
"""Bytes of a line that is looked at before its turn comes."""
MANY = 16
"""Records that are alike, from which on they are worth a stack."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for all records of a run."""

    options: Options
    program: str | None = None
    """The program of records that have none."""
    seed: int = 0
    allow_files: bool = False
    timeout: float | None = None
    """Seconds that one record may take."""


class Answer(NamedTuple):
    """A line of JSON without its line break, and whether it is a result."""

    ok: bool
    text: str


class Answerer:
    """Answers items one after another, and remembers their programs."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._plans = Plans(settings.options, renderer)

    def answers(self, items: Sequence[Item]) -> Iterator[list[Answer]]:
        """The answers to items in their order, as soon as they are known."""
        parsed = [*map(_parsed, items)]
        stacked = self._stacked(items, parsed)
        known: list[Answer] = []
        for item, document in zip(items, parsed, strict=True):
            answer = stacked.get(item.index)
            if answer is not None:
                known.append(answer)
                continue
            if known:
                yield known
                known = []
            yield [self.answer(item, document)]
        if known:
            yield known

    def _stacked(self, items: Sequence[Item], parsed: Sequence[Parsed | None]) -> dict[int, Answer]:
        """Answers, by the index of the item, of records that are alike and of a kept program."""
        answers = {}
        for members in groups(items, parsed, self._settings.program):
            if len(members) >= MANY:
                for start in range(0, len(members), COUNT):
                    part = members[start : start + COUNT]
                    for (item, document), text in zip(part, self._together(part), strict=False):
                        answers[item.index] = _success(identify(document), item.line, text)
        return answers

    def _together(self, members: Sequence[Member]) -> list[str]:
        """What `_run` gives for each, or nothing where that takes one by one."""
        try:
            request = self._bind(members[0][1], array_without_strings)
        except GradcliError:
            return []
        found = self._plans.unconditional(request)
        if found is None:
            return []
        form, feeds = found
        if not isinstance(form, Form) or not form.stack:
            return []
        columns = stack_inputs(members, request.inputs.values())
        return [] if columns is None else form.together(feeds, columns)

    def answer(self, item: Item, parsed: Parsed | None = None) -> Answer:
        """The answer to one item, of which the JSON may be parsed; every error is one, too."""
        ident = "null"
        try:
            if item.kind is Kind.LINE:
                if item.data.lstrip().startswith(b"{"):
                    document, to_array = parsed or parse(item.data)
                    ident = identify(document)
                    record = self._bind(document, to_array)
                else:
                    record = Request(decode(item.data, "program"))
            else:
                name, _, text = item.data.partition(b"\0")
                ident = string(os.fsdecode(name)) if name else "null"
                record = Request(decode(text, "program"))
            self._require_innocent(item)
            members = self._run(item.index, record)
            return _success(ident, item.line, members)
        except GradcliError as error:
            return failure(ident, item.line, error.diagnostic)
        except MemoryError:
            diagnostic = Diagnostic("limit-memory", "the machine has not enough memory for this")
        except Exception as error:  # noqa: BLE001 - a bug costs the one record that shows it
            diagnostic = Diagnostic(
                "internal",
                f"this is a bug of gradcli: {type(error).__name__}: {error}",
                hint="please report it with the record",
            )
        return failure(ident, item.line, diagnostic)

    def _bind(self, document: dict[str, Any], to_array: ToArray) -> Request:
        settings = self._settings
        return bind(
            document,
            to_array,
            settings.options,
            settings.program,
            allow_files=settings.allow_files,
        )

    def _require_innocent(self, item: Item) -> None:
        """Raise what the supervisor found out about an item, if that is the end of it."""
        limit = self._settings.options.limits.parse.source_bytes
        if item.kind is Kind.TOO_LONG:
            raise GradcliError(
                "limit-tokens",
                f"the record is longer than the limit of {limit:,} bytes",
                hint='large arrays are read from files: "@data.npy", with --allow-files',
            )
        if item.verdict is Verdict.HUNG:
            raise GradcliError(
                "limit-time",
                f"the record took longer than {self._settings.timeout:g} s",
                hint="raise it with --timeout",
            )
        if item.verdict is Verdict.DIED:
            raise died()

    def _run(self, index: int, record: Request) -> str:
        """The members of the answer that come from running the record."""

        def seed() -> int:
            return derived_seed(self._settings.seed, index) if record.seed is None else record.seed

        return self._plans.run(record, seed)


def _parsed(item: Item) -> Parsed | None:
    """The JSON of a short line; None for all else, which has its turn later."""
    if item.kind is Kind.LINE and len(item.data) <= SHORT and item.data.startswith(b"{"):
        try:
            return parse(item.data)
        except GradcliError:
            pass
    return None


def derived_seed(seed: int, index: int) -> int:
    """The seed of a record that has none: it depends on the run's and on the record's place."""
    return crc32(f"{seed} {index}".encode())


def died() -> GradcliError:
    """What there is to say of a record that ends workers."""
    return GradcliError(
        "internal",
        "the process that ran this record ended without an answer, twice",
        hint="the machine may have run out of memory: --max-memory sets a limit",
    )


def _success(ident: str, line: int, members: str) -> Answer:
    return Answer(True, f'{{"id": {ident}, "line": {line}, "ok": true, {members}}}')


def failure(ident: str, line: int, diagnostic: Diagnostic) -> Answer:
    """The answer that an error is."""
    error = render_error(diagnostic).removeprefix("{").removesuffix("}")
    return Answer(False, f'{{"id": {ident}, "line": {line}, "ok": false, {error}}}')
