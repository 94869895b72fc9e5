"""`gradcli check --command`: gradients that a program outside computes, in any language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.bundles import Bundle
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.analysis.progress import Progress
    from gradcli.analysis.verdict import Check, Tolerance
    from gradcli.graph import Array

ANSWER_SECONDS = 60.0

Command = Annotated[
    str | None,
    typer.Option(
        "--command",
        metavar="CMD",
        help="A program in any language that computes the same, and its gradient: it is started "
        "without a shell and asked in JSON lines; gradcli help command.",
        show_default=False,
    ),
]
OnlyValue = Annotated[
    bool,
    typer.Option(
        "--command-only-value",
        help="Judge by differences of the command's values alone: its own gradients where there is "
        "no PROGRAM, else the program's.",
    ),
]
AnswerSeconds = Annotated[
    float,
    typer.Option(
        "--command-timeout",
        metavar="SECONDS",
        min=0.001,
        help="The longest that the command may take for an answer.",
    ),
]


class Outside(Bundle):
    """A program outside, and how it is asked."""

    command: Command = None
    only_value: OnlyValue = False
    command_timeout: AnswerSeconds = ANSWER_SECONDS

    def checked(
        self,
        run: flag.Run,
        gradient: Sequence[str] | None,
        asked: Tolerance | None,
        done: Progress,
    ) -> Check:
        """The check of the command's gradients, or of a program's by the command's values.

        Raises `usage`, and what reading the program and asking the command raise.
        """
        from gradcli.analysis.diagnosis.claim import weighed
        from gradcli.analysis.foreign.check import check_alone, check_values, check_with
        from gradcli.cli import posing
        from gradcli.data.command import Answering

        assert self.command is not None
        if run.bounds.safe:
            raise GradcliError("usage", "--command starts a program, and --safe starts none")
        if run.program is None and run.file is None:
            self._require_only_value()
            inputs, leaves, weight = _given(run, gradient)
            with Answering(self.command, self.command_timeout) as function:
                return check_alone(function, inputs, leaves, weight, done)
        problem = weighed(posing.read_problem(run, gradient, {}))
        with Answering(self.command, self.command_timeout) as function:
            if self.only_value:
                return check_values(function, problem, done)
            return check_with(function, problem, asked, done)

    def _require_only_value(self) -> None:
        if not self.only_value:
            raise GradcliError(
                "usage",
                "there is no program to judge the command by",
                hint="give one, - for standard input, or --command-only-value to judge the command "
                "by differences of its own values",
            )


def _given(
    run: flag.Run, gradient: Sequence[str] | None
) -> tuple[dict[str, Array], list[str], Array | None]:
    """The inputs, the names of those that have gradients, and the gradient of the value."""
    from gradcli.cli.request import read_inputs

    if run.output:
        raise GradcliError("usage", "--output is for a program; a command has one value")
    options = run.options()
    inputs, gradients = read_inputs(run.set_ or (), gradient or (), options)
    floats = [name for name, array in inputs.items() if array.dtype.kind == "f"]
    leaves = list(options.wrt) or floats
    for name in leaves:
        if name not in floats:
            raise GradcliError(
                "name", f"--wrt {name}: that is no input", hint=f"inputs are {', '.join(floats)}"
            )
    if not leaves:
        raise GradcliError("no-grad", "there is no input", hint="--set NAME=VALUE gives one")
    if len(gradients) > 1 or any(each.output for each in gradients):
        raise GradcliError(
            "usage", "the command's value has one gradient, and no name", hint="--gradient 1,0"
        )
    return inputs, leaves, gradients[0].value if gradients else None
