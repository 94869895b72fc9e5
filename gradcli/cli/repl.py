"""`gradcli repl`: an interactive session, in which the program grows line by line."""

from __future__ import annotations

import sys
from contextlib import suppress

from gradcli import __version__
from gradcli.cli import options as flag
from gradcli.cli import streams
from gradcli.cli.bundles import expanded
from gradcli.cli.conversation import Conversation, say
from gradcli.diagnostics import Advice, Diagnostic, GradcliError

EXAMPLES = """\b
Examples:
  gradcli repl
  gradcli repl --set x="[[1,2],[3,4]]"
"""


def _command(
    bounds: flag.Bounds,
    set_: flag.Inputs = None,
    dtype: flag.Dtype = "float64",
    seed: flag.Seed = None,
    strict: flag.Strict = False,
    precision: flag.Precision = 6,
    color: flag.Color = "auto",
) -> int:
    """Work interactively: each statement shows its value and its gradients."""
    from secrets import randbits

    from gradcli.cli.child import stay
    from gradcli.cli.deadline import enter_box
    from gradcli.session import Options

    options = Options(
        precision=dtype,
        strict=strict,
        seed=randbits(32) if seed is None else seed,  # so that random numbers stay the same
        limits=bounds.limits(),
    )
    conversation = Conversation(
        options, precision, streams.use_colour(color), bounds.seconds(), bounds.safe
    )
    for text in set_ or ():
        conversation.bind(text)
    if bounds.safe:
        stay()
        enter_box(options.limits.memory_bytes(), None)
    if streams.input_is_piped():
        return _converse(conversation)
    from gradcli.cli.completing import editing

    with editing(conversation.complete, remembers=not bounds.safe):
        return _converse(conversation)


command = expanded(_command)


def _converse(conversation: Conversation) -> int:
    """Answer line by line to the end of the input; errors change nothing.

    In a pipe, the exit code is that of the first error; at a terminal, where the user has seen
    them, it is 0.
    """
    code = 0
    longest = conversation.options.limits.parse.source_bytes
    typed = not streams.input_is_piped()
    if typed:
        say(f"gradcli {__version__}: a line is a statement; :help says more\n")
    while True:
        try:
            text = _read(longest, typed=typed)
            if text is None or text.strip() in (":quit", ":q", ":exit"):
                return code
            failed = _answer(conversation, text.strip())
            code = code or (0 if typed else failed)
        except KeyboardInterrupt:
            if not typed:
                raise
            say("\n")


def _answer(conversation: Conversation, text: str) -> int:
    """Answer a line; the exit code of its error, or 0."""
    from gradcli.cli.exit import exit_code
    from gradcli.report.error import render

    try:
        conversation.answer(text)
    except GradcliError as error:
        told = _of_session(error.diagnostic)
        streams.write_error(render(told, streams.error_width()) + "\n")
        return exit_code(error.diagnostic.code)
    return 0


def _of_session(diagnostic: Diagnostic) -> Diagnostic:
    """The error with a hint that names commands of a session in place of flags."""
    hint = diagnostic.hint
    return diagnostic._replace(hint=hint.for_sessions() if isinstance(hint, Advice) else hint)


def _read(longest: int, *, typed: bool) -> str | None:
    """A statement: lines are joined until all brackets are closed, and behind the `:` of a block up
    to an empty line. None at the end of the input.

    Raises `limit-tokens` for a statement of more than `longest` characters. This ends the session,
    as the rest of the input does not begin with a new line.
    """
    from gradcli.language.unfinished import begins_block, open_behind

    lines: list[str] = []
    length = depth = 0
    in_block = False
    while depth > 0 or in_block or not lines:
        line = _line(". " if lines else "> ", longest - length + 1, typed=typed)
        if not line:
            break
        lines.append(line)
        length += len(line)
        depth = open_behind(line, depth)
        in_block = bool(line.strip()) and (in_block or (not depth and begins_block(line)))
        if length > longest:
            raise GradcliError("limit-tokens", f"a statement is longer than {longest:,} characters")
    return "".join(lines) if lines else None


def _line(prompt: str, longest: int, *, typed: bool) -> str:
    """A line with its end, or as much of it as may be read; nothing at the end of the input."""
    if not typed:
        return sys.stdin.readline(longest)
    with suppress(EOFError):
        return input(prompt) + "\n"
    return ""
