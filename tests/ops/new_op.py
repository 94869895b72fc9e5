"""What `test_new_op` runs in its copy of the package, which has `cubed` and no PyTorch."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from gradcli.analysis.derive import derive
from gradcli.analysis.reproduce import reproduce
from gradcli.analysis.single import run
from gradcli.diagnostics import Source
from gradcli.engine.cuda import sweep_of
from gradcli.engine.region import Region
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.syntax import Evaluate, Program
from gradcli.ops import FUNCTIONS
from gradcli.report import latex
from gradcli.report.module import of_run
from gradcli.session import evaluate
from gradcli.trace.arguments import signature
from tests.ops.table_cases import trace

X = np.array([0.5, -1.0, 2.0])
CUBED = FUNCTIONS["cubed"]


def parse(text: str) -> Program:
    return parse_program(Source("program", text), ParseLimits())


def test_pytorch_is_not_there() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("torch")


@pytest.mark.parametrize("call", ["cubed(x)", "x.cubed()", "cubed(x=x)"])
def test_value_and_gradient(call: str) -> None:
    result = evaluate(parse(f"sum({call})"), {"x": X})
    np.testing.assert_allclose(result.values["out"], 0.125 - 1 + 8)
    np.testing.assert_allclose(result.grads["x"], [0.75, 3, 12])


def test_documentation() -> None:
    assert [p.name for p in CUBED.parameters] == ["x"]
    assert signature(CUBED) == "cubed(x)"
    assert (CUBED.group, CUBED.doc, CUBED.formula) == ("powers", "x times its square.", "x**3")


def test_cuda() -> None:
    (node,) = [traced.output for traced in map(trace, CUBED.cases) if traced.output.shape]
    region = Region(node.shape, (node,), (), node.inputs, (node,))
    assert sweep_of(region, ()).lines == ("const T v0 = a0 * a0 * a0;",)


def test_latex() -> None:
    (statement,) = parse("cubed(x) + 1").statements
    assert isinstance(statement, Evaluate)
    assert latex.Mathematics().of(statement.value) == "x^3 + 1"


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_scripts_for_other_libraries_define_it(library: str) -> None:
    single = run(parse("z = cubed(x); sum(z * z)"), {"x": X}, ())
    written = of_run(reproduce(single, derive(single)), library)
    code = compile(written, "script", "exec")
    assert "def cubed(x):\n    return x**3" in written
    if library == "numpy":
        exec(code, {"__name__": "__main__"})  # it compares what it computes
