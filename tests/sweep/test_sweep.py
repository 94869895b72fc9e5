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

from gradcli.data.parts import far
from gradcli.data.save import save
from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.cluster.machines import Mixture
from gradcli.engine.cluster.window import WorkersDiedError
from gradcli.language.parser import parse_program
from gradcli.options import Options
from gradcli.result import Result
from gradcli.session import Gradient
from gradcli.session import evaluate as in_one_process
from gradcli.sweep.evaluate import evaluate
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
    inputs: dict[str, Any] = {}
    for name, array in arrays.items():
        path = str(folder / name) + store
        save(path, {name: array})
        spec = f"{path}/{name}" if store == ".zarr" else path
        inputs[name] = far(spec, "float64", 2**32, least) or array
    options = OPTIONS._replace(wrt=wrt)
    task = Task(os.urandom(8).hex(), Source("program", program), inputs, (), options)
    cluster: Any = here or Here()
    target = None if into is None else str(folder / into)
    return evaluate(task, target, cluster, lambda _: None, mixed=False)


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
