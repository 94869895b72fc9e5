"""One item to one line of JSON, also where the item is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

from gradcli.batch.alike import Member, glances, groups, stack, strict
from gradcli.batch.form import Form, renderer
from gradcli.batch.items import FAILED, OK, Item, Kind, Verdict
from gradcli.batch.record import (
    Document,
    ToArray,
    array_without_strings,
    bind,
    identify,
    parse,
    read_any,
    read_none,
)
from gradcli.batch.stack import LEAST
from gradcli.batch.wording import of_record
from gradcli.data.text import decode
from gradcli.diagnostics import Diagnostic, GradcliError, lacks_memory
from gradcli.plans import Plans, Request
from gradcli.report.json import render_error, string
from gradcli.session import Options


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for all records of a run."""

    options: Options
    program: str | None = None
    """The program of records that have none."""
    seed: int = 0
    allow_files: bool = False
    written: tuple[str, ...] = ()
    """Files that the run writes, which no record may read."""
    timeout: float | None = None
    """The most seconds that one record may take."""
    safe: bool = False
    """Workers run in the sandbox of `gradcli.box`."""


Answer: TypeAlias = str
"""Whether it is a result (OK or FAILED), then a line of JSON without its line break."""


class Answerer:
    """Answers items one after another, and remembers their programs."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._plans = Plans(settings.options, renderer)
        options = settings.options
        self._read = read_any(options, settings.written) if settings.allow_files else read_none

    def answers(self, items: Sequence[Item]) -> Iterator[list[Answer]]:
        """The answers to items in their order, as soon as they are known."""
        answers: list[Answer | None] = [None] * len(items)
        documents = glances(items)
        turns = {  # the first of a kind may have to run alone, to make a plan
            place: members[first:]
            for members in groups(items, documents, self._settings.program)
            if len(members) >= LEAST
            for first, (place, _, _) in enumerate(members[:2])
        }
        known: list[Answer] = []
        for place, item in enumerate(items):
            if place in turns and answers[place] is None:
                for (other, _, _), found in self._together(turns[place]):
                    answers[other] = found
            answer = answers[place]
            if answer is not None:
                known.append(answer)
                continue
            if known:
                yield known
                known = []
            yield [self.answer(item, documents[place])]
        if known:
            yield known

    def _together(self, members: Sequence[Member]) -> Iterable[tuple[Member, Answer]]:
        """The answers to records that are alike; none where they must be answered one by one."""
        try:
            request = self._bind(members[0][2], array_without_strings)
        except GradcliError:
            return []
        found = self._plans.unconditional(request)
        if found is None:
            return []
        form, feeds = found
        if not isinstance(form, Form) or not form.stack:
            return []
        members, columns = stack(strict(members), request.inputs.values())
        if not members:
            return []
        idents = [identify(document) for _, _, document in members]
        lines = [item.line for _, item, _ in members]
        pattern = _success("%s", "%d", form.pattern)
        texts = zip(idents, lines, *form.together(feeds, columns), strict=False)
        return zip(members, map(pattern.__mod__, texts), strict=True)

    def answer(self, item: Item, glanced: Document | None = None) -> Answer:
        """The answer to one item, errors included; `glanced` is its JSON if it was read before."""
        ident = "null"
        try:
            if item.kind is Kind.LINE:
                if item.data.lstrip().startswith(b"{"):
                    document, to_array = parse(item.data, glanced)
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
        except Exception as error:  # noqa: BLE001 - a bug affects only the record that shows it
            diagnostic = _unforeseen(error)
        return failure(ident, item.line, diagnostic)

    def _bind(self, document: Document, to_array: ToArray) -> Request:
        settings = self._settings
        return bind(document, to_array, settings.options, settings.program, self._read)

    def _require_innocent(self, item: Item) -> None:
        """Raise the error that the supervisor has found in an item, if it has found one."""
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
        """The part of the answer that comes from running the record."""

        def seed() -> int:
            return derived_seed(self._settings.seed, index) if record.seed is None else record.seed

        return self._plans.run(record, seed)


def _unforeseen(error: Exception) -> Diagnostic:
    if lacks_memory(error):
        return Diagnostic("limit-memory", "the machine has not enough memory for this")
    return Diagnostic(
        "internal",
        f"this is a bug of gradcli: {type(error).__name__}: {error}",
        hint="please report it with the record",
    )


def derived_seed(seed: int, index: int) -> int:
    """The seed of a record that has none, made from the run's seed and the record's index."""
    return crc32(f"{seed} {index}".encode())


def died() -> GradcliError:
    """The error of a record that ends workers."""
    return GradcliError(
        "internal",
        "the process that ran this record ended without an answer, twice",
        hint="the machine may have run out of memory: --max-memory sets a limit",
    )


def _success(ident: str, line: int | str, members: str) -> Answer:
    return f'{OK}{{"id": {ident}, "line": {line}, "ok": true, {members}}}'


def failure(ident: str, line: int, diagnostic: Diagnostic) -> Answer:
    """The answer for an error."""
    error = render_error(of_record(diagnostic)).removeprefix("{").removesuffix("}")
    return f'{FAILED}{{"id": {ident}, "line": {line}, "ok": false, {error}}}'
