"""Exercises on gradients, drawn by chance: each with its answer, and with answers that are wrong.

A level is a list of makers. A maker draws numbers and returns an exercise; the wrong answers of an
exercise are mistakes that people make, each of which `check --mine` can name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.options import DEFAULT
from gradcli.session import evaluate


class Exercise(NamedTuple):
    """A question about the gradient of one leaf."""

    level: int
    program: str
    """A text of the language whose gradient is asked for, and that answers are judged by."""
    inputs: Mapping[str, str]
    """By name the text of its value."""
    leaf: str
    answer: str
    """A formula over the names of the program, or numbers."""
    mistakes: tuple[str, ...]
    """Five wrong answers."""
    gradient: str | None = None
    """The v of an output with several elements."""
    session: str = ""
    """A program that calls backward; its `.grad` is asked for, which is the gradient of `program`.
    """
    wants_numbers: bool = False

    def command(self, mine: str) -> str:
        """The command line that judges an answer."""
        inputs = "".join(f' -s {name}="{value}"' for name, value in self.inputs.items())
        gradient = "" if self.gradient is None else f' -g "{self.gradient}"'
        return f'gradcli check "{self.program}"{inputs}{gradient} --mine "{self.leaf}={mine}"'


Maker = Callable[[Random], Exercise]

TITLES = {
    1: "the chain rule for single values",
    2: "sums and broadcasting",
    3: "matrices, and vᵀ·J with a given v",
    4: "kinks and NaN",
    5: "sessions in which gradients add up",
}


def exercise(level: int, seed: int, number: int) -> Exercise:
    """The exercise of that number: the same for the same seed."""
    chance = Random(f"{seed}/{level}/{number}")  # noqa: S311 - nothing secret is drawn
    maker = chance.choice(LEVELS[level])
    while not _tells_apart(asked := maker(chance)):
        pass
    return asked


def _tells_apart(asked: Exercise) -> bool:
    """Whether no mistake has the numbers of the answer by chance, as `A @ x` has those of
    `(A + A.T) @ x` where `A.T @ x` is 0.
    """
    right, *wrong = (_value(asked, text) for text in (asked.answer, *asked.mistakes))
    return not any(
        each.shape == right.shape and np.allclose(each, right, rtol=1e-6, equal_nan=True)
        for each in wrong
    )


def _value(asked: Exercise, text: str) -> Array:
    """The numbers of a formula over the inputs of an exercise, and `v`."""
    given = {**asked.inputs, **({} if asked.gradient is None else {"v": asked.gradient})}
    bound = "".join(f"{name} = {value}\n" for name, value in given.items())
    program = parse_program(Source("answer", f"{bound}{text}"), ParseLimits())
    result = evaluate(program, {}, (), DEFAULT._replace(forward_only=True))
    (name,) = result.outputs
    return result.values[name]


def exercises(levels: Sequence[int], seed: int) -> Iterator[Exercise]:
    """Exercises without end, of these levels in turn."""
    number = 0
    while True:
        yield exercise(levels[number % len(levels)], seed, number)
        number += 1


# --- level 1 ---------------------------------------------------------------------------------

_OUTER = {
    "sin({0})": ("cos({0})", "sin({0})"),
    "cos({0})": ("-sin({0})", "-cos({0})"),
    "exp({0})": ("exp({0})", "log({0})"),
    "log({0})": ("1/({0})", "1/({0})**2"),
    "tanh({0})": ("(1 - tanh({0})**2)", "(1 - tanh({0}))"),
    "({0})**3": ("3*({0})**2", "3*({0})**3"),
    "sqrt({0})": ("1/(2*sqrt({0}))", "sqrt({0})/2"),
}
"""Functions of one value: the derivative, and what it is taken for."""
_STEEP = ("exp({0})", "tanh({0})")
"""They get small arguments: large ones would leave no digits to judge by."""


def _chain(chance: Random) -> Exercise:
    factor, offset = chance.randint(3, 6), chance.randint(1, 5)
    outer = chance.choice(list(_OUTER))
    right, wrong = _OUTER[outer]
    inner, slope, forgotten = chance.choice([
        (f"{factor}*x + {offset}", f"{factor}", f"{factor + 2}"),
        (f"{factor}*x**2", f"{2 * factor}*x", f"{factor}*x"),
        (f"{factor}*x**2 + {offset}", f"{2 * factor}*x", f"{2 * factor}*x**2"),
    ])  # fmt: skip
    if outer in _STEEP:
        inner, slope, forgotten = f"x**2/{factor}", f"2*x/{factor}", f"x/{factor}"
    derivative = right.format(inner)
    return Exercise(
        1,
        f"y = {outer.format(inner)}",
        {"x": chance.choice(["0.7", "1.3", "1.7", "0.6"])},
        "x",
        f"{slope}*{derivative}",
        (
            derivative,
            f"-{slope}*{derivative}",
            f"{slope}*{wrong.format(inner)}",
            f"{forgotten}*{derivative}",
            f"{slope}*{slope}*{derivative}",
        ),
    )


# --- level 2 ---------------------------------------------------------------------------------


def _vector(chance: Random, length: int = 3) -> str:
    """Different numbers, none of which is 0 or 1."""
    numbers = chance.sample([2, 3, 4, 5, 6, 7, -2, -3], length)
    return f"[{','.join(map(str, numbers))}]"


def _matrix(chance: Random, rows: int, columns: int) -> str:
    numbers = chance.sample([2, 3, 4, 5, 6, 7, 8, -2, -3, -5, -7, 9], rows * columns)
    lines = [numbers[row * columns : (row + 1) * columns] for row in range(rows)]
    return f"[{','.join('[' + ','.join(map(str, line)) + ']' for line in lines)}]"


def _shared_row(chance: Random) -> Exercise:
    return Exercise(
        2,
        "sum(W * x)",
        {"x": _vector(chance), "W": _matrix(chance, 2, 3)},
        "x",
        "sum(W, dim=0)",
        ("W", "mean(W, dim=0)", "-sum(W, dim=0)", "x*sum(W, dim=0)", "sum(W, dim=1)"),
    )


def _shared_bias(chance: Random) -> Exercise:
    factor = chance.randint(3, 5)
    return Exercise(
        2,
        f"mean(({factor}*x + b)**2)",
        {"x": _matrix(chance, 2, 3), "b": _vector(chance)},
        "b",
        f"sum(2*({factor}*x + b), dim=0)/6",
        (
            f"sum(2*({factor}*x + b), dim=0)",
            f"sum({factor}*x + b, dim=0)/6",
            f"-sum(2*({factor}*x + b), dim=0)/6",
            f"2*({factor}*x + b)/6",
            f"sum({2 * factor}*({factor}*x + b), dim=0)/6",
        ),
    )


_FACTORS_AND_POWERS = ((2, 3), (2, 4), (3, 4), (4, 3), (5, 3), (5, 4))
"""Not the same twice: then it would not matter which of the two was forgotten."""


def _averaged_power(chance: Random) -> Exercise:
    factor, power = chance.choice(_FACTORS_AND_POWERS)
    inside = f"({factor}*x)**{power - 1}"
    return Exercise(
        2,
        f"z = ({factor}*x)**{power}; out = mean(z)",
        {"x": _vector(chance)},
        "x",
        f"{power * factor}*{inside}/3",
        (
            f"{power * factor}*{inside}",
            f"{power}*{inside}/3",
            f"-{power * factor}*{inside}/3",
            f"{power * factor}*({factor}*x)**{power}/3",
            f"{factor}*{inside}/3",
        ),
    )


# --- level 3 ---------------------------------------------------------------------------------


def _row_times_matrix(chance: Random) -> Exercise:
    return Exercise(
        3,
        "y = x @ W",
        {"x": _vector(chance, 2), "W": _matrix(chance, 2, 2)},
        "x",
        "W @ v",
        ("v @ W", "W @ ones(2)", "-W @ v", "2 * W @ v", "x * (W @ v)"),
        gradient=_vector(chance, 2),
    )


def _weighted_power(chance: Random) -> Exercise:
    factor, power = chance.choice(_FACTORS_AND_POWERS)
    inside = f"({factor}*x)**{power - 1}"
    return Exercise(
        3,
        f"y = ({factor}*x)**{power}",
        {"x": _vector(chance)},
        "x",
        f"v * {power * factor}*{inside}",
        (
            f"{power * factor}*{inside}",
            f"v * {power}*{inside}",
            f"-v * {power * factor}*{inside}",
            f"v * {power * factor}*({factor}*x)**{power}",
            f"v * {factor}*{inside}",
        ),
        gradient=_vector(chance),
    )


def _least_squares(chance: Random) -> Exercise:
    return Exercise(
        3,
        "loss = sum((X @ w - y)**2)",
        {"X": _matrix(chance, 3, 2), "w": _vector(chance, 2), "y": _vector(chance)},
        "w",
        "2*X.T @ (X @ w - y)",
        (
            "X.T @ (X @ w - y)",
            "-2*X.T @ (X @ w - y)",
            "2*X.T @ (X @ w + y)",
            "2*X.T @ (X @ w)",
            "2*X.T @ (X @ w - y)/3",
        ),
    )


def _quadratic(chance: Random) -> Exercise:
    return Exercise(
        3,
        "y = x @ A @ x",
        {"x": _vector(chance, 2), "A": _matrix(chance, 2, 2)},
        "x",
        "(A + A.T) @ x",
        ("2*A @ x", "A @ x", "-(A + A.T) @ x", "(A + A.T) @ x/2", "(A - A.T) @ x"),
    )


# --- level 4 ---------------------------------------------------------------------------------


def _listed(*numbers: float | str) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _rectified(chance: Random) -> Exercise:
    factor, corner = chance.randint(2, 6), chance.randint(2, 4)
    return Exercise(
        4,
        f"sum({factor}*relu(x - {corner}))",
        {"x": _listed(corner - 2, corner, corner + 3)},
        "x",
        _listed(0, 0, factor),
        (
            _listed(factor, factor, factor),
            _listed(0, 0, 1),
            _listed(0, 0, -factor),
            _listed(0, "nan", factor),
            _listed(factor, 0, 0),
        ),
        wants_numbers=True,
    )


def _absolute(chance: Random) -> Exercise:
    factor = chance.randint(2, 6)
    return Exercise(
        4,
        f"sum(abs({factor}*x))",
        {"x": _listed(-chance.randint(2, 4), 0, chance.randint(5, 7))},
        "x",
        _listed(-factor, 0, factor),
        (
            _listed(factor, factor, factor),
            _listed(-1, 0, 1),
            _listed(factor, 0, -factor),
            _listed(-factor, "nan", factor),
            _listed(factor, 0, factor),
        ),
        wants_numbers=True,
    )


def _guarded_root(chance: Random) -> Exercise:
    root = chance.choice([2, 4, 5])
    slope = 1 / (2 * root)
    return Exercise(
        4,
        "sum(where(x > 0, sqrt(x), 0))",
        {"x": _listed(-2, root * root, 0)},
        "x",
        _listed(0, slope, 0),
        (
            _listed("nan", slope, "inf"),
            _listed(0, slope, "inf"),
            _listed(0, -slope, 0),
            _listed(0, 2 * slope, 0),
            _listed(0, root, 0),
        ),
        wants_numbers=True,
    )


# --- level 5 ---------------------------------------------------------------------------------


def _accumulated(chance: Random) -> Exercise:
    first, second = chance.sample(range(2, 7), 2)
    return Exercise(
        5,
        f"sum({first}*x**2) + sum({second}*x**3)",
        {"x": (x := _vector(chance, 2))},
        "x",
        f"{2 * first}*x + {3 * second}*x**2",
        (
            f"{3 * second}*x**2",
            f"{2 * first}*x",
            f"{2 * first}*x - {3 * second}*x**2",
            f"{2 * first}*x + {second}*x**2",
            f"{4 * first}*x + {6 * second}*x**2",
        ),
        session=f"x = tensor({x}, requires_grad=True)\n"
        f"sum({first}*x**2).backward()\nsum({second}*x**3).backward()\n",
    )


def _twice(chance: Random) -> Exercise:
    factor = chance.randint(2, 6)
    return Exercise(
        5,
        f"2*sum({factor}*x**3)",
        {"x": (x := _vector(chance, 2))},
        "x",
        f"{6 * factor}*x**2",
        (
            f"{3 * factor}*x**2",
            f"{12 * factor}*x**2",
            f"-{6 * factor}*x**2",
            f"{6 * factor}*x**3",
            f"{2 * factor}*x**2",
        ),
        session=f"x = tensor({x}, requires_grad=True)\ny = sum({factor}*x**3)\n"
        "y.backward(retain_graph=True)\ny.backward()\n",
    )


def _zeroed(chance: Random) -> Exercise:
    first, second = chance.sample(range(2, 7), 2)
    return Exercise(
        5,
        f"sum({second}*x**3)",
        {"x": (x := _vector(chance, 2))},
        "x",
        f"{3 * second}*x**2",
        (
            f"{2 * first}*x + {3 * second}*x**2",
            f"{6 * second}*x**2",
            f"-{3 * second}*x**2",
            f"{second}*x**2",
            f"{3 * second}*x**3",
        ),
        session=f"x = tensor({x}, requires_grad=True)\nsum({first}*x**2).backward()\n"
        f"x.grad.zero_()\nsum({second}*x**3).backward()\n",
    )


LEVELS: Mapping[int, Sequence[Maker]] = {
    1: (_chain,),
    2: (_shared_row, _shared_bias, _averaged_power),
    3: (_row_times_matrix, _weighted_power, _least_squares, _quadratic),
    4: (_rectified, _absolute, _guarded_root),
    5: (_accumulated, _twice, _zeroed),
}
