"""Worksheets and answer sheets of exercises, as Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape as html_escape
from typing import NamedTuple

from gradcli.analysis.quiz.exercises import TITLES, Exercise
from gradcli.report.latex import escape as latex_escape


class Sheet(NamedTuple):
    """Exercises on paper."""

    exercises: Sequence[Exercise]
    seed: int
    answers: bool
    """Whether it is the answer sheet."""


class _Marks(NamedTuple):
    """How a format writes the parts of a sheet."""

    before: str
    after: str
    heading: Callable[[str], str]
    paragraph: Callable[[str], str]
    code: Callable[[str], str]
    room: str
    """For an answer."""


def write(sheet: Sheet, kind: str) -> str:
    """The sheet in a format: `markdown`, `latex` or `html`."""
    marks = _FORMATS[kind]
    title = f"Gradients: {'answers' if sheet.answers else 'exercises'} (seed {sheet.seed})"
    parts = [marks.heading(title)]
    for number, exercise in enumerate(sheet.exercises, 1):
        parts.append(marks.paragraph(f"{number}. Level {exercise.level}: {TITLES[exercise.level]}"))
        if sheet.answers:
            parts.append(marks.code(f"{exercise.leaf}.grad = {exercise.answer}"))
            parts.append(marks.code(exercise.command(exercise.answer)))
        else:
            parts.append(marks.paragraph(question(exercise)))
            parts.append(marks.code(shown(exercise)))
            parts.append(marks.room)
    return marks.before + "\n\n".join(part for part in parts if part) + marks.after


def question(exercise: Exercise) -> str:
    """What is asked, in a sentence or two."""
    if exercise.session:
        return f"What is {exercise.leaf}.grad after this session, as a formula or in numbers?"
    if exercise.wants_numbers:
        return (
            f"What is the gradient of the result for {exercise.leaf}, in numbers? Where it has no "
            "derivative, take the value that PyTorch takes."
        )
    if exercise.gradient is not None:
        return f"What does backward(v) leave in {exercise.leaf}.grad? Write it as a formula with v."
    return f"What is the gradient of the result for {exercise.leaf}? Write it as a formula."


def shown(exercise: Exercise) -> str:
    """The program and its inputs."""
    if exercise.session:
        return exercise.session.rstrip("\n")
    given = [f"{name} = {value}" for name, value in exercise.inputs.items()]
    given += [] if exercise.gradient is None else [f"v = {exercise.gradient}"]
    return "\n".join([exercise.program.replace("; ", "\n"), f"# {', '.join(given)}"])


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


_FORMATS = {
    "markdown": _Marks(
        "", "\n", "# {}".format, lambda text: text.replace("_", r"\_"), _indented, ""
    ),
    "latex": _Marks(
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{upquote}\n"
        "\\setlength{\\parindent}{0pt}\n\\begin{document}\n",
        "\n\\end{document}\n",
        lambda text: rf"\section*{{{latex_escape(text)}}}",
        lambda text: latex_escape(text.replace("vᵀ·J", "v^T J")),
        lambda text: f"\\begin{{verbatim}}\n{text}\n\\end{{verbatim}}",
        r"\vspace{4em}",
    ),
    "html": _Marks(
        '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">\n'
        '<meta name="viewport" content="width=device-width">\n<title>Gradients</title>\n',
        "\n</html>\n",
        lambda text: f"<h1>{html_escape(text)}</h1>",
        lambda text: f"<p>{html_escape(text)}</p>",
        lambda text: f"<pre>{html_escape(text)}</pre>",
        "<p>&nbsp;</p><p>&nbsp;</p>",
    ),
}
FORMATS = tuple(_FORMATS)
