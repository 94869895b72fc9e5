"""No argument of a function makes a run take more memory than it may: each one of each function in
turn is a number that is spread over a huge shape, a huge mask, a huge count or shape.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.cli.deadline import deadline
from gradcli.diagnostics import GradcliError, Source
from gradcli.language import syntax
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS, Case
from gradcli.session import SAFE, Options, evaluate

LIMIT = 2**25
MOST = 1.15 * LIMIT + 2**22
SAFE_BUT_SMALL = Options(limits=SAFE._replace(memory=LIMIT))
HOSTILE = ("zeros(10**8)", "zeros(10**4, 10**4)", "zeros(10**8) == 0", "10**8", "(10**8,)")
USES = ("sum({0})", "if sum({0}) > 0 {{ print(1) }}\n1")
"""A run of a plan, and a value that is looked at while the program is traced."""


def attacks(case: Case) -> Iterator[str]:
    """The case's program with one of its arguments exchanged."""
    program = parse_program(Source("case", case.program), ParseLimits())
    last = program.statements[-1]
    call = last.value if isinstance(last, syntax.Evaluate) else None
    while isinstance(call, syntax.Attribute | syntax.Index):
        call = call.value
    for argument in call.arguments if isinstance(call, syntax.Call) else ():
        start, end = argument.span
        yield from (case.program[:start] + each + case.program[end:] for each in HOSTILE)


def peak(text: str, inputs: dict[str, np.ndarray]) -> int:
    """The bytes that Python and NumPy take at most while a program is run or refused."""
    program = parse_program(Source("program", text), ParseLimits())
    tracemalloc.start()
    try:
        with deadline(20):
            evaluate(program, inputs, (), SAFE_BUT_SMALL)
    except GradcliError:
        pass
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        gc.collect()
    return most


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_argument_takes_more_than_the_limit(name: str) -> None:
    random = np.random.default_rng(1)
    for case in FUNCTIONS[name].cases[:2]:
        inputs = {each: random.uniform(*case.domain, shape) for each, shape in case.shapes.items()}
        for attack in attacks(case):
            for use in USES:
                text = use.format(attack)
                given = {each: array for each, array in inputs.items() if each in text}
                assert peak(text, given) < MOST, text
