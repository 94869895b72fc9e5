"""Errors name flags of the command line; here they name the keys of a record instead."""

from __future__ import annotations

from gradcli.diagnostics import Advice, Diagnostic, Source


def of_record(diagnostic: Diagnostic) -> Diagnostic:
    """The error with `gradient` for `--gradient`, and with hints that fit a record."""
    hint, source = diagnostic.hint, diagnostic.source
    return diagnostic._replace(
        message=diagnostic.message.removeprefix("--"),
        hint=hint.for_records() if isinstance(hint, Advice) else hint,
        source=source and Source(source.name.removeprefix("--"), source.text),
    )
