"""Values that an op cannot take, such as an index out of range, are an error whatever is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from math import prod
from pkgutil import iter_modules
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest

from gradcli import ops
from gradcli.analysis import problem, single
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array, Op
from gradcli.language.parser import parse_program
from gradcli.ops import FUNCTIONS, Case
from gradcli.options import DEFAULT
from gradcli.session import evaluate
from tests.ops.table_cases import all_cases, each_case, trace

CASES = list(all_cases())


# --- which ops may refuse ------------------------------------------------------------------


def names_in(code: CodeType) -> set[str]:
    """The global names that a function and those within it look up."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*map(names_in, inner))


def may_raise(forward: Callable[..., Any]) -> bool:
    """Whether a forward function, or one that it calls by name, mentions the error of gradcli."""
    stack, seen = [forward], set[FunctionType]()
    while stack:
        function = stack.pop()
        if not isinstance(function, FunctionType) or function in seen:
            continue
        seen.add(function)
        known = {name: function.__globals__.get(name) for name in names_in(function.__code__)}
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        found = [*known.values(), *cells]
        if GradcliError in found:
            return True
        stack += [each for each in found if getattr(each, "__module__", "").startswith("gradcli.")]
    return False


def all_ops() -> set[Op]:
    """The ops of the table, and those that only derivatives and compositions use."""
    modules = [import_module(f"gradcli.ops.{each.name}") for each in iter_modules(ops.__path__)]
    values = [value for module in modules for value in vars(module).values()]
    named = {value for value in values if isinstance(value, Op)}
    return named | {function.op for function in FUNCTIONS.values() if function.op is not None}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("op", sorted(all_ops(), key=str), ids=str)
def test_an_op_that_may_refuse_says_so(op: Op) -> None:
    assert op.refuses == may_raise(getattr(op, "_forward", op.forward))


# --- what comes of it ----------------------------------------------------------------------


def code_of(program: str, inputs: dict[str, Array], **asked: Any) -> str:
    """The code of the error that a program ends in; empty where it ends well."""
    parsed = parse_program(Source("program", program), DEFAULT.limits.parse)
    try:
        evaluate(parsed, inputs, options=DEFAULT._replace(seed=1, **asked))
    except GradcliError as error:
        return error.diagnostic.code
    return ""


def wrong(case: Case) -> list[tuple[str, dict[str, Array]]]:
    """The case on values that some function cannot take: none of them is in the table."""
    fills = [0.0, -7.5, 7.0, np.nan]
    filled = [{name: np.full(s, fill) for name, s in case.shapes.items()} for fill in fills]
    drawn = {name: np.linspace(0.1, 0.9, prod(s)).reshape(s) for name, s in case.shapes.items()}
    elsewhere = re.sub(r"(?<=[\[ ])\d+(?=[],])", "99", case.program)
    return [*((case.program, inputs) for inputs in filled), (elsewhere, drawn)]


@pytest.mark.one_in(3)
@each_case(CASES)
def test_an_error_does_not_depend_on_what_is_shown(name: str, case: Case) -> None:
    if not trace(case).output.graph.refusing:
        return
    for program, inputs in wrong(case):
        shown = code_of(f"unneeded = {program}\n1", inputs, forward_only=True)
        for values in ("outputs", "none"):
            found = code_of(f"unneeded = {program}\n1", inputs, forward_only=True, values=values)
            assert found == shown, (program, inputs)


UNNEEDED = {
    "y = x[[5]]": "index",
    "y = x[[0, -4]]": "index",
    "y = x[long(x) + 3]": "index",
    "y = zeros_like(gather(x, 0, [3]))": "index",
    "y = take(x, [3])": "index",
    "y = index_select(x, 0, [3])": "index",
    "y = one_hot([3], 3)": "index",
    "y = embedding([3], eye(3))": "index",
    "y = scatter(x, 0, [3], x)": "index",
    "y = index_put(x, [[3]], x[:1])": "index",
    "y = cross_entropy(x, 3)": "index",
    "y = inv(zeros(2, 2))": "singular",
    "y = cholesky(-eye(2))": "singular",
    "y = long(x) // long(0*x)": "value",
    "for i in range(2) { y = x[[i + 2]] }": "index",
    "f(i) = x[[i]]; y = f(7)": "index",
}


@pytest.mark.parametrize(("statement", "code"), UNNEEDED.items())
def test_a_wrong_statement_is_an_error_though_nothing_needs_it(statement: str, code: str) -> None:
    program, inputs = f"{statement}; z = sum(x)", {"x": np.array([1.0, 2.0, 3.0])}
    for values in ("all", "outputs", "none"):
        assert code_of(program, inputs, values=values) == code
    parsed = parse_program(Source("program", program), DEFAULT.limits.parse)
    for analyse in (problem.pose, single.run):
        with pytest.raises(GradcliError) as caught:
            analyse(parsed, inputs, (), DEFAULT)
        assert caught.value.diagnostic.code == code
        assert caught.value.diagnostic.span is not None
        assert caught.value.diagnostic.source is not None


def test_an_index_that_is_not_reached_is_no_error() -> None:
    assert not code_of("y = 0; if x[0] > 5 { y = x[[7]] }; sum(x) + y", {"x": np.ones(3)})
