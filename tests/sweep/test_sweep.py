"""Programs swept over in parts: the bits of one process, whatever becomes of the workers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.jacobian import tangent_product as tangents_in_one_process
from gradcli.analysis.matrices import MatrixProduct
from gradcli.analysis.problem import pose_rolled
from gradcli.analysis.verdict import Check
from gradcli.data.parts import Far, far
from gradcli.data.save import save
from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.cluster.machines import Mixture
from gradcli.engine.cluster.window import WorkersDiedError
from gradcli.language.parser import parse_program
from gradcli.options import Limits, Options
from gradcli.result import Result
from gradcli.session import Gradient
from gradcli.session import evaluate as in_one_process
from gradcli.sweep.check import check, judged
from gradcli.sweep.evaluate import evaluate
from gradcli.sweep.moved import direction
from gradcli.sweep.parts import parted
from gradcli.sweep.products import tangent_product
from gradcli.sweep.sweep import ClusterSweep
from gradcli.sweep.task import Task

needs_zarr = pytest.mark.skipif(not find_spec("zarr"), reason="needs gradcli[zarr]")
needs_dask = pytest.mark.skipif(
    not (find_spec("distributed") and find_spec("cryptography") and find_spec("zarr")),
    reason="needs gradcli[cluster,zarr]",
)
CUBE = "mean((2*x)**3)"
OPTIONS = Options(values="outputs", grads_to_file=True)


class Here:
    """Workers that are this process, of which each third ends before it has answered."""

    def __init__(self) -> None:
        self.done = 0

    def ask_all(self, question: Callable[[Any], Any], about: Any) -> dict[str, Any]:
        return {"here": question(about)}

    def crew(self, task: Callable[[Any], Any], pack: Callable[[Any], Any]) -> _Crew:
        return _Crew(self, lambda work: task(pack(work)))

    def result(self, make: Callable[[], Any]) -> Any:
        self.done += 1
        found = make()
        if self.done % 3 == 2:  # when its gradient has been written already
            raise WorkersDiedError
        return found


class _Crew:
    def __init__(self, here: Here, task: Callable[[Any], Any]) -> None:
        self._here = here
        self._task = task

    def workers(self) -> int:
        return 2

    def submit(self, work: Any, *, again: bool = False) -> _Ticket:
        return _Ticket(lambda: self._here.result(lambda: self._task(work)))


class _Ticket:
    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find

    def result(self, _: float) -> Any:
        return self._find()

    def cancel(self) -> None:
        pass


def swept(
    program: str,
    arrays: dict[str, np.ndarray[Any, Any]],
    folder: Path,
    *,
    store: str = ".zarr",
    into: str | None = "out.zarr",
    here: Here | None = None,
    wrt: tuple[str, ...] = (),
    least: int = 1 << 16,
) -> Result:
    """The program, whose inputs of at least so many elements lie in stores."""
    task = asked(program, arrays, folder, store=store, least=least, wrt=wrt)
    cluster: Any = here or Here()
    target = None if into is None else str(folder / into)
    return evaluate(task, target, cluster, lambda _: None, mixed=False)


def asked(
    program: str,
    arrays: dict[str, np.ndarray[Any, Any]],
    folder: Path,
    *,
    store: str = ".npy",
    least: int = 1 << 16,
    **more: Any,
) -> Task:
    """A program whose inputs of at least so many elements lie in stores."""
    inputs = {name: stored(name, array, folder, store, least) for name, array in arrays.items()}
    options = OPTIONS._replace(**more)
    return Task(os.urandom(8).hex(), Source("program", program), inputs, (), options)


def stored(name: str, array: np.ndarray[Any, Any], folder: Path, store: str, least: int = 0) -> Any:
    """An array in a store, or the array itself if it is small."""
    path = str(folder / name) + store
    save(path, {name: array})
    spec = f"{path}/{name}" if store == ".zarr" else path
    return far(spec, "float64", 2**32, least) or array


def alone(program: str, arrays: dict[str, np.ndarray[Any, Any]], **more: Any) -> Result:
    options = OPTIONS._replace(**more)
    given: list[Gradient] = []
    parsed = parse_program(Source("program", program), options.limits.parse)
    return in_one_process(parsed, arrays, given, options)


def normal(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape)


FLAT = {"x": normal(4_400_011)}
TABLE = {
    "X": normal(110_001, 40), "w": normal(40), "b": normal(), "y": (normal(110_001) > 0) * 1.0,
}  # fmt: skip
LAYERS = {
    "X": normal(110_001, 40), "W": normal(40, 16), "b": normal(16), "V": normal(16, 1),
    "c": normal(1), "t": normal(110_001, 1),
}  # fmt: skip
PROGRAMS = {
    "cube": (CUBE, FLAT),
    "mix": ("mean(tanh(x)*exp(-x*x))", FLAT),
    "softmax over all": ("sum(softmax(x, 0)**2)", FLAT),
    "normalised": ("z = (x - mean(x))/std(x); mean(z**4)", FLAT),
    "a sum alone": ("sum(x)", FLAT),
    "an extreme": ("max(x) - min(x)", FLAT),
    "logistic": ("p = sigmoid(X@w + b); -mean(y*log(p) + (1 - y)*log(1 - p))", TABLE),
    "network": ("h = tanh(X@W + b); mean((h@V + c - t)**2)", LAYERS),
    "sums of columns": ("sum(mean(X, 0)**2)", {"X": normal(110_001, 40)}),
    "softmax of rows": ("sum(softmax(X, 1)**2)", {"X": normal(110_001, 40)}),
    "rows longer than blocks": ("sum(sum(X*X, 0)**2)", {"X": normal(7, 1_300_001)}),
    "equal gradients": ("mean((x + z)**2)", {"x": normal(300_001), "z": normal(300_001)}),
}


QUICK = {"cube", "logistic"}


@needs_zarr
@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in PROGRAMS],
)
def test_the_bits_are_those_of_one_process(tmp_path: Path, name: str) -> None:
    program, arrays = PROGRAMS[name]
    one = alone(program, arrays)
    here = Here()
    many = swept(program, arrays, tmp_path, here=here)
    assert here.done > 1
    assert many.values["out"].tobytes() == one.values["out"].tobytes()
    assert same_in_store(tmp_path / "out.zarr", one)


def same_in_store(path: Path, one: Result) -> bool:
    """Whether a store holds the outputs and gradients of a result, to the bit."""
    import zarr

    group = zarr.open_group(str(path), mode="r")
    expected = {**one.values, **{f"{name}.grad": grad for name, grad in one.grads.items()}}
    assert sorted(group) == sorted(expected)
    found = {name: np.asarray(group[name]) for name in expected}
    assert all(found[name].shape == expected[name].shape for name in expected)
    return all(found[name].tobytes() == expected[name].tobytes() for name in expected)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shape", [(4_400_011,), (3, 700_001), (110_001, 5, 3)])
def test_a_gradient_is_written_to_a_file(tmp_path: Path, shape: tuple[int, ...]) -> None:
    x = normal(*shape)
    swept(CUBE, {"x": x}, tmp_path, store=".npy", into="grad.npy")
    assert sorted(os.listdir(tmp_path)) == ["grad.npy", "x.npy"]
    assert np.load(tmp_path / "grad.npy").tobytes() == alone(CUBE, {"x": x}).grads["x"].tobytes()
    np.testing.assert_allclose(np.load(tmp_path / "grad.npy"), 24 * x**2 / x.size, rtol=1e-12)


def test_small_gradients_need_no_place(tmp_path: Path) -> None:
    program, arrays = PROGRAMS["logistic"]
    many = swept(program, arrays, tmp_path, store=".npy", into=None, wrt=("w", "b"))
    one = alone(program, arrays, wrt=("w", "b"))
    assert {k: v.tobytes() for k, v in many.grads.items()} == {
        k: v.tobytes() for k, v in one.grads.items()
    }


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("sum(sort(x)[0]*x)", "all of its operand"),
        ("sum(cumsum(x, 0))", "all of its operand"),
        ("sum(x) if x[0] > 0 else sum(x*x)", "decide"),
        (CUBE, "--save"),
    ],
)
def test_what_cannot_be_swept_is_refused(tmp_path: Path, program: str, says: str) -> None:
    with pytest.raises(GradcliError) as caught:
        swept(program, FLAT, tmp_path, store=".npy", into=None if says == "--save" else "g.npy")
    found = caught.value.diagnostic
    assert found.code == "usage"
    assert says in found.message + str(found.hint)
    assert sorted(os.listdir(tmp_path)) == ["x.npy"]


def test_limits_are_those_of_parts(tmp_path: Path) -> None:
    """An input that is larger than the limit takes no memory but that of its parts."""
    x = normal(4_400_011)
    limits = Limits(memory=2**24)
    assert x.nbytes > 2 * limits.memory
    task = asked(CUBE, {"x": x}, tmp_path, limits=limits)
    cluster: Any = Here()
    evaluate(task, str(tmp_path / "g.npy"), cluster, lambda _: None, mixed=False)
    np.testing.assert_allclose(np.load(tmp_path / "g.npy"), 24 * x**2 / x.size, rtol=1e-12)


def test_a_part_that_takes_too_much_is_an_error(tmp_path: Path) -> None:
    """Memory that the operating system refuses, in a process of its own."""
    np.save(tmp_path / "x.npy", normal(4_400_011))
    code = f"""
import ctypes, resource
from gradcli.diagnostics import GradcliError
from tests.sweep.test_sweep import CUBE, Here, far, Options, Source, Task, evaluate
x = far({str(tmp_path / "x.npy")!r}, "float64", 2**32, 0)
task = Task("1", Source("", CUBE), {{"x": x}}, (), Options(values="outputs", grads_to_file=True))
def run():
    evaluate(task, {str(tmp_path / "g.npy")!r}, Here(), lambda _: None, mixed=False)
run()
print("done")
ctypes.CDLL(None).malloc_trim(0)  # or the second run would have what the first one has freed
limit = 4096 * int(open("/proc/self/statm").read().split()[5]) + 2**20
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    run()
except GradcliError as error:
    print(error.diagnostic.code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["done", "limit-memory"], done.stderr


@pytest.mark.parametrize("name", ["cube", "normalised", "logistic", "network"])
def test_a_million_million_elements_are_planned_as_few_tasks(name: str) -> None:
    """No store is read for that, and nothing is as large as the number of strips."""
    program, arrays = PROGRAMS[name]
    rows = 10**12 // max(array[0].size for array in arrays.values() if array.size > 10**5)
    inputs = {
        key: Far(f"/{key}.npy", (rows, *array.shape[1:]), array.dtype)
        if array.size > 10**5
        else array
        for key, array in arrays.items()
    }
    task = Task("1", Source("program", program), inputs, (), OPTIONS)
    posed = task.posed()
    sweep = ClusterSweep(task, posed, mixed=False)
    far = posed.read().keys()
    found = [
        len([*parts.parts(sweep.most_parts)])
        for unit in posed.engine.plan.units
        if (parts := parted(unit)) is not None and not far.isdisjoint(unit.operands)
    ]
    assert min(found) >= 1000  # there is a part for each of so many workers
    assert sum(found) < 10**5


TANGENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "cube": (CUBE, {"x": normal(4_400_011)}),
    "elements": ("tanh(x)*exp(-x*x)", {"x": normal(1_100_011)}),
    "one number for all": ("sum(x**3)", {"x": np.float64(0.5)}),
    "some": ("p = sigmoid(X@w + b); mean(log(p))", {"X": normal(110_001, 40), "b": normal()}),
}


@pytest.mark.parametrize("name", TANGENTS)
def test_tangents_move_as_in_one_process(tmp_path: Path, name: str) -> None:
    program, tangents = TANGENTS[name]
    arrays = {"some": TABLE, "elements": tangents}.get(name, FLAT)
    arrays = {key: array for key, array in arrays.items() if key in program}
    task = asked(program, arrays, tmp_path, forward_only=True)
    (tmp_path / "t").mkdir()
    along = {key: stored(key, each, tmp_path / "t", ".npy", 1 << 16) if each.ndim else each
             for key, each in tangents.items()}  # fmt: skip
    cluster: Any = Here()
    found = tangent_product(task, along, None, cluster, lambda _: None, mixed=False).answer
    parsed = parse_program(Source("program", program), OPTIONS.limits.parse)
    one = tangents_in_one_process(pose_rolled(parsed, arrays, [], Options()), tangents)
    assert isinstance(found, MatrixProduct)
    assert found.products["out"].tobytes() == one.products["out"].tobytes()


@pytest.mark.parametrize(
    ("tangents", "code"), [({"y": np.ones(3)}, "name"), ({"x": np.ones(3)}, "shape")]
)
def test_tangents_must_fit(
    tmp_path: Path, tangents: dict[str, np.ndarray[Any, Any]], code: str
) -> None:
    task = asked(CUBE, FLAT, tmp_path, forward_only=True)
    for t in (tangents, {key: stored(key, t, tmp_path, ".npy") for key, t in tangents.items()}):
        cluster: Any = Here()
        with pytest.raises(GradcliError) as caught:
            tangent_product(task, t, None, cluster, lambda _: None, mixed=False)
        assert caught.value.diagnostic.code == code


def checked(program: str, arrays: dict[str, np.ndarray[Any, Any]], folder: Path) -> Check:
    cluster: Any = Here()
    return check(asked(program, arrays, folder), cluster, lambda _: None, mixed=False)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("program", "arrays", "verdict"),
    [
        ("mean(tanh(x)*exp(-x*x))", {"x": normal(300_011)}, "pass"),
        (PROGRAMS["logistic"][0], TABLE, "pass"),
        ("sum(floor(x))", {"x": normal(300_011)}, "inconclusive"),
        ("sum(log(x))", {"x": normal(300_011)}, "inconclusive"),
    ],
)
def test_gradients_are_checked(
    tmp_path: Path, program: str, arrays: dict[str, np.ndarray[Any, Any]], verdict: str
) -> None:
    found = checked(program, arrays, tmp_path)
    assert found.verdict == verdict
    assert {leaf.name for leaf in found.leaves} == set(arrays)


@pytest.mark.parametrize(
    ("reverse", "quotients", "verdict"),
    [
        (2.0, [2.1, 2.001, 2.00001], "pass"),
        (2.0, [2.3, 2.201, 2.20001], "fail"),
        (2.0, [9.0, 5.0, 2.0], "inconclusive"),
        (np.nan, [2.1, 2.001, 2.00001], "inconclusive"),
        (0.0, [0.0, 0.0, 0.0], "pass"),
    ],
)
def test_slopes_are_judged(reverse: float, quotients: list[float], verdict: str) -> None:
    """A value of 1, and terms that add up to the slope without cancelling."""
    values = 0.0 if reverse == 0 else 1.0
    slope = np.array([reverse, reverse, abs(reverse)])
    found = judged("x", (10,), slope, [(each, values) for each in quotients], 2.0**-52)
    assert found.verdict == verdict


def test_forward_and_reverse_mode_are_compared(tmp_path: Path) -> None:
    x = normal(300_011)
    walk = checked("sum(x**3)", {"x": x}, tmp_path).walk
    expected = float(np.sum(3 * x**2 * direction(x)))
    np.testing.assert_allclose([walk.forward, walk.reverse], expected, rtol=1e-12)


def test_machines_that_differ_are_refused_unless_they_may() -> None:
    with pytest.raises(GradcliError, match="tls://a would compute other bits"):
        Mixture({"NumPy": "2"}, allowed=False).meet({"NumPy": "1"}, "tls://a")
    allowed = Mixture({"NumPy": "2"}, allowed=True)
    allowed.meet({"NumPy": "1"}, "tls://a")
    assert [*allowed.differences] == ["NumPy (2 here, 1 there)"]


@needs_dask
@pytest.mark.slow
def test_the_command_sweeps_with_workers(tmp_path: Path) -> None:
    from gradcli.data import zarr

    zarr.write(str(tmp_path / "in.zarr"), FLAT)
    command = [sys.executable, "-m", "gradcli", "eval", CUBE, "-s", f"x=@{tmp_path}/in.zarr/x"]
    more = ["--cluster", "local", "--jobs", "2", "--save", f"{tmp_path}/out.zarr"]
    done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "x.grad" in done.stdout
    assert same_in_store(tmp_path / "out.zarr", alone(CUBE, FLAT))
