"""Exercises: answers that check passes, and mistakes that it names."""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from html.parser import HTMLParser
from itertools import islice

import numpy as np
import pytest

from gradcli import evaluate
from gradcli.analysis.quiz.exercises import LEVELS, Exercise, exercise, exercises
from gradcli.analysis.quiz.grading import grade
from gradcli.report.sheet import FORMATS, Sheet, write
from tests.cli.conftest import Runner
from tests.cli.terminal import Terminal

NAMES_NOTHING = {"unexplained", "elements", "approximate", "rounded"}
"""Causes that only say that, or where, an answer is wrong."""


def holds(asked: Exercise) -> None:
    """The answer passes, and each of five mistakes fails and is named."""
    found = grade(asked, asked.answer)
    assert (found.verdict, found.mine[0].verdict) in (("pass", "pass"), ("inconclusive", "pass"))
    assert len(set(asked.mistakes)) == 5
    for mistake in asked.mistakes:
        (judged,) = grade(asked, mistake).mine
        assert judged.verdict == "fail", (asked, mistake)
        assert judged.causes, (asked, mistake)
        assert judged.causes[0].code not in NAMES_NOTHING, (asked, mistake, judged.causes)


@pytest.mark.parametrize("level", LEVELS)
def test_answers_pass_and_mistakes_are_named(level: int) -> None:
    holds(exercise(level, 1, 0))


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_five_hundred_exercises(level: int) -> None:
    for number in range(100):
        holds(exercise(level, 7, number))


def test_no_mistake_has_the_numbers_of_the_answer_by_chance() -> None:
    """Among quadratic forms that are drawn some have A @ x = 0, or A.T @ x = 0."""
    drawn = [exercise(3, 20261125, number) for number in range(21, 120)]
    for asked in drawn:
        if asked.program != "y = x @ A @ x":
            continue
        x, a = (np.array(literal_eval(asked.inputs[name])) for name in ("x", "A"))
        right = (a + a.T) @ x
        for mistake in (2 * a @ x, a @ x, right / 2, (a - a.T) @ x):
            assert not np.array_equal(mistake, right), asked


def test_sessions_leave_what_the_graded_program_gives() -> None:
    for number in range(12):
        asked = exercise(5, 3, number)
        left = evaluate(asked.session + "out = 0*x").grads["x"]
        point = asked.inputs["x"]
        right = evaluate(f"x = {point}; {asked.answer}", forward_only=True).values["out"]
        np.testing.assert_allclose(left, right, rtol=1e-14)


def test_the_seed_chooses() -> None:
    first, again, other = (list(islice(exercises([1, 3], seed), 6)) for seed in (1, 1, 2))
    assert first == again != other
    assert [each.level for each in first] == [1, 3] * 3


def test_the_command_of_an_exercise_runs(gradcli: Runner) -> None:
    for level in LEVELS:
        asked = exercise(level, 5, 0)
        words = shlex.split(asked.command(asked.answer))
        answer = gradcli(*words[1:], "--json")
        assert answer.json["mine"][asked.leaf]["verdict"] == "pass"


# --- in a pipe and at a terminal -------------------------------------------------------------


def test_answers_from_a_pipe(gradcli: Runner) -> None:
    asked = list(islice(exercises([1, 2], 4), 2))
    flags = ("--level", "1", "--level", "2", "--seed", "4", "--count", "2")
    right = gradcli("quiz", *flags, stdin="\n".join(each.answer for each in asked).encode())
    assert (right.code, right.out.rstrip().split("\n")[-1]) == (0, "2 of 2 right")
    wrong = gradcli("quiz", *flags, stdin=f"{asked[0].mistakes[1]}\nx +\n".encode())
    assert wrong.code == 1
    assert "the sign is wrong" in wrong.out
    assert "error[syntax]" in wrong.out
    assert gradcli("quiz", *flags, stdin=b"").code == 1


def test_at_a_terminal_an_answer_may_be_corrected() -> None:
    asked = next(exercises([1], 4))
    quiz = Terminal("quiz", "--level", "1", "--seed", "4", "--count", "2")
    for typed, told in (
        (asked.mistakes[1], "the sign is wrong"),
        (asked.answer, "pass"),
        (":answer", "x.grad = "),
    ):
        quiz.until("> ")
        quiz.type(f"{typed}\n")
        quiz.until(told)
    assert "1 of 2 right" in quiz.rest()


# --- sheets ----------------------------------------------------------------------------------


class Texts(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("kind", FORMATS)
def test_sheets(kind: str) -> None:
    asked = list(islice(exercises([*LEVELS], 7), 10))
    questions, answers = (write(Sheet(asked, 7, each), kind) for each in (False, True))
    if kind == "html":
        assert Texts(questions).tags <= {"html", "meta", "title", "h1", "p", "pre"}
        questions, answers = Texts(questions).text, Texts(answers).text
    for number, each in enumerate(asked, 1):
        assert f"{number}. Level {each.level}" in questions
        assert each.answer in answers
        assert each.command(each.answer) in answers
        assert f"x.grad = {each.answer}" not in questions
    assert questions.count("What ") == 10


def test_a_sheet_is_the_same_for_a_seed(gradcli: Runner) -> None:
    first = gradcli("quiz", "--sheet", "3", "--seed", "9").out
    assert first == gradcli("quiz", "--sheet", "3", "--seed", "9").out
    seed = re.search(r"seed (\d+)", gradcli("quiz", "--sheet", "3").out)
    assert seed is not None
    assert gradcli("quiz", "--answers").code == 2
    assert gradcli("quiz", "--level", "6").code == 2
