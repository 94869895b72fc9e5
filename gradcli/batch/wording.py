"""Errors speak of the command line's flags; here they are told of the keys of a record instead."""

from __future__ import annotations

import re

from gradcli.diagnostics import Diagnostic, Source

_HINTS = (
    (r"add --gradient '([1,]+)'", r'add "gradient": [\1]'),
    (r"add --gradient 'ones(\([\d, ]*\))' \(v of ones\)", r'add "gradient": ones in lists, \1'),
    (r"--gradient (\w+)=…", r'"gradient": {"\1": …}'),
    (r"--set (\w+)=…", r'"set": {"\1": …}'),
    (r"--output (\w+)", r'"output": "\1"'),
)
"""What hints say of flags, and how a record says it."""


def of_record(diagnostic: Diagnostic) -> Diagnostic:
    """The same with `gradient` for `--gradient`, and hints that a record can follow."""
    message, hint, source = diagnostic.message, diagnostic.hint, diagnostic.source
    for flags, keys in _HINTS:
        hint = hint and re.sub(flags, keys, hint)
    return diagnostic._replace(
        message=message.removeprefix("--"),
        hint=hint,
        source=source and Source(source.name.removeprefix("--"), source.text),
    )
