"""Standard streams, also where they are closed or full, or where the reader has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from gradcli.cli import child
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError

_begun = False
"""Whether an answer is being written: there is one standard output."""

DEFAULT_WIDTH = 100
"""Columns of text that goes to a file or a pipe."""

CLEAR = "\r\x1b[K"
"""Clears the line at a terminal."""


def prepare() -> None:
    """Make the streams safe to use; called once, before anything else is opened."""
    global _begun  # noqa: PLW0603
    _begun = False
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # Otherwise the next file that is opened gets this number, and all that is printed.
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")  # rather \xe9 than an error


@contextmanager
def output() -> Iterator[TextIO]:
    """Standard output, flushed at the end of the block; raises what `guarded` does."""
    global _begun  # noqa: PLW0603
    if sys.stdout is None:
        raise GradcliError("file", "standard output is closed")
    _begun = True
    child.tell_of_writing()
    with guarded():
        yield sys.stdout
        flush()


def write(stream: TextIO, piece: str | bytes) -> None:
    """Write a part of an answer. Raises `usage` for a file that is no text at a terminal."""
    if isinstance(piece, str):
        stream.write(piece)
    elif stream.isatty():
        raise GradcliError("usage", "this is no text: send it to a file", hint="… > FILE")
    else:
        stream.flush()
        stream.buffer.write(piece)


def is_begun() -> bool:
    """Whether a part of an answer may have been written."""
    return _begun


def flush() -> None:
    """Flush what was printed: the process ends without doing so."""
    if sys.stdout is not None:
        sys.stdout.flush()


@contextmanager
def guarded() -> Iterator[None]:
    """Stop using standard output when writing to it fails.

    Raises BrokenPipeError when the reader has gone, `file` for every other failure.
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise  # not about a stream
        sys.stdout = None  # as if it were closed: the flush at exit would fail again, noisily
        if isinstance(error, BrokenPipeError):
            raise
        raise GradcliError("file", f"cannot write to standard output: {reason(error)}") from None


def write_error(text: str) -> None:
    """Write to standard error; a failure cannot be reported anywhere."""
    if sys.stderr is not None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            sys.stderr = None


def input_is_piped() -> bool:
    """Whether standard input is open and is not a terminal."""
    return sys.stdin is not None and not sys.stdin.isatty()


def errors_are_seen() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def speaks_unicode() -> bool:
    """Whether standard output can show every character."""
    encoding = getattr(sys.stdout, "encoding", None) or ""  # None where text is only collected
    return encoding.lower().startswith("utf")


def use_colour(choice: str) -> bool:
    """Whether text on standard output has colour: `always`, `never`, or as the terminal can.

    `NO_COLOR` and `FORCE_COLOR` are ignored where they are empty; a flag overrides them.
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _shows_colour(sys.stdout)


def colours_errors() -> bool:
    """Whether errors have colour; no flag says so, as an error may be about the flags."""
    return not os.environ.get("NO_COLOR") and _shows_colour(sys.stderr)


def _shows_colour(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """Columns to lay text out for: the terminal's, or `COLUMNS`, or a fixed width in a pipe."""
    from shutil import get_terminal_size

    if not is_terminal():
        return DEFAULT_WIDTH
    return get_terminal_size((DEFAULT_WIDTH, 24)).columns


def error_width() -> int | None:
    """Columns of the terminal that shows errors; None where there is none."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or None
    except (OSError, ValueError):
        return None
