"""gradcli from Python: the text of a program and arrays in, arrays out.

    from gradcli import check, compile, derive, evaluate, explain, grad

These six, `Answer`, `Compiled`, `Judgement`, `Page` and `GradcliError` are what is promised to
stay; all other modules may change. Inputs are whatever NumPy makes an array of. Numbers are floats,
as in programs; arrays of integers and of truth values stay what they are.

Everything here raises `GradcliError`, whose `diagnostic` has a `code`, a `message`, a `hint`, and
the `source` and `span` in the program's text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from itertools import count
from typing import Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np

from gradcli.data.npy import to_run_dtype
from gradcli.diagnostics import Advice, GradcliError, Source
from gradcli.graph import EMPTY, Array, Node, Precision
from gradcli.language.parser import parse_program
from gradcli.language.syntax import Program
from gradcli.options import SAFE, Limits, Options
from gradcli.plans import Plans, Request
from gradcli.result import Result
from gradcli.session import Gradient, Prepared
from gradcli.session import evaluate as run

_COLUMNS = 100
"""How wide text is laid out that is not for a terminal."""
_LONGEST = 60
"""How much of a program tells which it is."""
Given: TypeAlias = Any
"""What NumPy makes an array of."""
Gradients: TypeAlias = Any
"""v, the weights of the output's elements in its shape, or one v for each output by name."""


_Arguments = ParamSpec("_Arguments")
_Returned = TypeVar("_Returned")


def _worded(
    function: Callable[_Arguments, _Returned],
    advised: Callable[[Advice], str] = Advice.for_python,
    inputs: str = "inputs: ",
) -> Callable[_Arguments, _Returned]:
    """The function, whose errors name arguments of Python's in place of flags."""

    @wraps(function)
    def called(*arguments: _Arguments.args, **keywords: _Arguments.kwargs) -> _Returned:
        try:
            return function(*arguments, **keywords)
        except GradcliError as error:
            message, hint = error.diagnostic.message, error.diagnostic.hint
            hint = advised(hint) if isinstance(hint, Advice) else hint
            message = message.replace("--set ", inputs, 1).removeprefix("--")
            error.diagnostic = error.diagnostic._replace(message=message, hint=hint)
            error.args = (message,)
            if hint and not hasattr(error, "__notes__"):  # of one of these within another
                error.add_note(f"help: {hint}")
            # Where in gradcli it was found says nothing to who wrote the program.
            raise error.with_traceback(None) from None

    return called


class Answer(NamedTuple):
    """What a run gives."""

    values: dict[str, Array]
    """By name: every named value of the program."""
    grads: dict[str, Array]
    """By name of a leaf: vᵀ·J, in the leaf's shape."""
    notes: tuple[str, ...] = ()
    """What the command line tells below its tables."""

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        from gradcli.report.answer import html

        return html(self.values, self.grads, self.notes)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The table, and a text for places that show no HTML."""
        from gradcli.report.answer import text

        return {
            "text/html": self._repr_html_(),
            "text/plain": text(self.values, self.grads, self.notes),
        }


@_worded
def evaluate(
    program: str,
    inputs: Mapping[str, Given] = EMPTY,
    gradient: Gradients = None,
    *,
    wrt: Sequence[str] = (),
    outputs: Sequence[str] = (),
    dtype: Precision = "float64",
    seed: int | None = None,
    forward_only: bool = False,
    safe: bool = False,
) -> Answer:
    """Values and gradients of a program, as `gradcli eval` gives them.

    `safe` sets the limits for untrusted text; it is the command line's `--safe` alone that also
    puts the process into a box.
    """
    options = _options(wrt, outputs, dtype, seed, SAFE if safe else Limits())
    parsed = _parsed(program, options)
    arrays, gradients = _arrays(inputs, options), _gradients(gradient, options)
    return _answer(run(parsed, arrays, gradients, options._replace(forward_only=forward_only)))


def grad(
    program: str,
    inputs: Mapping[str, Given] = EMPTY,
    gradient: Gradients = None,
    *,
    wrt: Sequence[str] = (),
    dtype: Precision = "float64",
) -> dict[str, Array]:
    """By name of a leaf: the gradient of the program's output, or vᵀ·J for a given v."""
    return evaluate(program, inputs, gradient, wrt=wrt, dtype=dtype).grads


class Compiled:
    """A program that is traced, differentiated and planned when it is first called, and once more
    for inputs of other shapes.

    A call takes inputs by name and gives an `Answer`; `gradient` is as in `evaluate`.
    """

    def __init__(self, program: str, options: Options) -> None:
        self.program = program
        self._options = options
        self._plans: Plans[Answer] = Plans(options, _made)
        self._seeds = count() if options.seed is None else None
        _parsed(program, options)

    def __repr__(self) -> str:
        text = self.program if len(self.program) <= _LONGEST else f"{self.program[:_LONGEST]}…"
        return f"<compiled {text!r}>"

    @partial(_worded, advised=Advice.for_calls, inputs="")
    def __call__(self, gradient: Gradients = None, /, **inputs: Given) -> Answer:
        options = self._options
        request = Request(
            self.program,
            _arrays(inputs, options),
            _gradients(gradient, options),
            options.outputs,
            options.wrt,
        )
        return self._plans.run(request, self._seed)

    def _seed(self) -> int:
        return next(self._seeds) if self._seeds else self._options.seed or 0


@_worded
def compile(
    program: str,
    *,
    wrt: Sequence[str] = (),
    outputs: Sequence[str] = (),
    dtype: Precision = "float64",
    seed: int = 0,
) -> Compiled:
    """A function that runs the program's plan again: some microseconds where arrays are small."""
    return Compiled(program, _options(wrt, outputs, dtype, seed, Limits()))


class Judgement(NamedTuple):
    """What `check` finds."""

    verdict: str
    """`pass`, `fail` or `inconclusive`."""
    report: dict[str, Any]
    """What `gradcli check --json` prints: by leaf the evidence, and the causes of mistakes."""

    def __repr__(self) -> str:
        """Without the evidence, which is long."""
        leaves = {name: leaf["verdict"] for name, leaf in self.report["leaves"].items()}
        return f"Judgement({self.verdict!r}, leaves={leaves})"


@_worded
def check(
    program: str,
    inputs: Mapping[str, Given] = EMPTY,
    gradient: Gradients = None,
    *,
    mine: Mapping[str, str | Array] = EMPTY,
    wrt: Sequence[str] = (),
    dtype: Precision = "float64",
) -> Judgement:
    """Whether the gradient is right, by differences, complex step and forward mode.

    `mine` are your own gradients by leaf. A text is a formula over the program's names, judged to
    the rounding of its computation, or numbers, judged to the digits that they have; an array is
    judged by its dtype.
    """
    from dataclasses import replace

    from gradcli.analysis.check import check as judge
    from gradcli.analysis.claims import claimed_numbers, claimed_text
    from gradcli.analysis.diagnosis.claim import differentiate, weighed
    from gradcli.analysis.diagnosis.compare import compare
    from gradcli.analysis.problem import pose
    from gradcli.report.check import data

    options = _options(wrt, (), dtype, None, Limits())
    parsed = _parsed(program, options)
    given = _arrays(inputs, options), _gradients(gradient, options)
    problem = pose(parsed, *given, options)
    compared = []
    if mine:
        problem = weighed(problem)
        walk = differentiate(problem)
    for name, own in mine.items():
        if isinstance(own, str):
            claim, evidence = claimed_text(walk, name, Source(f"mine {name}", own))
        else:
            array = np.asarray(own)
            claim, evidence = claimed_numbers(walk, name, array, array.dtype)
        compared.append(compare(claim, evidence, None))
    found = replace(judge(problem), mine=compared)
    return Judgement(found.verdict, data(found))


@_worded
def derive(
    program: str,
    inputs: Mapping[str, Given] = EMPTY,
    gradient: Gradients = None,
    *,
    wrt: Sequence[str] = (),
) -> str:
    """The gradient as a program of the language, simplified."""
    from gradcli.analysis import single
    from gradcli.analysis.derive import derive as derived
    from gradcli.report.program import render

    options = _options(wrt, (), "float64", None, Limits())
    parsed = _parsed(program, options)
    arrays = _arrays(inputs, options)
    return render(derived(single.run(parsed, arrays, _gradients(gradient, options), options)))


class Page(NamedTuple):
    """A page that needs no other file, and no network; notebooks show it in a frame of its own."""

    html: str

    def __repr__(self) -> str:
        return f"<a page of {len(self.html):,} characters: its text is .html>"

    def _repr_html_(self) -> str:
        from gradcli.report.html import frame

        return frame(self.html)


@_worded
def explain(
    program: str,
    inputs: Mapping[str, Given] = EMPTY,
    gradient: Gradients = None,
    *,
    wrt: Sequence[str] = (),
    outputs: Sequence[str] = (),
    dtype: Precision = "float64",
    seed: int | None = None,
    inside: Sequence[str] = (),
) -> Page:
    """The chain rule step by step, as a page to step through: `gradcli explain --format html`.

    `inside` are functions, `for`, `while`, or steps such as `7-12`, which are opened; or `all`.
    """
    from gradcli.analysis.explain import explain as told
    from gradcli.report.layout import Layout
    from gradcli.report.page import write

    options = _options(wrt, outputs, dtype, seed, Limits())
    parsed = _parsed(program, options)
    arrays, gradients = _arrays(inputs, options), _gradients(gradient, options)
    found = told(parsed, arrays, gradients, options, inside)
    return Page("".join(write(found, Layout(_COLUMNS))))


def _options(
    wrt: Sequence[str], outputs: Sequence[str], dtype: Precision, seed: int | None, limits: Limits
) -> Options:
    return Options(
        wrt=_names(wrt), outputs=_names(outputs), precision=dtype, seed=seed, limits=limits
    )


def _names(given: Sequence[str]) -> tuple[str, ...]:
    """The names; a text is one, not as many as it has letters."""
    return (given,) if isinstance(given, str) else tuple(given)


def _parsed(program: object, options: Options) -> Program:
    if not isinstance(program, str):
        kind = type(program).__name__
        raise GradcliError("usage", f"the program is {kind}: give its text", hint="'mean(x**2)'")
    return parse_program(Source("program", program), options.limits.parse)


def _arrays(inputs: object, options: Options) -> dict[str, Array]:
    if not isinstance(inputs, Mapping):
        kind = type(inputs).__name__
        raise GradcliError("usage", f"inputs are {kind}: give them by name", hint="{'x': [1, 2]}")
    return {name: _array(value, name, options) for name, value in inputs.items()}


def _gradients(given: Gradients, options: Options) -> list[Gradient]:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        return [Gradient(_array(given, "gradient", options))]
    return [Gradient(_array(v, f"gradient {name}", options), name) for name, v in given.items()]


def _array(value: Given, name: str, options: Options) -> Array:
    """The array in the dtypes of the run. Raises `data`."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise GradcliError(
            "data", f"{name}: {error}", hint="give numbers, as NumPy takes"
        ) from None
    if array.dtype.kind not in "fiub":
        raise GradcliError("data", f"{name}: {array.dtype} is no kind of real numbers")
    if not isinstance(value, np.ndarray | np.generic) and array.dtype.kind in "iu":
        array = array.astype(np.float64)
    return to_run_dtype(array, name, options.precision, options.limits.memory_bytes())


def _made(prepared: Prepared) -> Callable[[Mapping[Node, Array]], Answer]:
    return lambda feeds: _answer(prepared.answer(feeds))


def _answer(result: Result) -> Answer:
    return Answer(result.values, result.grads, tuple(note.message for note in result.notes))
