"""Where every error ends: a message for the user and an exit code."""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import NoReturn

import typer

from gradcli import __version__
from gradcli.cli import app, streams, watch
from gradcli.cli.child import End
from gradcli.data.text import decode
from gradcli.diagnostics import (
    Code,
    Diagnostic,
    GradcliError,
    Source,
    lacks_memory,
    nearest,
)

DONE, FINDING, USAGE, WRONG, LIMIT, BUG = 0, 1, 2, 3, 4, 70
ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)
"""Signals after which a run removes what it has begun to write."""

LEAST_ADDRESSES = 160 * 2**20
"""Bytes of address space that Python, NumPy and BLAS take before there is a program."""

DASH_HINT = "a program that begins with '-' goes behind '--': gradcli eval -- '-x**2'"
_NAMED_FLAG = r"(?:no such option: |option |invalid value for )?'?(--?[a-z][a-z-]*)"
_DASHED_PROGRAM = r"-(?!f/)\w+\s*[(*%+/]"


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; no error leaves this function."""
    streams.prepare()
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup does
            signal.signal(number, _terminate)
    try:
        with streams.guarded():  # typer prints help by itself
            try:
                _require_address_space()
                code = app.invoke([_as_text(argument) for argument in arguments])
            except typer.Exit as stop:
                code = stop.exit_code
            streams.flush()
        return code
    except KeyboardInterrupt:
        return watch.ENDING[signal.SIGINT]
    except BrokenPipeError:
        return DONE
    except Exception as error:  # noqa: BLE001 - the one place that turns all of them into codes
        diagnostic = _diagnose(error, arguments)
        if diagnostic.code in ("usage", "file") and _has_program_for_a_flag(arguments):
            diagnostic = diagnostic._replace(hint=DASH_HINT)
        # Part of an answer with an error behind it would not be JSON.
        written = diagnostic.code == "limit-time" and streams.is_begun()
        return _report(diagnostic, as_json=asks_for_json(arguments) and not written)


REFUSED_MEMORY = (-signal.SIGSEGV, -signal.SIGABRT)
"""How libraries end that go on after they were refused memory."""


def report_end(end: End, arguments: Sequence[str]) -> int:
    """Say why the process that did the work ended without an exit code of gradcli: its code is that
    of a library, or a negated signal.
    """
    if end.seconds is not None:
        from gradcli.cli.deadline import expired

        diagnostic = expired(end.seconds).diagnostic
    elif end.code == -signal.SIGBUS:
        diagnostic = Diagnostic(
            "file",
            "a file was cut short while it was read: another program has changed it",
            hint="try again when that has finished, or give a copy",
        )
    elif end.code in watch.ENDING.values():  # the thread that watches it has ended it
        return end.code
    elif end.code < 0 and not (end.code in REFUSED_MEMORY and _limits_addresses(arguments)):
        return 128 - end.code
    else:
        diagnostic = Diagnostic(
            "limit-memory",
            "a library was refused memory and has ended the run",
            hint="raise the limit of the address space: ulimit -v",
        )
    return _report(diagnostic, as_json=asks_for_json(arguments) and not end.wrote)


def _limits_addresses(arguments: Sequence[str]) -> bool:
    return resource.getrlimit(resource.RLIMIT_AS)[0] >= 0 or "--safe" in _flags(arguments)


def exit_code(code: Code) -> int:
    """The exit code for an error."""
    if code == "assertion":
        return FINDING
    if code == "usage":
        return USAGE
    if code == "internal":
        return BUG
    return LIMIT if code.startswith("limit-") else WRONG


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON; it may have errors, so it is not parsed."""
    flags = _flags(arguments)
    pairs = pairwise(flags)
    return "--json" in flags or "--format=json" in flags or ("--format", "json") in pairs


def _require_address_space() -> None:
    """Raise `limit-memory` where libraries could not even be loaded; BLAS ends the process then."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if 0 <= limit < LEAST_ADDRESSES:
        raise GradcliError(
            "limit-memory",
            f"the address space is limited to {limit >> 20} MiB, which is too little to start",
            hint=f"ulimit -v {LEAST_ADDRESSES >> 10}, or more",
        )


def _flags(arguments: Sequence[str]) -> list[str]:
    """What stands before `--`."""
    return list(arguments[: arguments.index("--")] if "--" in arguments else arguments)


def _has_program_for_a_flag(arguments: Sequence[str]) -> bool:
    """Whether something like `-w*x` or `-sum(x)` was taken for `-w` or `-s` and its value."""
    return any(
        re.match(_DASHED_PROGRAM, argument) and not before.startswith("-")
        for before, argument in pairwise(_flags(arguments))
    )


def _diagnose(error: Exception, arguments: Sequence[str]) -> Diagnostic:
    """An exception as an error for the user."""
    if isinstance(error, GradcliError):
        return error.diagnostic
    if isinstance(error, typer.TyperException):
        return _usage(error, arguments)
    if lacks_memory(error):
        return Diagnostic(
            "limit-memory",
            "the machine has not enough memory for this",
            hint="use smaller inputs, or --values none",
        )
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
    return Diagnostic(
        "internal",
        f"this is a bug of gradcli: {type(error).__name__}: {error}",
        hint=f"please report it with the command line, gradcli {__version__} and {place}",
    )


def _usage(error: typer.TyperException, arguments: Sequence[str]) -> Diagnostic:
    """An error of typer about the command line as one of gradcli."""
    unknown: str | None = getattr(error, "option_name", None)
    near = nearest(unknown or "", getattr(error, "possibilities", None) or ())
    message = error.message if unknown else error.format_message()
    message = message[:1].lower() + message[1:].rstrip(".")
    if near:
        hint = f"did you mean {near}?"
    elif re.match("no such option: -(-.*[^a-z-]|[^-])", message):
        hint = DASH_HINT
    elif "extra argument" in message:
        hint = "put the program in quotes: gradcli eval 'y = x**2' --set x=3"
    else:
        command = [name for name in arguments[:1] if name in app.COMMANDS]
        hint = f"{' '.join(['gradcli', *command])} --help lists the flags"
    return Diagnostic("usage", message, hint=hint)


def _report(diagnostic: Diagnostic, *, as_json: bool) -> int:
    """Print an error: as JSON to standard output, as text to standard error."""
    try:
        if as_json:
            from gradcli.report import json

            diagnostic = _with_source(diagnostic)
            with streams.output() as stream:
                stream.write(json.render_error(diagnostic) + "\n")
        else:
            _write_error(diagnostic)
    except BrokenPipeError:
        pass
    except GradcliError:  # standard output itself has failed
        _write_error(diagnostic)
    return exit_code(diagnostic.code)


def _write_error(diagnostic: Diagnostic) -> None:
    from gradcli.report import error, paint

    text = error.render(diagnostic, streams.error_width())
    streams.write_error((paint.error(text) if streams.colours_errors() else text) + "\n")


def _with_source(diagnostic: Diagnostic) -> Diagnostic:
    """The place of an error in the command line: the flag that its message begins with."""
    if diagnostic.code != "usage" or diagnostic.source is not None:
        return diagnostic
    flag = re.match(_NAMED_FLAG, diagnostic.message)
    return diagnostic._replace(source=Source(flag[1] if flag else "command line", ""))


def _as_text(argument: str) -> str:
    """An argument as UTF-8, even where the locale made lone surrogates of it."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return decode(os.fsencode(argument), "command line")
    return argument


def _terminate(number: int, _: object) -> NoReturn:
    watch.met()
    sys.exit(128 + number)
