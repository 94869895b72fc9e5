"""Kinds of results for every mixture of kinds of operands, as PyTorch 2.13 gives them.

`kinds/make_kinds.py` makes kinds.json; PyTorch is not needed here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS
from gradcli.ops.deviations import DIFFERENCES
from gradcli.session import Options, evaluate
from tests.ops.goldens.golden import Array, decode
from tests.ops.kinds.kinds import LETTERS, PATH, as_kind
from tests.ops.table_cases import held_to_pytorch

RECORDS = json.loads(PATH.read_text())

OF_ONE_KIND = {
    "FloatTensor", "arange", "eye", "linspace", "logspace", "one_hot", "ones", "rand", "rand_like",
    "randn", "randn_like", "tril_indices", "triu_indices", "zeros",
}  # fmt: skip
"""Their kind does not depend on that of operands."""
OUR_OWN = {"cofactors", "decay", "log_odds", "orthogonal_complement", "put_add", "recurrence"}
"""PyTorch has no such functions, or does not let them be differentiated."""

NUMBERS = "numbers in programs"
COUNTS = "`mm`, `bmm` and `einsum` of truth values"
FRACTION = "`addmm` and others that multiply integers by a fraction"
CUT = "`avg_pool1d` and `hinge_embedding_loss` of integers"
LOGICAL = "`addcmul` of truth values"
MASK = "a mask of `scaled_dot_product_attention`"
"""How differences begin that `gradcli ops --deviations` lists, with their reasons."""

KINDS_DIFFER = {
    **dict.fromkeys(
        ("add(x, 2)", "torch.add(x, 2, alpha=3)", "x**2", "x**3", "x**0", "2**x", "pow(0, x)",
         "clamp(x, y, y + 1)", "vstack([x, 2*x])", "hstack([x, 2*x])", "dstack([x, 2*x])",
         "stack([x, 2*x])", "column_stack([x, 2*x])", "cat([x, 2*x, x[:1]])",
         "scatter(x, 0, argsort(x, 0), 2*x)", "meshgrid(x, 2*x)[1]", "cartesian_prod(x, 2*x)",
         "block_diag(x, 2*x)", "outer(x, 2*x)", "dot(x, 2*x)", "inner(x, 2*x)", "matmul(x, 2*y)",
         "torch.linalg.cross(x, 2*x + 1)", "np.cross(x, x**2)", "masked_scatter(x, x > 0, 2*x)",
         "addbmm(x, stack([x, 2*x]), stack([x.T @ x, x.T @ x]))"),
        NUMBERS,
    ),
    **dict.fromkeys(("mm(x, y)", "bmm(x, y)", "einsum('ij,jk->kij', x, y)"), COUNTS),
    "hinge_embedding_loss(x, y, reduction='sum')": CUT,
    "hinge_embedding_loss(x, y, reduction='none')": CUT,
}  # fmt: skip
"""Programs whose numbers are PyTorch's for every mixture, but not whose kind."""
VALUES_DIFFER = {
    "avg_pool": CUT,
    "F.avg_pool3d": CUT,
    "F.lp_pool": CUT,
    "F.local_response_norm": CUT,
    "hinge_embedding_loss(x, y, margin": CUT,
    "addcmul(x, y, x, value=0.5)": FRACTION,
    "addmm(y[0], x, y, beta=0.5": FRACTION,
    "baddbmm(y[0, 0], x, y, beta=0.5": FRACTION,
    "addcmul(x, y, w)": LOGICAL,
    "scaled_dot_product_attention(q, k, v, m)": MASK,
}
"""How programs begin whose numbers are others than PyTorch's for some mixtures."""


def ours(program: str, inputs: Mapping[str, Array]) -> Array:
    """gradcli's value."""
    parsed = parse_program(Source("kinds", program), ParseLimits())
    result = evaluate(parsed, dict(inputs), (), Options(forward_only=True))
    (name,) = result.outputs
    return np.asarray(result.values[name])


def check(found: Array, expected: Array, what: str) -> None:
    """Equal except in digits, which test_goldens.py checks."""
    np.testing.assert_allclose(
        found.astype(float), expected.astype(float), rtol=1e-6, atol=1e-9, err_msg=what
    )


@pytest.mark.one_in(5)
@pytest.mark.parametrize("record", RECORDS, ids=lambda each: each["program"])
def test_kind(record: dict[str, Any]) -> None:
    """PyTorch's kind and values; where it refuses a mixture, the values of the same as floats."""
    program = record["program"]
    values_differ = program.startswith(tuple(VALUES_DIFFER))
    arrays = {name: decode(stored) for name, stored in record["inputs"].items()}
    for kinds, answer in record["found"].items():
        chosen = dict(zip(record["varied"], kinds.split(), strict=True))
        inputs = {
            name: as_kind(array, chosen[name]) if name in chosen else array
            for name, array in arrays.items()
        }
        what = f"{program} of {kinds}"
        if "result" in answer:
            expected = decode(answer["result"])
            found = ours(program, inputs)
            if program not in KINDS_DIFFER and not values_differ:
                assert LETTERS[found.dtype.kind] == LETTERS[expected.dtype.kind], what
        else:
            floats = {
                name: array.astype(float) if name in chosen else array
                for name, array in inputs.items()
            }
            try:
                found, expected = ours(program, inputs), ours(program, floats)
            except GradcliError:
                continue  # refused here too
        if not values_differ:
            check(found, expected, what)


def test_every_function_is_there() -> None:
    """Each function of the op table with operands that PyTorch has under a name of its own; those
    with a module in front are made of these.
    """
    functions = filter(held_to_pytorch, FUNCTIONS.values())
    names = {each.name for each in functions if "." not in each.name}
    assert names - {record["function"] for record in RECORDS} == OF_ONE_KIND | OUR_OWN


def test_every_exception_is_one() -> None:
    programs = [record["program"] for record in RECORDS]
    assert set(KINDS_DIFFER) <= set(programs)
    for begin in VALUES_DIFFER:
        assert any(program.startswith(begin) for program in programs), begin
    for difference in {*KINDS_DIFFER.values(), *VALUES_DIFFER.values()}:
        assert any(listed.where.startswith(difference) for listed in DIFFERENCES), difference


@pytest.mark.parametrize(
    ("program", "kind", "value"),
    [
        ("m = (x > 5)*(x < 7); sum(x[m])", "float", 6),
        ("m = where(x > 5, x < 7, x > 6); sum(x[m])", "float", 6),
        ("m = (x > 6) + (x < 6); sum(x[m])", "float", 12),
        ("m = maximum(x > 6, x < 6); sum(x[m])", "float", 12),
        ("m = masked_fill(x > 5, x > 6, False); sum(x[m])", "float", 6),
        ("m = pad((x > 5)[1:], (1, 0)); sum(x[m])", "float", 13),
        ("m = scatter(x > 5, 0, [0], x > 4); sum(x[m])", "float", 18),
        ("sum(x[ones_like(x > 5)])", "float", 18),
        ("sum(x[zeros_like(x > 5)])", "float", 0),
        ("sum(x[full_like(x > 5, 1)])", "float", 18),
        ("x[amax(x > 5, 0).long()]", "float", 6),
    ],
)
def test_masks_that_were_computed_with(program: str, kind: str, value: float) -> None:
    """Values by hand: x is [5, 6, 7]."""
    found = ours(program, {"x": np.array([5.0, 6.0, 7.0])})
    assert (LETTERS[found.dtype.kind], found.tolist()) == (kind, value)


N = 2**61 + 1
"""Beyond 2**53, where floats leave integers out."""


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("n + n", 2 * N),
        ("n * n", 2**62 + 1),  # of (2**61 + 1)**2 = 2**122 + 2**62 + 1 the last 64 bits
        ("sum(n)", N),
        ("maximum(n, n - n)", N),
        ("cumsum(n, 0)[-1]", N),
        ("-n", -N),
        ("n // sum(n > 0)", N),
        ("n ** sum(n > 0)", N),
        ("amax(n)", N),
        ("prod(n)", N),
        ("abs(-n)", N),
        ("dot(n, (n > 0).long())", N),
        ("where(n > 0, n, n)", N),
        ("n.detach().clone()", N),
    ],
)
def test_integers_are_exact(program: str, wanted: int) -> None:
    found = ours(program, {"n": np.array([N])})
    assert found.dtype == np.int64
    assert found.item() == wanted


@pytest.mark.parametrize("call", ["masked_fill(n, n > 0, -2)", "index_fill(n, 0, [0], -2)"])
def test_a_negative_number_takes_the_kind_of_what_it_fills(call: str) -> None:
    found = ours(call, {"n": np.array([3])})
    assert found.dtype == np.int64
    assert found.item() == -2
