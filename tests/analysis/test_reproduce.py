"""Scripts for other libraries, for every op; PyTorch's and JAX's run where those are installed."""

from __future__ import annotations

import builtins
import importlib.util
import keyword
import re
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.derive import derive
from gradcli.analysis.reproduce import reproduce
from gradcli.analysis.single import run
from gradcli.diagnostics import GradcliError
from gradcli.language.tokens import RESERVED
from gradcli.ops import FUNCTIONS, Case
from gradcli.ops.elementwise import Elementwise
from gradcli.report.dialects import DIALECTS
from gradcli.report.module import of_run
from gradcli.session import Gradient, Options, evaluate
from tests.analysis.programs import output_shape, parse
from tests.ops.table_cases import all_cases, each_case, trace

LIBRARIES = ("numpy", "torch", "jax")
X = np.array([[1.0, 2.0], [3.0, 4.0]])
LACKED = {
    ("torch", "orthogonal_complement"): "PyTorch has no gradient of a complete QR",
    ("torch", "spherical_jn"): "PyTorch has order 0 only, without a gradient",
    ("torch", "ierfcx"): "PyTorch has none",
    ("jax", "erfcx"): "JAX has none",
    ("jax", "ierfcx"): "JAX has none",
    ("jax", "spherical_jn"): "JAX has none",
}
"""By library and function: why a script cannot be written."""
LACKED |= {
    (of, name): "pivots count from 0 or 1, and `pivot=False` is there or not, as a library likes"
    for name in ("lu_factor", "lu_unpack")
    for of in LIBRARIES
}
REFUSED = [f"--to {of}: there is no one function for {each} there" for of, each in LACKED]
UNSETTLED = {
    "svd(x, full_matrices=False).Vh": "the signs of singular vectors are free",
    "torch.svd(x).V": "the signs of singular vectors are free",
    "det(x[:, :1] @ x[:1])": "a gradient that is 0 up to rounding",
    "polygamma([[1], [3]], x)": "elsewhere the order is one number",
}


def script(
    text: str,
    library: str,
    gradient: Any = None,
    inputs: Mapping[str, Any] = {"x": X},
) -> str:
    gradients = [] if gradient is None else [Gradient(np.array(gradient))]
    single = run(parse(text), dict(inputs), gradients)
    return of_run(reproduce(single, derive(single)), library)


def execute(text: str) -> None:
    exec(compile(text, "script", "exec"), {"__name__": "__main__"})


@pytest.mark.one_in(9)
@pytest.mark.parametrize("library", LIBRARIES)
@each_case(all_cases())
def test_every_op(name: str, case: Case, library: str) -> None:
    traced = trace(case)
    if traced.output.kind != "float" or case.program in UNSETTLED:
        return
    inputs = {
        shown: traced.feeds[node] for shown, node in zip(case.shapes, traced.inputs, strict=True)
    }
    shape = output_shape(case.program, inputs)
    gradient = np.random.default_rng(7).uniform(0.5, 1.5, shape) if shape else None
    try:
        written = script(case.program, library, gradient, inputs)
    except GradcliError as error:
        if str(error) not in REFUSED:
            raise
        return
    compile(written, "script", "exec")
    if importlib.util.find_spec(library):
        execute(written)


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_name_is_there(library: str) -> None:
    pytest.importorskip(library)
    dialect = DIALECTS[library]
    words: dict[str, Any] = {}
    exec("\n".join(dialect.imports.values()), words)
    for name in {dialect.array, *filter(None, map(dialect.name, FUNCTIONS.values()))}:
        first, *rest = name.removeprefix("scipy.").split(".")
        if name not in dialect.definitions():
            assert callable(reduce(getattr, rest, words[first])), name


PLAIN = [
    *sorted(
        f"{name}({', '.join(['1', '0.5', '-2'][: len(each.operands)])})"
        for name, each in FUNCTIONS.items()
        if name == each.name and isinstance(each.op, Elementwise) and not each.variant
        if "float" in each.op.takes and not each.op.refuses
    ),
    *("1/0", "0/0", "0**-1", "(-8)**(1/3)", "-1 // 0", "5 % 0", "10.0**400", "2*pi + 2**0.5"),
]
"""Calls and operators on numbers alone, for which no library's rules are Python's."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "text",
    [
        *PLAIN,
        *(f"{name}(3)" for name in ("sum", "mean", "prod", "amax", "norm", "logsumexp", "median")),
        "sqrt(2*pi)",
        "sqrt(abs(-2) * exp(1))",
        "mean(arange(3))",
        "reciprocal(arange(1, 4, 1)) @ arange(3)**-1",
        "where(2 > 1, 3, 4)",
        "softmax([3, 4], 0)[0]",
    ],
)
def test_numbers_alone(text: str, library: str) -> None:
    """What is computed from no tensor is the same number there."""
    inputs = {"x": np.array([1.0, 2.0])}
    program = f"c = {text}; y = sum(x**2) * where(isfinite(c), c, 3)"
    if any((library, each) in LACKED for each in re.findall(r"\w+", text)):
        with pytest.raises(GradcliError, match="no one function"):
            script(program, library, None, inputs)
        return
    written = script(program, library, None, inputs)
    compile(written, "script", "exec")
    if importlib.util.find_spec(library):
        with np.errstate(all="ignore"):
            execute(written)


@pytest.mark.parametrize(
    ("text", "gradient"),
    [
        ("z = (2*x)**3; out = mean(z)", None),
        ("tanh(x) @ x.T", [1.0, 0.5]),
        ("where(x > 2, log(x), x**2)", [1.0, 2.0]),
        ("sigmoid(x[0]) * logsumexp(softmax(x, dim=1)) + relu(x[1])", [1.0, 2.0]),
        ("x * sum(exp(x), dim=0, keepdim=True)", [1.0, 2.0]),
    ],
)
def test_numpy_agrees(text: str, gradient: list[float] | None) -> None:
    written = script(text, "numpy", gradient)
    execute(written)
    with pytest.raises(AssertionError):
        execute(written.replace("difference(found[0],", "difference(2 * found[0],"))


def test_torch() -> None:
    written = script("z = (2*x)**3; out = mean(z)", "torch")
    assert written.startswith("import torch\n\n\n")
    assert written.endswith(
        "\n\n\n@computes_in(torch.float64)\n"
        "def value_and_grad(x):\n"
        '    """The value of out, and the gradient by x.\n\n'
        "    x: (2, 2)\n"
        '    """\n'
        "    x = x.detach().requires_grad_()\n"
        "    out = torch.mean((2 * x)**3)\n"
        "    return (out,), torch.autograd.grad([out], [x], [torch.tensor(1, dtype=torch.float64)],"
        " allow_unused=True, materialize_grads=True)\n\n\n"
        'if __name__ == "__main__":\n'
        "    values, found = value_and_grad(\n"
        "        x=torch.tensor([[1, 2], [3, 4]], dtype=torch.float64),\n"
        "    )\n"
        "    differences = [\n"
        "        difference(found[0], torch.tensor([[6, 24], [54, 96]], dtype=torch.float64), "
        "rtol=1e-09, atol=1e-10),\n"
        "    ]\n"
        '    print(f"agrees to {max(differences):.0e}")\n'
    )


def test_a_module_leaves_the_default_dtype_of_pytorch_alone() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        execute(script("sum(x * eye(2))", "torch"))
        assert torch.get_default_dtype() == torch.float32
    finally:
        torch.set_default_dtype(before)


def test_jax() -> None:
    written = script("z = (2*x)**3; out = mean(z)", "jax")
    compile(written, "script", "exec")
    expected = "    def f(x):\n        out = jnp.mean((2 * x)**3)\n        return [out]\n"
    assert expected in written


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_value_of_the_program_as_leaf(library: str) -> None:
    """d sum(h**2) / dh is 2·h."""
    pytest.importorskip(library)
    single = run(parse("h = x * 2; sum(h**2)"), {"x": X}, [], Options(wrt=("h",)))
    execute(of_run(reproduce(single, derive(single)), library))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("text", "gradient"), [("tanh(x) @ x.T", [1.0, 0.5]), ("sum(exp(x)) * x[0, 0]", None)]
)
def test_value_and_grad_computes_both(
    text: str, gradient: list[float] | None, library: str
) -> None:
    """It takes other values than those that it was made with."""
    pytest.importorskip(library)
    words: dict[str, Any] = {"__name__": "module"}
    exec(compile(script(text, library, gradient), "module", "exec"), words)
    inputs = {"x": X + 0.5}
    given = [] if gradient is None else [np.broadcast_to(np.array(gradient), (2, 2))]
    here = evaluate(parse(text), inputs, [Gradient(each) for each in given])
    asarray: Any = words["torch"].tensor if library == "torch" else np.array
    values, found = words["value_and_grad"](*map(asarray, [X + 0.5, *given]))
    (value,) = here.outputs
    np.testing.assert_allclose(
        values[0].detach() if library == "torch" else values[0], here.values[value]
    )
    np.testing.assert_allclose(found[0], here.grads["x"])


WORDS = sorted(
    {*builtins.__dict__, *keyword.kwlist, *keyword.softkwlist, "_", "__", "f", "v", "t1", "x_grad"}
    | {"inf", "nan", "pi", "e", "math", "grad", "main", "float_", "lambda_", "np", "jnp", "t"}
    | {word for each in DIALECTS.values() for word in (*each.imports, *each.definitions())}
    | {
        part
        for each in DIALECTS.values()
        for name in filter(None, map(each.name, FUNCTIONS.values()))
        for part in name.split(".")
    }
)
"""What a script in Python may mean by a name: constants, built-in functions, modules, their names,
and what the scripts themselves define.
"""
USABLE = [word for word in WORDS if word not in RESERVED and not word.startswith("__build")]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("start", range(0, len(USABLE), 40))
def test_names_that_a_script_cannot_use(library: str, start: int) -> None:
    """Each is a leaf of its own, with infinity and functions at hand."""
    inputs = {name: np.array(1.0 + i) for i, name in enumerate(USABLE[start : start + 40])}
    terms = [f"{i + 2} * sin({name})" for i, name in enumerate(inputs)]
    text = f"sum(relu([{', '.join(terms)}])) + detach(sum([[1.0 / 0, 1]]))"
    written = script(text, library, None, inputs)
    compile(written, "script", "exec")
    if importlib.util.find_spec(library):
        with np.errstate(all="ignore"):  # of 1 / 0, which the program says
            execute(written)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["inf", "nan", "pi", "e"])
def test_a_name_of_a_number_that_is_the_users(library: str, name: str) -> None:
    inputs = {name: np.array([1.0, 2.0]), "x": np.array([np.inf, 4.0])}
    written = script(f"sum({name}*x)", library, None, inputs)
    compile(written, "script", "exec")
    if importlib.util.find_spec(library):
        execute(written)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_name_that_python_uses_for_infinity(library: str) -> None:
    inputs = {"float": np.array([1.0, np.inf]), "w": np.array([1.0, 2.0])}
    written = script("sum(float*w)", library, None, inputs)
    if importlib.util.find_spec(library):
        execute(written)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_wrong_gradient_is_noticed(library: str) -> None:
    pytest.importorskip(library)
    written = script("z = (2*x)**3; out = mean(z)", library)
    with pytest.raises(AssertionError):
        execute(written.replace("54", "54.001"))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "text",
    [
        "sum(softmax(x, 0))",  # always 1
        "sum(eigh(outer(x, x) + diag(x))[1]**2)",  # always 3, the eigenvectors being unit vectors
        "sum(layer_norm(x, [3]))",  # always 0
    ],
)
def test_terms_that_cancel_leave_roundings_which_may_differ(text: str, library: str) -> None:
    pytest.importorskip(library)
    execute(script(text, library, None, {"x": np.array([1.0, 2.0, 3.0])}))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_small_gradient_is_told_from_roundings(library: str) -> None:
    pytest.importorskip(library)
    written = script("1e-30 * sum(x**3)", library)
    assert written.count("2.7e-29") == 1
    execute(written)
    with pytest.raises(AssertionError):
        execute(written.replace("2.7e-29", "2.70001e-29"))


def test_a_leaf_that_no_path_reaches() -> None:
    pytest.importorskip("torch")
    written = script("y = x**2 + detach(w)", "torch", X, {"x": X, "w": X})
    execute(written)


def test_float32_is_compared_with_its_own_precision() -> None:
    single = run(parse("sum(exp(x))"), {"x": X}, [], Options(precision="float32"))
    execute(of_run(reproduce(single, derive(single)), "numpy"))


def test_a_function_that_a_library_lacks() -> None:
    with pytest.raises(GradcliError, match="no one function for erfcx"):
        script("sum(erfcx(x))**2", "jax")
