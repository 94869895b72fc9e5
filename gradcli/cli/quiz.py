"""`gradcli quiz`: exercises on gradients, and worksheets of them."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gradcli.cli import options as flag
from gradcli.cli import streams
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.analysis.quiz.exercises import Exercise

EXAMPLES = """\b
Examples:
  gradcli quiz
  gradcli quiz --level 1 --level 2 --count 10 --seed 7
  echo "12*(4*x)**2/3" | gradcli quiz --level 2 --seed 3 --count 1
  gradcli quiz --sheet 10 --seed 7 --format latex > sheet.tex
  gradcli quiz --sheet 10 --seed 7 --format latex --answers > answers.tex
"""

_LEVELS = (1, 2, 3, 4, 5)
_LONGEST = 10_000
"""Characters of an answer."""
HELP = """\
Type a formula over the names of the program, or numbers: 6*x**2, [0, 3].
  :answer    show the answer, and go on
  :skip      go on
  :quit      leave; so does Ctrl-D
"""

Level = Annotated[
    list[int] | None,
    typer.Option(
        "--level",
        "-l",
        min=1,
        max=5,
        help="1 the chain rule, 2 sums and broadcasting, 3 matrices and a given v, 4 kinks and "
        "NaN, 5 sessions that accumulate. Repeatable. [default: all]",
        show_default=False,
    ),
]
Count = Annotated[
    int, typer.Option("--count", metavar="N", min=1, max=10_000, help="How many are asked.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="The same exercises again; without one it is drawn and shown.",
        show_default=False,
    ),
]
Sheet = Annotated[
    int | None,
    typer.Option(
        "--sheet", metavar="N", min=1, max=10_000, help="Print a worksheet of so many exercises."
    ),
]
Answers = Annotated[
    bool, typer.Option("--answers", help="With --sheet and the same --seed: the answer sheet.")
]
SheetFormat = Annotated[
    Literal["markdown", "latex", "html"], typer.Option("--format", help="The format of a sheet.")
]


def command(
    level: Level = None,
    count: Count = 5,
    seed: Seed = None,
    sheet: Sheet = None,
    answers: Answers = False,
    format_: SheetFormat = "markdown",
    color: flag.Color = "auto",
) -> int:
    """Practise gradients: answers are judged as check --mine judges them, and mistakes are named.

    Exits with 1 if an answer was wrong; at a terminal always with 0.
    """
    from secrets import randbits

    from gradcli.analysis.quiz.exercises import exercises

    if answers and sheet is None:
        raise GradcliError("usage", "--answers is about a sheet", hint="give --sheet N, too")
    chosen = randbits(32) if seed is None else seed
    asked = list(islice(exercises(level or _LEVELS, chosen), sheet or count))
    if sheet is None:
        return _converse(asked, chosen, color)
    from gradcli.report import sheet as report

    with streams.output() as stream:
        stream.write(report.write(report.Sheet(asked, chosen, answers), format_))
    return 0


def _converse(asked: list[Exercise], seed: int, color: str) -> int:
    """Ask one exercise after another; an answer that is wrong may be given again."""
    typed = not streams.input_is_piped()
    if typed:
        with suppress(ImportError):
            import readline  # noqa: F401 - gives `input` a history
    _say(f"gradcli quiz --seed {seed}: {_counted(len(asked))}; :help says what can be typed\n")
    right = 0
    for number, exercise in enumerate(asked, 1):
        _ask(number, exercise)
        outcome = _answered(exercise, color, typed=typed)
        if outcome is None:
            break
        right += outcome
    _say(f"\n{right} of {len(asked)} right\n")
    return 0 if typed or right == len(asked) else 1


def _counted(count: int) -> str:
    return f"{count} exercise{'' if count == 1 else 's'}"


def _ask(number: int, exercise: Exercise) -> None:
    from gradcli.analysis.quiz.exercises import TITLES
    from gradcli.report.sheet import question, shown

    program = "".join(f"    {line}\n" for line in shown(exercise).split("\n"))
    title = f"{number}. Level {exercise.level}: {TITLES[exercise.level]}"
    _say(f"\n{title}\n{program}{question(exercise)}\n")


def _answered(exercise: Exercise, color: str, *, typed: bool) -> bool | None:
    """Whether an exercise was answered rightly; None at the end of the input."""
    while True:
        answer = _line(typed=typed)
        if answer is None or answer == ":quit":
            return None
        if answer == ":help":
            _say(HELP)
        elif answer in (":skip", ":answer"):
            _say(f"{exercise.leaf}.grad = {exercise.answer}\n" if answer == ":answer" else "")
            return False
        elif answer:
            right = _judge(exercise, answer, color)
            if right or not typed:  # at a terminal it may be tried again
                return right


def _judge(exercise: Exercise, answer: str, color: str) -> bool:
    """Say what is right or wrong with an answer."""
    from gradcli.analysis.quiz.grading import grade
    from gradcli.report.error import render
    from gradcli.report.layout import Layout
    from gradcli.report.text_check import judged

    try:
        found = grade(exercise, answer)
    except GradcliError as error:
        _say(render(error.diagnostic) + "\n")
        return False
    ascii_only, colour = not streams.speaks_unicode(), streams.use_colour(color)
    layout = Layout(streams.width(), 6, ascii_only, colour)
    with streams.output() as stream:
        stream.writelines(judged(found.mine, layout))
    return found.mine[0].verdict == "pass"


def _line(*, typed: bool) -> str | None:
    """A line that was typed; None at the end of the input."""
    if not typed:
        line = sys.stdin.readline(_LONGEST)
        return line.strip() if line else None
    try:
        return input("> ").strip()
    except EOFError:
        return None


def _say(text: str) -> None:
    with streams.output() as stream:
        stream.write(text)
