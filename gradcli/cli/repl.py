"""`gradcli repl`: an interactive session, in which the program grows line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gradcli import __version__
from gradcli.cli import options as flag
from gradcli.cli import streams
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.graph import Array
    from gradcli.result import Result
    from gradcli.session import Gradient, Options

EXAMPLES = """\b
Examples:
  gradcli repl
  gradcli repl --set x="[[1,2],[3,4]]"
"""

HELP = """\
A line is a statement of the language. Its value is shown, and its gradient if it has one.
  :set x=1,2        bind an input, as --set does; outputs are differentiated by inputs
  :gradient 1,0     the gradient v of outputs with several elements; alone: forget it
  :tree             the graph of the last statement
  :list             the statements so far
  :undo             forget the last statement
  :quit             leave; so does Ctrl-D
"""
OPEN, CLOSE = "([{", ")]}"


def command(
    set_: flag.Inputs = None,
    dtype: flag.Dtype = "float64",
    seed: flag.Seed = None,
    precision: flag.Precision = 6,
    color: flag.Color = "auto",
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> int:
    """Try things out: each statement shows its value and its gradients."""
    from secrets import randbits

    from gradcli.cli.deadline import seconds_allowed
    from gradcli.cli.request import limits
    from gradcli.session import Options

    options = Options(
        precision=dtype,
        seed=randbits(32) if seed is None else seed,  # random numbers stay as they were
        limits=limits(max_memory, max_steps, safe=safe),
    )
    conversation = _Conversation(
        options, precision, streams.use_colour(color), seconds_allowed(timeout, safe=safe), safe
    )
    for text in set_ or ():
        conversation.bind(text)
    return _converse(conversation)


def _converse(conversation: _Conversation) -> int:
    """Answer line by line to the end of the input; errors change nothing.

    The exit code is that of the first error in a pipe; at a terminal they have been seen.
    """
    code = 0
    longest = conversation.options.limits.parse.source_bytes
    typed = not streams.input_is_piped()
    if typed:
        with suppress(ImportError):
            import readline  # noqa: F401 - gives `input` a history
        _say(f"gradcli {__version__}: a line is a statement; :help says more\n")
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
            _say("\n")


def _answer(conversation: _Conversation, text: str) -> int:
    """Answer a line; the exit code of its error, or 0."""
    from gradcli.cli.exit import exit_code
    from gradcli.report.error import render

    try:
        conversation.answer(text)
    except GradcliError as error:
        streams.write_error(render(error.diagnostic) + "\n")
        return exit_code(error.diagnostic.code)
    return 0


def _read(longest: int, *, typed: bool) -> str | None:
    """A statement: lines are joined until all brackets are closed. None at the end of the input.

    Raises `limit-tokens` for one of more than `longest` characters, which ends the conversation:
    what comes after is not a line.
    """
    lines: list[str] = []
    length = depth = 0
    while depth > 0 or not lines:
        line = _line(". " if lines else "> ", longest - length + 1, typed=typed)
        if not line:
            break
        lines.append(line)
        length += len(line)
        depth += sum(map(line.count, OPEN)) - sum(map(line.count, CLOSE))
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


def _say(text: str) -> None:
    with streams.output() as stream:
        stream.write(text)


@dataclass(slots=True)
class _Conversation:
    """The program so far, and what belongs to it."""

    options: Options
    precision: int
    colour: bool
    seconds: float | None
    safe: bool
    statements: list[str] = field(default_factory=list)
    inputs: dict[str, Array] = field(default_factory=dict)
    gradients: list[Gradient] = field(default_factory=list)
    printed: int = 0
    """How many lines the statements so far print."""

    def answer(self, text: str) -> None:
        """Do what a line says. Raises GradcliError, and then nothing has changed."""
        commands: dict[str, Callable[[str], None]] = {
            ":help": lambda _: _say(HELP),
            ":set": self.bind,
            ":gradient": self.give,
            ":tree": lambda _: self.show_tree(),
            ":list": lambda _: _say("".join(f"{each}\n" for each in self.statements)),
            ":undo": lambda _: self.undo(),
        }
        word, _, rest = text.partition(" ")
        if word in commands:
            commands[word](rest.strip())
        elif word.startswith(":"):
            raise GradcliError("usage", f"there is no command {word}", hint=":help lists them")
        elif text and not text.startswith("#"):
            statements = [*self.statements, text]
            result = self.run(statements, self.inputs, self.gradients)
            self.statements = statements
            self.show(result)

    def bind(self, text: str) -> None:
        """`:set NAME=VALUE`; the statements so far must run with it."""
        from gradcli.data.binding import parse_binding

        name, value = parse_binding(text)
        inputs = self.inputs | {name: self.read(f":set {name}", value)}
        if self.statements:
            self.show(self.run(self.statements, inputs, self.gradients))
        self.inputs = inputs

    def give(self, text: str) -> None:
        """`:gradient VALUE`; without a value there is none any more."""
        from gradcli.session import Gradient

        gradients = [Gradient(self.read(":gradient", text))] if text else []
        if self.statements:
            self.show(self.run(self.statements, self.inputs, gradients))
        self.gradients = gradients

    def undo(self) -> None:
        if not self.statements:
            raise GradcliError("usage", "there is no statement to undo")
        self.statements.pop()
        self.printed = 0
        if self.statements:
            self.printed = len(self.run(self.statements, self.inputs, self.gradients).printed)

    def show_tree(self) -> None:
        from gradcli.cli.posing import layout
        from gradcli.report.text import printed
        from gradcli.report.text_tree import draw

        if not self.statements:
            raise GradcliError("usage", "there is no graph yet", hint="write a statement first")
        result = self.run(self.statements, self.inputs, self.gradients)
        _say(printed([draw(result, layout(self.precision), None)], self.colour))

    def read(self, flag_: str, value: str) -> Array:
        """The array that a text stands for."""
        from gradcli.cli.request import read_values

        if self.safe and value.lstrip().startswith("@"):
            raise GradcliError("usage", f"{flag_} names a file, and --safe opens none")
        (array,), _, _ = read_values([(flag_, value)], self.options)
        return array

    def run(
        self,
        statements: Sequence[str],
        inputs: Mapping[str, Array],
        gradients: Sequence[Gradient],
    ) -> Result:
        """The answer to a whole program; what needs a gradient and has none goes forward only."""
        from gradcli.cli.deadline import deadline
        from gradcli.diagnostics import Source
        from gradcli.language.parser import parse_program
        from gradcli.session import evaluate

        options = self.options._replace(values="outputs", trace_values=True)
        program = parse_program(Source("repl", "\n".join(statements)), options.limits.parse)
        used = {name: array for name, array in inputs.items() if name in program.names}
        with deadline(self.seconds):
            try:
                return evaluate(program, used, gradients, options)
            except GradcliError as error:
                if error.diagnostic.code not in ("gradient-required", "gradient-shape", "no-grad"):
                    raise
                return evaluate(program, used, (), options._replace(forward_only=True))

    def show(self, result: Result) -> None:
        """What is new: the last value, its grads, and lines that were not printed before."""
        from gradcli.report.text import render

        printed, self.printed = self.printed, len(result.printed)
        fresh = result._replace(printed=result.printed[printed:], seed=None)
        _say(
            render(
                fresh,
                width=streams.width(),
                colour=self.colour,
                tree=False,
                precision=self.precision,
                ascii_only=not streams.speaks_unicode(),
            )
        )
