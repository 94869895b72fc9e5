"""What `gradcli repl` keeps and answers: a program that grows line by line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gradcli.cli import streams
from gradcli.cli.consult import CONSULTED, consult, written
from gradcli.diagnostics import GradcliError, Source

if TYPE_CHECKING:
    from gradcli.graph import Array
    from gradcli.language.syntax import Program
    from gradcli.report.layout import Layout
    from gradcli.result import Result
    from gradcli.session import Gradient, Options

HELP = """\
A line is a statement of the language. Its value is shown, and its gradient if it has one.
  :set x=1,2        bind an input, as --set does; outputs are differentiated by inputs
  :gradient 1,0     the gradient v of outputs with several elements; alone: forget it
  :tree             the graph of the last value
  :explain          the chain rule, step by step; --entry 'x[0]' for one entry
  :check            is the gradient right? --mine x='2*x' judges your own
  :plot x=-2:2      the last value over a range of an input
  :graph            the graph; --format svg and others
  :save FILE        the statements as FILE.grad, or values and grads as FILE.npz
  :list             the statements so far
  :undo             forget the last statement
  :quit             leave; so does Ctrl-D
Flags of :explain, :check, :plot and :graph are those of the command line.
"""


COMMANDS = tuple(re.findall(r"^  (:[a-z]+)", HELP, re.MULTILINE))
_NAMES = re.compile(r"[^\W\d]\w*")


def say(text: str) -> None:
    with streams.output() as stream:
        stream.write(text)


@dataclass(slots=True)
class Conversation:
    """The program so far, and what belongs to it."""

    options: Options
    precision: int
    colour: bool
    seconds: float | None
    safe: bool
    statements: list[str] = field(default_factory=list)
    inputs: dict[str, Array] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    """What was given for inputs."""
    gradients: list[Gradient] = field(default_factory=list)
    weights: str = ""
    """What was given for the gradient."""
    printed: int = 0
    """How many lines the statements so far print."""
    noted: frozenset[str] = frozenset()
    """What the notes on the statements so far say."""

    def answer(self, text: str) -> None:
        """Do what a line says. Raises GradcliError, and then nothing has changed."""
        commands: dict[str, Callable[[str], None]] = {
            ":help": lambda _: say(HELP),
            ":set": self.bind,
            ":gradient": self.give,
            ":tree": lambda _: self.show_tree(),
            ":list": lambda _: say("".join(f"{each}\n" for each in self.statements)),
            ":undo": lambda _: self.undo(),
            ":save": self.save,
        }
        for name in CONSULTED:
            commands[f":{name}"] = partial(self.consult, name)
        word, _, rest = text.partition(" ")
        if word in commands:
            commands[word](rest.strip())
        elif word.startswith(":"):
            raise GradcliError("usage", f"there is no command {word}", hint=":help lists them")
        elif text and not text.startswith("#"):
            self.state(text)

    def state(self, text: str) -> None:
        """A statement: it is kept if it runs, and what is new is shown."""
        program = self.parse([*self.statements, text])
        since = len(program.source.text) - len(text)
        result = self.run(program, self.inputs, self.gradients, since)
        self.statements.append(text)
        new = [note for note in result.notes if note.message not in self.noted]
        self.show(result._replace(notes=new))
        self.remember(result)

    def bind(self, text: str) -> None:
        """`:set NAME=VALUE`; the statements so far must run with it."""
        from gradcli.data.binding import parse_binding
        from gradcli.trace.names import binds_unread

        name, value = parse_binding(text, ":set")
        inputs = self.inputs | {name: self.read(f":set {name}", value)}
        if self.statements:
            program = self.parse(self.statements)
            if binds_unread(program, name):
                raise GradcliError(
                    "usage",
                    f":set {name}: a statement binds {name}, so the input would not be used",
                    hint=f"the statement {name} = … binds it to another value",
                )
            if name in program.names:
                self.show_again(self.run(program, inputs, self.gradients))
        self.inputs = inputs
        self.texts[name] = value

    def give(self, text: str) -> None:
        """`:gradient VALUE`; without a value it is forgotten."""
        from gradcli.session import Gradient

        gradients = [Gradient(self.read(":gradient", text))] if text else []
        if self.statements:
            self.show_again(self.run(self.parse(self.statements), self.inputs, gradients))
        self.gradients = gradients
        self.weights = text

    def undo(self) -> None:
        if not self.statements:
            raise GradcliError("usage", "there is no statement to undo")
        kept = self.statements[:-1]
        self.remember(self.run(self.parse(kept), self.inputs, self.gradients))
        self.statements = kept

    def consult(self, command: str, flags: str) -> None:
        """`:explain` and others: a command of the command line, on what this session has."""
        program = self.parse(self.stated())
        used = {
            name: (self.texts[name], array)
            for name, array in self.inputs.items()
            if name in program.names
        }
        arrays = {name: array for name, (_, array) in used.items()}
        weighs = _weighs(self.gradients, program, arrays, self.options)
        consult(
            command,
            flags,
            program.source.text,
            used,
            [self.weights] if weighs else [],
            self.flags(),
        )

    def flags(self) -> list[str]:
        """The flags of this session for other commands."""
        found = ["--dtype", self.options.precision, "--seed", str(self.options.seed)]
        found += [] if self.seconds is None else ["--timeout", str(self.seconds)]
        found += ["--strict"] if self.options.strict else []
        return [*found, "--safe"] if self.safe else found

    def stated(self) -> list[str]:
        """The statements so far. Raises `usage` where there are none."""
        if not self.statements:
            raise GradcliError("usage", "there is no statement yet", hint="write one first")
        return self.statements

    def save(self, path: str) -> None:
        """`:save FILE`: the statements as a script, or what eval --save writes."""
        from gradcli.data.replace import writing
        from gradcli.data.text import SCRIPT

        if self.safe or not path:
            told = "--safe writes no files" if self.safe else ":save needs the name of a file"
            raise GradcliError("usage", told, hint=":save session.grad, :save values.npz")
        if not path.endswith(SCRIPT):
            self.consult("eval", f"--quiet --save {shlex.quote(path)}")
            return
        given = [
            f"# {name} is bound from outside: --set {name}={text}"
            if text.lstrip().startswith("@")
            else f"{name} = {written(text, self.inputs[name])}"
            for name, text in self.texts.items()
        ]
        with writing(path) as stream:
            stream.write("".join(f"{line}\n" for line in [*given, *self.stated()]).encode())

    def complete(self, line: str) -> list[str]:
        """What the last word of a line may become."""
        from gradcli.cli.completing import candidates

        names: set[str] = set(self.inputs)
        for statement in self.statements:
            names.update(_NAMES.findall(statement))
        return candidates(line, COMMANDS, names)

    def show_tree(self) -> None:
        from gradcli.report.text_style import printed
        from gradcli.report.text_tree import draw

        if not self.statements:
            raise GradcliError("usage", "there is no graph yet", hint="write a statement first")
        result = self.run(self.parse(self.statements), self.inputs, self.gradients)
        say(printed([draw(result, self.layout(), None)], self.colour))

    def read(self, flag: str, value: str) -> Array:
        """The array that a text stands for."""
        from gradcli.cli.request import read_values

        if self.safe and value.lstrip().startswith("@"):
            raise GradcliError("usage", f"{flag} names a file, and --safe opens none")
        (array,), _, _ = read_values([(flag, value)], self.options)
        return array

    def parse(self, statements: Sequence[str]) -> Program:
        from gradcli.language.parser import parse_program

        return parse_program(Source("repl", "\n".join(statements)), self.options.limits.parse)

    def run(
        self,
        program: Program,
        inputs: Mapping[str, Array],
        gradients: Sequence[Gradient],
        since: int = 0,
    ) -> Result:
        """The answer to a whole program, about what it binds or outputs from the place `since` on.

        Where a gradient is needed and there is none, there is no backward pass.
        """
        from gradcli.cli.deadline import deadline
        from gradcli.session import evaluate

        options = self.options._replace(values="outputs", trace_values=True, since=since)
        used = {name: array for name, array in inputs.items() if name in program.names}
        with deadline(self.seconds):
            if _weighs(gradients, program, used, options):
                return _weighed(gradients, program, used, options)
            try:
                return evaluate(program, used, (), options)
            except GradcliError as error:
                if error.diagnostic.code != "gradient-required":
                    raise
                return evaluate(program, used, (), options._replace(forward_only=True))

    def layout(self) -> Layout:
        """The size of what text is laid out for."""
        from gradcli.report.layout import Layout

        ascii_only = not streams.speaks_unicode()
        return Layout(streams.width(), self.precision, ascii_only, self.colour)

    def show_again(self, result: Result) -> None:
        """The answer to statements that have been shown before."""
        self.show(result)
        self.remember(result)

    def show(self, result: Result) -> None:
        """A value and its grads, and lines that were not printed before."""
        from gradcli.report.text import render

        lines = [*result.printed[self.printed :], *result.others]
        fresh = result._replace(printed=lines, seed=None)
        say(render(fresh if fresh.outputs else _without_value(fresh), self.layout()))

    def remember(self, result: Result) -> None:
        """Remember what the statements have printed and noted, as it has been shown."""
        self.printed = len(result.printed)
        self.noted = frozenset(note.message for note in result.notes)


def _weighs(
    gradients: Sequence[Gradient], program: Program, inputs: Mapping[str, Array], options: Options
) -> bool:
    """Whether the gradient is meant for the output: a gradient of several elements is not used for
    an output of one.
    """
    from gradcli.session import prepare

    if not gradients:
        return False
    outputs = prepare(program, inputs, (), options._replace(forward_only=True)).outputs.values()
    is_single = all(gradient.value.size == 1 for gradient in gradients)
    return any(node.kind == "float" and (is_single or node.size != 1) for node in outputs)


def _weighed(
    gradients: Sequence[Gradient], program: Program, inputs: Mapping[str, Array], options: Options
) -> Result:
    """The answer with a gradient. Raises `gradient-shape` and `usage` where it does not fit."""
    from gradcli.session import evaluate

    try:
        return evaluate(program, inputs, gradients, options)
    except GradcliError as error:
        found = error.diagnostic
        if found.code not in ("gradient-shape", "usage"):
            raise
        hint = ":gradient with another v replaces it, :gradient alone forgets it"
        source = Source(":gradient", "")
        raise GradcliError(found.code, found.message, hint=hint, source=source) from None


def _without_value(result: Result) -> Result:
    """What is shown for a statement whose value is no tensor: the lines that it printed, or else
    the grads after a `backward`.
    """
    from gradcli.language.syntax import Call, Evaluate, FunctionDefinition, Tuple

    *_, last = (None, *result.program.statements)
    lines = result.printed
    if not lines and isinstance(last, Evaluate) and not isinstance(last.value, Call | Tuple):
        lines = ["None"]  # what `x.grad` is before a backward
    is_said = bool(lines) or isinstance(last, FunctionDefinition)
    return result._replace(
        printed=lines,
        grads={} if is_said else result.grads,
        notes=[note for note in result.notes if note.code != "no-grad"],
    )
