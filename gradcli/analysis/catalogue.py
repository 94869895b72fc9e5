"""Descriptions of functions: the entry in the op table, the derivative in symbols, and an example.

The derivative is built by the rules of the op table for the example's shapes, so it is always the
one that is used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gradcli.analysis.derive import derive
from gradcli.analysis.meaning import Meaning
from gradcli.analysis.single import run
from gradcli.diagnostics import GradcliError, Source, nearest
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import CONSTANT, INPUT, Array, Node, Op, Shape
from gradcli.language.construct import argument
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_expression
from gradcli.language.syntax import Assign, Expression, Name, Program, Statement
from gradcli.ops import FUNCTIONS, Case, Function
from gradcli.ops.deviations import DEVIATIONS, Deviation
from gradcli.result import Result
from gradcli.session import Gradient, Options, evaluate, prepare
from gradcli.spelling.textbook import instantiate
from gradcli.trace.outside import advice
from gradcli.walks import ancestors

SEED = 1
"""The seed of examples that draw random numbers."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call with small inputs, and its computed answer."""

    program: str
    inputs: Mapping[str, Array]
    gradient: Array | None
    """The v of an output of several elements."""
    result: Result


@dataclass(frozen=True, slots=True)
class Description:
    """A function of the language, explained."""

    function: Function
    example: Example | None
    derivative: Program | None
    """Assignments to `NAME_grad`; None where nothing can be differentiated."""
    formula_holds: bool = False
    """Whether the function's formula is a sentence of the language that gives the example's value;
    others are words and sketches.
    """
    textbook: Mapping[str, str] = field(default_factory=dict)
    """By parameter its gradient as textbooks write it, for calls as in the example."""

    @property
    def deviations(self) -> list[Deviation]:
        """Where it differs from PyTorch."""
        return [each for each in DEVIATIONS if self.function.name in each.functions]

    @property
    def beside_kernels(self) -> dict[str, list[str]]:
        """Ops that are not in generated kernels where a GPU computes, by whose they are."""
        found: dict[str, list[str]] = {}
        nodes = ancestors(self.example.result.outputs.values()) if self.example else []
        for op in dict.fromkeys(node.op for node in nodes):
            generated = op.cuda or op.combine or op.parts
            if not (generated or op.view or op is INPUT or op is CONSTANT):
                found.setdefault(_library(op), []).append(op.name)
        return found


def _library(op: Op) -> str:
    """Whose function computes an op that is in no generated kernel, where a GPU computes."""
    if op.host == math.inf:
        return "numpy"
    return f"numpy up to {op.host:,} elements, cupy" if op.host else "cupy"


def groups() -> dict[str, list[Function]]:
    """All functions, each once, by group; groups and functions in alphabetical order."""
    found: dict[str, list[Function]] = {}
    for function in {entry.name: entry for entry in FUNCTIONS.values()}.values():
        found.setdefault(function.group, []).append(function)
    return {
        group: sorted(found[group], key=lambda function: function.name.lower())
        for group in sorted(found)
    }


def describe(name: str) -> Description:
    """The function that a program calls by this name; the error `name` if there is none."""
    function = FUNCTIONS.get(name)
    if function is None:
        guess = nearest(name, FUNCTIONS)
        raise GradcliError(
            "name",
            f"there is no function {name!r}",
            hint=advice(name)
            or (f"did you mean {guess!r}?" if guess else "gradcli ops lists all functions"),
        )
    if not function.cases:
        return Description(function, None, None)
    case = function.cases[0]
    if function.operands:  # elementwise: single values show the rule best
        case = Case(case.program, dict.fromkeys(case.shapes, ()), case.domain, case.smooth)
    example, called = _example(case), _called(function, case)
    return Description(
        function,
        example,
        _derivative(case),
        called is not None and called.holds(function.formula, called.value),
        _textbook(function, called, example),
    )


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a function in its example, over the names of its parameters."""

    meaning: Meaning
    """Knows the tensors among the arguments, and `result`."""
    operands: Mapping[str, Expression]
    """The other arguments."""
    shapes: Mapping[str, Shape]
    places: Mapping[str, str]
    """By parameter the input that is passed there."""
    value: Array

    def holds(self, text: str, value: Array) -> bool:
        """Whether a formula of the entry is a sentence of the language with this value."""
        try:
            found = self.meaning.value(
                print_expression(instantiate(text, self.operands, self.shapes))
            )
        except (GradcliError, IndexError):
            return False  # it is for other arguments
        if found is None or found.shape != value.shape:
            return False
        return np.allclose(found, value, rtol=1e-9, atol=1e-12, equal_nan=True)


def _called(function: Function, case: Case) -> _Call | None:
    """The call in the example; None where it does not give one tensor."""
    program, inputs = _program(case), _inputs(case)
    prepared = prepare(program, inputs, (), Options(seed=SEED, forward_only=True, passages=True))
    evaluator = Evaluator(prepared.feeds(inputs), prepared.graph.ledger)
    for passage in prepared.passages.ended if prepared.passages else ():
        if passage.function is function and isinstance(passage.result, Node):
            meaning = Meaning("float64")
            operands: dict[str, Expression] = {}
            shapes: dict[str, Shape] = {}
            places: dict[str, str] = {}
            for parameter in function.parameters:
                value = passage.arguments.get(parameter.name, parameter.default)
                if isinstance(value, Node):
                    meaning.learn(parameter.name, evaluator.value(value))
                    shapes[parameter.name] = value.shape
                    if value.op is INPUT:
                        places[parameter.name] = value.attributes[0]
                elif value is None or isinstance(value, int | float | str | tuple):
                    operands[parameter.name] = argument(value)
            found = evaluator.value(passage.result)
            meaning.learn("result", found)
            return _Call(meaning, operands, shapes, places, found)
    return None


def _textbook(function: Function, called: _Call | None, example: Example) -> dict[str, str]:
    """The gradients that the entry states: of several texts for a parameter, that which holds in
    the example.
    """
    found = {}
    if called is not None:
        cotangent = np.ones(()) if example.gradient is None else example.gradient
        called.meaning.learn("cotangent", cotangent)
    for title, stated in function.gradients.items():
        texts = (stated,) if isinstance(stated, str) else tuple(stated)
        found[title] = texts[0]
        grad = example.result.grads.get(called.places.get(title, "")) if called else None
        if called is not None and grad is not None:
            found[title] = next((x for x in texts if called.holds(x, grad)), texts[0])
    return found


def _example(case: Case) -> Example:
    program, inputs = _program(case), _inputs(case)
    gradient = _gradient(program, inputs)
    if gradient is None or not inputs:
        result = evaluate(program, inputs, (), Options(seed=SEED, forward_only=True))
        gradient = None
    elif gradient.size == 1:
        result = evaluate(program, inputs, (), Options(seed=SEED))
        gradient = None
    else:
        result = evaluate(program, inputs, [Gradient(gradient)], Options(seed=SEED))
    if not result.graph.draws:
        result = result._replace(seed=None)
    return Example(program.source.text, inputs, gradient, result)


def _derivative(case: Case) -> Program | None:
    """The statements that compute the grads, over the names of the inputs and v."""
    program, inputs = _program(case), _inputs(case)
    gradient = _gradient(program, inputs)
    if gradient is None:
        return None
    given = [Gradient(gradient)] if gradient.shape else []
    try:
        derived = derive(run(program, inputs, given, Options(seed=SEED)))
    except GradcliError as error:
        if error.diagnostic.code in ("no-grad", "not-differentiable"):
            return None
        raise
    bound = {*inputs, "v"}
    statements = tuple(each for each in derived.program.statements if _target(each) not in bound)
    return Program(derived.program.source, statements)


def _target(statement: Statement) -> str:
    if isinstance(statement, Assign) and isinstance(statement.target, Name):
        return statement.target.id
    return ""


def _program(case: Case) -> Program:
    output = "y" if "y" not in case.shapes else "out"
    return parse_program(Source("example", f"{output} = {case.program}"), ParseLimits())


def _gradient(program: Program, inputs: Mapping[str, Array]) -> Array | None:
    """1, 2, 3, … in the output's shape, so that elements differ; None if the output is not a
    float.
    """
    result = evaluate(program, inputs, (), Options(seed=SEED, forward_only=True))
    value = next(iter(result.values[output] for output in result.outputs))
    if value.dtype.kind != "f":
        return None
    return np.arange(1.0, value.size + 1).reshape(value.shape)


def _inputs(case: Case) -> dict[str, Array]:
    """Numbers with few digits, spread over the domain, all different and not close to a kink."""
    low, high = case.domain
    inputs = {}
    for place, (name, shape) in enumerate(case.shapes.items()):
        size = int(np.prod(shape))
        spread = (np.arange(size) * 5 % max(size, 1) + 0.7 - 0.2 * place) / max(size, 1)
        inputs[name] = np.round(low + (high - low) * spread, 2).reshape(shape)
    return inputs
