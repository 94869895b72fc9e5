"""One item to one line of JSON, whatever is wrong with it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from gradcli.batch.form import renderer
from gradcli.batch.items import Item, Kind, Verdict
from gradcli.batch.record import ToArray, bind, identify, parse
from gradcli.data.text import decode
from gradcli.diagnostics import Diagnostic, GradcliError
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

    def answer(self, item: Item) -> Answer:
        """The answer to one item; every error is one, too."""
        ident = "null"
        try:
            if item.kind is Kind.LINE:
                if item.data.lstrip().startswith(b"{"):
                    document, to_array = parse(item.data)
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
            return Answer(True, f'{{"id": {ident}, "line": {item.line}, "ok": true, {members}}}')
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


def derived_seed(seed: int, index: int) -> int:
    """The seed of a record that has none: it depends on the run's and on the record's place."""
    return int.from_bytes(blake2b(f"{seed} {index}".encode(), digest_size=4).digest())


def died() -> GradcliError:
    """What there is to say of a record that ends workers."""
    return GradcliError(
        "internal",
        "the process that ran this record ended without an answer, twice",
        hint="the machine may have run out of memory: --max-memory sets a limit",
    )


def failure(ident: str, line: int, diagnostic: Diagnostic) -> Answer:
    """The answer that an error is."""
    error = render_error(diagnostic).removeprefix("{").removesuffix("}")
    return Answer(False, f'{{"id": {ident}, "line": {line}, "ok": false, {error}}}')
