"""Which device computes, and what is said where a GPU cannot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import pytest

from gradcli.batch.answer import Answerer, Settings
from gradcli.batch.items import Item, Kind
from gradcli.diagnostics import GradcliError, Source
from gradcli.engine import card_runners
from gradcli.engine.device import engine
from gradcli.engine.plan import Engine
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ledger import Ledger
from gradcli.result import Result
from gradcli.session import Options, evaluate
from tests.cli.conftest import Runner
from tests.gpu import emulator, runs
from tests.gpu.stand_in import (
    Card,
    CompileException,
    CUDARuntimeError,
    OutOfMemoryError,
    forget,
    installed,
    standing_in,
)

needs_compiler = pytest.mark.skipif(not emulator.compiler, reason="there is no g++")
X = np.array([[1.0, 2.0], [3.0, 4.0]])
CUBE = "z = (2*x)**3; out = mean(z)"


NVRTC = """\
sweep.cu(3): warning #177-D: variable "k" was declared but never referenced

sweep.cu(3): error: identifier "q" is undefined

1 error detected in the compilation of "sweep.cu".
"""
"""What NVRTC says of a wrong kernel."""


class Absent:
    """A module that cannot be imported."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> NoReturn:
        raise self._error


@pytest.fixture
def card() -> Iterator[Card]:
    with standing_in() as card:
        yield card


def run(text: str, where: str, inputs: dict[str, Any] | None = None, **options: Any) -> Result:
    program = parse_program(Source("program", text), ParseLimits())
    given = {"x": X} if inputs is None else inputs
    return evaluate(program, given, (), Options(device=where, **options))


def automatic(text: str) -> tuple[Engine, list[Array]]:
    """The engine of `auto`, with any size worth a GPU, and what it computes."""
    wanted = runs.of_program(text, {"x": X})
    chosen = engine(wanted.outputs, "auto", None, Ledger(), worth=4)
    return chosen, chosen.run(wanted.feeds)


def refused(text: str = CUBE, device: str = "gpu", **options: Any) -> tuple[str, str, str | None]:
    with pytest.raises(GradcliError) as caught:
        run(text, device, **options)
    diagnostic = caught.value.diagnostic
    return diagnostic.code, diagnostic.message, diagnostic.hint


@needs_compiler
def test_the_gpu_is_told(card: Card) -> None:
    result = run(CUBE, "gpu")
    assert result.device == "gpu"
    np.testing.assert_allclose(result.grads["x"], [[6, 24], [54, 96]])
    assert result.notes == []


def test_small_arrays_are_not_worth_the_trip(card: Card) -> None:
    assert run(CUBE, "auto").device == "cpu"
    assert not card.texts


@needs_compiler
def test_large_arrays_are(card: Card) -> None:
    assert automatic(CUBE)[0].device == "gpu"


def test_without_cupy() -> None:
    with installed({"cupy": None}):
        code, message, hint = refused()
        assert code == "device"
        assert message.startswith("cupy cannot be imported: ")
        assert hint is not None
        assert "gradcli[gpu]" in hint
        assert "gradcli[gpu12]" in hint


BROKEN = """
================================================================
CuPy is not correctly installed.

Original error:
  ImportError: libcublas.so.13: cannot open shared object file
================================================================
"""


@pytest.mark.parametrize("where", ["gpu", "auto"])
def test_a_broken_cupy(where: str, monkeypatch: pytest.MonkeyPatch) -> None:

    class Finder:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "cupy":
                raise ImportError(BROKEN)

    with installed({}):
        monkeypatch.setattr("sys.meta_path", [Finder()])
        says = "cupy cannot be imported: ImportError: libcublas.so.13: cannot open shared object"
        if where == "gpu":
            assert refused()[1].startswith(says)
        else:
            check_fallen_back(says)


def check_fallen_back(says: str) -> None:
    """The CPU's answer, and a note why it is the CPU's."""
    chosen, arrays = automatic(CUBE)
    assert chosen.device == "cpu"
    assert [[6, 24], [54, 96]] in [array.tolist() for array in arrays]
    (note,) = chosen.notes
    assert note.code == "device"
    assert note.message.startswith(f"computed on the CPU: {says}")


@pytest.mark.parametrize("where", ["gpu", "auto"])
def test_a_broken_driver(card: Card, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> NoReturn:
        raise CUDARuntimeError("cudaErrorInsufficientDriver: CUDA driver version is insufficient")

    monkeypatch.setattr(cuda_of(card).runtime, "getDeviceCount", fail)
    says = "cupy 0.0 cannot use a GPU: cudaErrorInsufficientDriver: "
    if where == "gpu":
        code, message, _ = refused()
        assert code == "device"
        assert message.startswith(says)
    else:
        check_fallen_back(says)


def cuda_of(card: Card) -> Any:
    import cupy

    return cupy.cuda


def test_no_gpu(card: Card) -> None:
    card.count = 0
    assert refused()[:2] == ("device", "cupy 0.0 finds no GPU")


def test_the_second_gpu(card: Card) -> None:
    code, message, hint = refused(device="gpu:1")
    assert (code, message) == ("device", "there is no gpu:1; cupy finds 1 GPU: gpu:0")
    assert hint == "--device cpu computes without a GPU"
    card.count = 2
    forget()
    assert refused(device="gpu:2")[1] == "there is no gpu:2; cupy finds 2 GPUs: gpu:0 to gpu:1"
    wanted = runs.of_program(CUBE, {"x": X})
    assert engine(wanted.outputs, "gpu:1", None, Ledger()).device == "gpu:1"


def test_which_gpu_is_told_to_the_command_line(gradcli: Runner) -> None:
    for text in ("tpu", "gpu:", "gpu:x", "gpu:-1", "cuda:0"):
        found = gradcli("eval", CUBE, "--set", "x=1,2", "--device", text)
        assert found.code == 2
        assert f"--device: {text!r} is not a device" in found.err


def test_a_gpu_is_not_safe(gradcli: Runner) -> None:
    found = gradcli("eval", CUBE, "--set", "x=1,2", "--device", "gpu", "--safe")
    assert found.code == 2
    assert "--safe is not for GPUs" in found.err


def test_a_process_that_was_forked(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA works in the process alone that has begun to use it."""
    wanted = runs.of_program(CUBE, {"x": X})
    chosen = engine(wanted.outputs, "gpu", None, Ledger())
    monkeypatch.setattr("os.getpid", lambda: -1)
    with pytest.raises(GradcliError, match="was in use when this process was forked"):
        chosen.run(wanted.feeds)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            CompileException(NVRTC),
            "a kernel could not be compiled: sweep.cu(3): error: iden",
        ),
        (OutOfMemoryError("Out of memory allocating 8 bytes"), "Stand-in is out of memory: Out"),
        (CUDARuntimeError("cudaErrorLaunchFailure: unspecified"), "Stand-in failed: cudaErrorLau"),
    ],
)
def test_failures_while_it_runs(
    card: Card, error: Exception, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(card_runners.SweepRunner, "part", fail)
    code, message, _ = refused()
    assert code == "device"
    assert message.startswith(says)
    check_fallen_back(says)


def test_too_little_memory(card: Card) -> None:
    card.free = 64
    code, message, _ = refused("sum(x @ x)")
    assert code == "limit-memory"
    assert message.endswith("64 bytes of Stand-in are free")
    chosen, _ = automatic("sum(x @ x)")
    assert chosen.device == "cpu"
    assert chosen.notes[0].message.endswith("64 bytes of Stand-in are free")


@needs_compiler
def test_errors_are_those_of_the_cpu(card: Card) -> None:
    """What is wrong with an operand is said with its place in the program."""
    with pytest.raises(GradcliError) as caught:
        run("a = [[1, 2], [2, 4]] * x; inv(a)", "gpu", {"x": np.array(1.0)}, forward_only=True)
    diagnostic = caught.value.diagnostic
    assert (diagnostic.code, diagnostic.span) == ("singular", (26, 32))


@needs_compiler
def test_what_numpy_computes_instead_is_noted(card: Card) -> None:
    result = run("y = sum(x * randn(2, 2))", "gpu", seed=1)
    assert [note.message for note in result.notes] == ["randn was computed on the CPU"]
    np.testing.assert_array_equal(
        result.grads["x"], run("y = sum(x * randn(2, 2))", "cpu", seed=1).grads["x"]
    )


@needs_compiler
def test_records_that_differ_in_their_numbers(card: Card) -> None:
    """They share a plan, whose kernels take the numbers as they come."""
    programs = [f"sum(({n} * x)**2) + {m} * mean([{n}, 1] * x)" for n in (2, 5) for m in (3, 7)]

    def answers(where: str) -> list[object]:
        answerer = Answerer(Settings(Options(device=where)))
        records = [json.dumps({"program": text, "set": {"x": [1, 2]}}) for text in programs]
        items = [Item(i, i, Kind.LINE, text.encode()) for i, text in enumerate(records)]
        return [json.loads(each[1:]) for each in chain(*answerer.answers(items))]

    found = answers("gpu")
    assert len({*card.texts}) < len(programs) * 2
    for one, other in zip(found, answers("cpu"), strict=True):
        assert one == other


@pytest.mark.wide
@needs_compiler
@pytest.mark.parametrize("command", ["jacobian", "hessian", "check"])
def test_other_commands(card: Card, gradcli: Runner, command: str) -> None:
    arguments = ["sum(tanh(x)**2)", "--set", "x=0.3,0.7", "--device", "gpu"]
    assert gradcli(command, *arguments).code == 0
    assert card.texts


LOOP = "y = x; for i in range(200) { y = y + 0.01*sin(y) }; z = y**2; out = sum(z)"


@needs_compiler
def test_loops_are_the_cpus(card: Card) -> None:
    """A pass over small values is over before a kernel has begun; passes written out would be a
    thousand kernels to compile.
    """
    result, expected = run(LOOP, "gpu"), run(LOOP, "cpu")
    assert [note.message for note in result.notes] == ["a loop was computed on the CPU"]
    assert len(set(card.texts)) < 10
    for name, value in expected.values.items():
        np.testing.assert_allclose(result.values[name], value, 1e-12)
    np.testing.assert_allclose(result.grads["x"], expected.grads["x"], 1e-12)


@needs_compiler
def test_passes_over_large_values_are_kernels(card: Card) -> None:
    """The same few for all passes."""
    card.dry = True
    large = {"x": np.ones(1 << 18)}
    ready = runs.prepared(LOOP.replace("200", "240"), large, "float64", "gpu")
    ready.engine.run(runs.feeds_of(ready, large))
    assert len(card.texts) > 12
    assert len(set(card.texts)) < 10
