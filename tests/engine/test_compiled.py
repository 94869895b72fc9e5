"""What a compiler makes of regions gives what NumPy gives, in single units of the last place."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli import grad
from gradcli.diagnostics import GradcliError
from gradcli.engine.compiled import KEPT, _loaded, compilable, filling, source
from gradcli.engine.cpu import compute
from gradcli.engine.kernels import kernel
from gradcli.engine.region import Region, RegionRunner, alone
from gradcli.engine.swept import LARGE
from gradcli.engine.writing_out import Swept
from gradcli.graph import Array, Graph, Node
from gradcli.ops import FUNCTIONS, Function
from gradcli.ops.kinds import cast

COMPILER = shutil.which("c++")

pytestmark = pytest.mark.skipif(not COMPILER, reason="there is no C++ compiler")

SPECIAL = np.array([
    0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 2, -2.5, 5e-324, 1e-300, 1e300, -1e300, 3, 30,
    -30, 700, -700, 800, -800,
])  # fmt: skip
ULP = 4
"""glibc's functions for several lanes are said to be this near."""
OWN = {
    "lgamma": "SciPy's infinity at -inf has another sign",
    **dict.fromkeys(
        ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"), "of 1e300 SciPy has no digit right"
    ),
    "gaussian": "its rates are 1/2 and 1, whose products are exact",
}
"""Functions that get no special values, and why."""
CANCELLING = {"logaddexp", "logaddexp2", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"}
"""Near their zeros these have an error of an ulp of 1."""


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADCLI_CXX", "c++")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def samples(function: Function, size: int) -> list[Array]:
    """Operands of an elementwise function: special values in all pairs, then its domain."""
    low, high = function.cases[0].domain
    drawn = np.random.default_rng(5).uniform(low, high, (len(function.operands), size))
    if function.name not in OWN:
        count = len(SPECIAL)
        for row, special in zip(
            drawn, (np.tile(SPECIAL, count), np.repeat(SPECIAL, count)), strict=False
        ):
            row[: special.size] = special
    elif function.name == "gaussian":
        drawn[1] = np.where(drawn[1] > 0, 0.5, 1.0)
    return [*drawn]


def far(found: Array, right: Array, scale: float) -> Array:
    """Which elements differ by more than some units of the last place, of the scale at least."""
    with np.errstate(all="ignore"):
        off = np.abs(found - right) > ULP * np.spacing(np.maximum(np.abs(right), scale))
    both = np.isfinite(found) & np.isfinite(right)
    wrong: Array = np.where(both, off, ~((found == right) | (np.isnan(found) & np.isnan(right))))
    return wrong


def room(_: Node, shape: Any, dtype: Any) -> Array:
    return np.empty(shape, dtype)


def check_functions(functions: Sequence[Function]) -> int:
    """Compile the functions together; how many of them there were."""
    graph, size = Graph("float64"), 1000 + 7  # the last piece is not full
    given: list[tuple[Function, list[Array], Node]] = []
    operands: list[Node] = []
    for function in functions:
        values = samples(function, size)
        nodes = [graph.input("x", (size,), "float") for _ in values]
        is_of_floats = function.op is not None and "float" in function.op.takes
        if not is_of_floats:
            nodes = [graph.input("x", (size,), "bool") for _ in values]
            values = [each > 0 for each in values]
        node = function(*nodes)
        if node.inputs == tuple(nodes) and compilable(Swept((*nodes,), (node,), (), (node,))):
            given.append((function, values, node))
            operands += nodes
    members = tuple(node for _, _, node in given)
    targets = [np.empty(size, node.graph.dtype(node.kind)) for node in members]
    fill = filling(Swept((*operands,), members, (), members), members)
    fill([array for _, values, _ in given for array in values], targets, room)
    wrong = []
    for (function, values, node), found in zip(given, targets, strict=True):
        call, before, after, _ = kernel(node)
        with np.errstate(all="ignore"):
            right = np.asarray(call(*before, *values, *after))
        if found.dtype == bool:
            bad = found != right
        else:
            bad = far(found, right, function.name in CANCELLING)
        wrong += [
            f"{function.name}{(*operands,)} is {a!r}, not {b!r}"
            for *operands, a, b in zip(
                *(each[bad][:3] for each in (*values, found, right)), strict=True
            )
        ]
    assert not wrong, "\n".join(wrong)
    return len(given)


def elementwise() -> dict[str, Function]:
    found = {each.name: each for each in FUNCTIONS.values() if each.operands and each.op}
    return {name: each for name, each in found.items() if each.op is not None and each.op.cuda}


PARTS = 6
"""A compiler takes long for many functions at once."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_elementwise_function(part: int) -> None:
    assert check_functions([*elementwise().values()][part::PARTS]) > 10


def test_some_functions() -> None:
    names = ("exp", "tanh", "ndtr", "add", "maximum", "sign", "gaussian", "bitwise_or", "gt")
    table = elementwise()
    assert check_functions([table[name] for name in names]) == len(names)


PROGRAM = "y = gelu(x) * r + where(x > c, tanh(x), x * c); mean(y * exp(-y)) + sum(amax(y, 0))"
SHAPE = (700, 131)


def inputs() -> dict[str, Array]:
    draw = np.random.default_rng(2)
    return {
        "x": draw.standard_normal(SHAPE),
        "r": draw.standard_normal(SHAPE[1:]),
        "c": draw.standard_normal((SHAPE[0], 1)),
    }


def test_gradients_are_those_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Rows, columns, numbers and truth values with whole arrays; reductions of what is made."""
    found = grad(PROGRAM, inputs())
    assert [*(tmp_path / "gradcli").glob("*.so")]
    monkeypatch.delenv("GRADCLI_CXX")
    for name, right in grad(PROGRAM, inputs()).items():
        np.testing.assert_allclose(found[name], right, 1e-13, 1e-15, err_msg=name)


def test_what_is_compiled_is_found_again(tmp_path: Path) -> None:
    """In another process, too, and for other numbers and lengths."""
    command = (
        "import numpy as np, sys; from gradcli import grad\n"
        "x = np.linspace(-1, 1, int(sys.argv[1]))\n"
        "print(grad(f'sum(tanh({sys.argv[2]} * x) * x)', {'x': x})['x'][-1])"
    )
    times: list[set[tuple[str, int]]] = []
    for length, factor in (("80000", "1.5"), ("90001", "2.5")):
        subprocess.run([sys.executable, "-c", command, length, factor], check=True, timeout=120)
        folder = tmp_path / "gradcli"
        times.append({(each.name, each.stat().st_mtime_ns) for each in folder.glob("*.so")})
    assert times[0] == times[1] != set()
    assert (tmp_path / "gradcli").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("threads", [1, 3])
def test_bits_depend_on_nothing_else(threads: int) -> None:
    """Neither on what is computed with a value, nor on threads, nor where an element lies."""
    graph = Graph("float64")
    x = graph.input("x", (LARGE + 77,), "float")
    phi, bell = FUNCTIONS["ndtr"](x), FUNCTIONS["tanh"](x)
    both = phi * bell
    values = np.random.default_rng(4).standard_normal(x.shape)
    region = Region(x.shape, (phi, bell, both), (), (x,), (phi, bell, both))
    assert region.is_compiled
    together = RegionRunner(region, threads)(values, targets={})
    for node, found in zip((phi, bell), together, strict=False):
        assert RegionRunner(alone(node), 1).only(values).tobytes() == found.tobytes()
        assert compute(node, [values]).tobytes() == found.tobytes()
        turned = RegionRunner(alone(node), 1).only(np.roll(values, 13))
        assert turned.tobytes() == np.roll(found, 13).tobytes()


def test_arrays_that_do_not_lie_in_a_row() -> None:
    graph = Graph("float64")
    x = graph.input("x", (400, 300), "float")
    node = x * x
    region = Region(x.shape, (node,), (), (x,), (node,))
    values = np.random.default_rng(4).standard_normal((300, 400)).T
    target = np.zeros((400, 600))[:, ::2]
    RegionRunner(region, 1)(values, targets={node: target})
    assert (target == values * values).all()


@pytest.mark.parametrize("shape", [(LARGE + 1,), (1, LARGE + 1), (3, 5, 7), (40, 1, 9, 1), (1,)])
def test_operands_of_every_shape_that_fits(shape: tuple[int, ...]) -> None:
    """Numbers, columns, rows, and what repeats in the middle; the last block may be one element."""
    graph = Graph("float64")
    x = graph.input("x", shape, "float")
    draw = np.random.default_rng(6)
    for kept in itertools.product((False, True), repeat=len(shape)):
        own = tuple(n if keep else 1 for n, keep in zip(shape, kept, strict=True))
        node = x * graph.input("y", own, "float")
        region = Region(shape, (node,), (), node.inputs, (node,))
        a, b = draw.standard_normal(shape), draw.standard_normal(own)
        (found,) = RegionRunner(region, 1)(a, b, targets={})
        assert found.tobytes() == (a * b).tobytes()


def test_what_has_no_text_is_left_to_numpy() -> None:
    """Integers, float32, and functions that C++ lacks."""
    graph, single = Graph("float64"), Graph("float32")
    x, y = graph.input("x", (LARGE,), "float"), single.input("y", (LARGE,), "float")
    whole = cast(x, "int")
    for node in (FUNCTIONS["erfinv"](x), whole * whole, y * y, FUNCTIONS["digamma"](x)):
        assert not alone(node).is_compiled
    assert alone(whole).is_compiled
    assert "digamma" not in source(Swept((x,), (x * x,), (), (x * x,)), [x * x])


@pytest.mark.parametrize("name", ["no-such-compiler", "false"])
def test_compilers_that_do_not_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADCLI_CXX", name)
    with pytest.raises(GradcliError, match=name) as caught:
        grad("sum(x * tanh(x))", {"x": np.linspace(0, 1, LARGE)})
    assert caught.value.diagnostic.code == "device"


def test_nothing_of_it_is_imported_without_a_compiler() -> None:
    code = (
        "import sys, numpy as np; from gradcli import grad\n"
        "grad('sum(tanh(x))', {'x': np.ones(100000)})\n"
        "print('gradcli.engine.compiled' in sys.modules)"
    )
    environment = {name: each for name, each in os.environ.items() if name != "GRADCLI_CXX"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_a_safe_run_starts_no_compiler(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "gradcli", "eval", "sum(tanh(arange(100000) * x))", "--json")
    for options in (["--safe"], []):
        assert not (tmp_path / "gradcli").exists()
        subprocess.run(
            [*command, "--set", "x=1", *options], check=True, capture_output=True, timeout=60
        )
    assert (tmp_path / "gradcli").exists()


@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_others_can_write_is_not_run(tmp_path: Path, what: str) -> None:
    """Who can write there could have code run as this user."""
    folder = tmp_path / "gradcli"
    program, values = "sum(sinh(x) * cosh(x) * 1.25)", {"x": np.linspace(-1, 1, LARGE)}
    grad(program, values)
    (library,) = folder.glob("*.so")
    (folder if what == "folder" else library).chmod(0o777)
    _loaded.cache_clear()
    with pytest.raises(GradcliError, match="other users can write"):
        grad(program, values)


def test_the_oldest_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "gradcli"
    folder.mkdir(mode=0o700)
    for number in range(KEPT + 3):
        old = folder / f"{number}.so"
        old.touch()
        os.utime(old, (number, number))
    grad("sum(sinh(x) * cosh(x) * 1.5)", {"x": np.linspace(-1, 1, LARGE)})
    names = {each.name for each in folder.glob("*.so")}
    assert len(names) == KEPT
    assert names.isdisjoint(f"{number}.so" for number in range(4))


def test_a_bell_without_a_rate_is_1_everywhere() -> None:
    """Also where x² is too large for a float."""
    values = np.array([0.0, 1.0, 63.0, 65.0, 1e200, -1e200])
    graph = Graph("float64")
    x, rate = graph.input("x", values.shape, "float"), graph.input("rate", (), "float")
    node = FUNCTIONS["gaussian"](x, rate)
    fill = filling(Swept((x, rate), (node,), (), (node,)), (node,))
    found = np.empty(values.shape)
    fill([values, np.zeros(())], [found], room)
    assert (found == 1).all()
