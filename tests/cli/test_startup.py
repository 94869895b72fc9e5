"""What a run imports: start-up is most of what a small program costs. No clock is looked at."""

from __future__ import annotations

import resource
import subprocess
import sys
from importlib.util import find_spec

import pytest

from gradcli.cli.unneeded import DOCUMENTATION, TYPES

PROGRAM = """
import sys
import gradcli.cli
from gradcli.cli.exit import run
print(run(sys.argv[1:]), *sys.modules, file=sys.stderr)
"""
HEAVY = {
    "asyncio", "concurrent.futures", "cupy", "importlib.metadata", "lark", "multiprocessing",
    "pydantic", "rich", "scipy",
}  # fmt: skip
MOST = 120
"""Modules of gradcli that the README's first example imports, at most: each takes some 0.2 ms of a
start. What only some programs need is imported when it is used.
"""
README = ("eval", "z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]")


def imported(*arguments: str) -> set[str]:
    """The modules that a command line has imported when it ends; it must end well."""
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    code, *modules = finished.stderr.split()
    assert code == "0"
    return set(modules)


def test_json_imports_nothing_heavier_than_numpy() -> None:
    assert not imported(*README, "--json") & HEAVY


def test_no_more_modules_are_imported_than_a_small_program_needs() -> None:
    own = {name for name in imported(*README, "--json") if name.startswith("gradcli")}
    assert len(own) <= MOST, sorted(own)


@pytest.mark.parametrize(
    "program",
    [
        "for i in range(3): x = 2 * x\nx",
        "len([1, 2]) * x",
        "import torch\nx.backward()\nprint(x.grad)",
    ],
)
def test_what_is_not_in_the_op_table_is_called_without_all_of_it(program: str) -> None:
    """A name that is in none of its modules would else have them all imported."""
    assert not imported("eval", program, "--set", "x=1", "--json") & {
        "gradcli.ops.ctc", "gradcli.ops.gammas", "gradcli.ops.polynomials",
    }  # fmt: skip


def test_text_imports_rich_and_nothing_else_that_is_heavy() -> None:
    assert imported(*README) & HEAVY == {"rich"}


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("eval", "--help"), ("ops", "--help")]
)
def test_help_imports_no_numpy(arguments: tuple[str, ...]) -> None:
    assert not imported(*arguments) & (HEAVY | {"numpy"})


def test_types_of_numpy_are_imported_when_something_asks_for_them() -> None:
    program = (
        "import sys\n"
        "from gradcli.cli.unneeded import TYPES, leave_out\n"
        "leave_out()\n"
        "import numpy\n"
        "print(any(name.startswith(TYPES + '.') for name in sys.modules))\n"
        "import numpy.typing\n"
        "from numpy._typing._array_like import ArrayLike\n"
        "print(numpy.typing.ArrayLike is ArrayLike, numpy.typing.NDArray[float])\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    lazily, whole = finished.stdout.splitlines()
    assert lazily == "False"
    assert whole.startswith("True numpy.ndarray[")


def test_numpy_is_imported_without_its_docstrings() -> None:
    assert all(find_spec(module) for module in (*DOCUMENTATION, TYPES))
    program = (
        "import os, sys\n"
        "from gradcli.cli import main\n"
        "def end(code):\n"
        "    import numpy\n"
        "    print(code, numpy.ndarray.sort.__doc__, numpy.mean([1, 3]))\n"
        "    raise SystemExit\n"
        "os._exit = end\n"
        "main()\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, *README, "--quiet"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert finished.stdout.splitlines()[-1] == "0 None 2.0"


def test_only_the_ops_that_are_called_are_imported() -> None:
    assert not imported(*README, "--json") & {"gradcli.ops.spectra", "gradcli.ops.convolutions"}
    assert "gradcli.ops.spectra" in imported("eval", "sum(eigvalsh([[2,1],[1,3]]))", "--json")


def test_no_module_of_ops_is_forgotten() -> None:
    count = (
        "import importlib, pkgutil, gradcli.ops\n"
        "known = len(gradcli.ops.FUNCTIONS)\n"
        "for module in pkgutil.iter_modules(gradcli.ops.__path__, 'gradcli.ops.'):\n"
        "    importlib.import_module(module.name)\n"
        "print(len(gradcli.ops.FUNCTIONS) - known)"
    )
    finished = subprocess.run(
        [sys.executable, "-c", count], capture_output=True, text=True, check=True, timeout=60
    )
    assert finished.stdout == "0\n"


def test_ctrl_c_while_modules_are_imported_is_quiet() -> None:
    """However deep in an import it comes, and whatever that makes of exceptions."""
    program = (
        "import os, signal, sys\n"
        "from gradcli.cli import main\n"
        "name = sys.argv.pop(1)\n"
        "class Finder:\n"
        "    def find_spec(self, wanted, *_):\n"
        "        if wanted == name:\n"
        "            try: os.kill(os.getpid(), signal.SIGINT)\n"
        "            except BaseException: print('seen', file=sys.stderr)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "main()\n"
    )
    for name in ("gradcli.cli.exit", "typer", "numpy", "gradcli.session"):
        finished = subprocess.run(
            [sys.executable, "-c", program, name, *README],
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        assert (finished.returncode, finished.stdout, finished.stderr) == (130, b"", b""), name


@pytest.mark.one_in(4)
@pytest.mark.parametrize("mebibytes", [40, 100, 150, 165, 200, 250])
@pytest.mark.parametrize("program", ["x", "sum(solve(x, x @ x)) + sum(svd(x)[1])"])
def test_a_limit_of_the_address_space_is_an_error_if_it_is_too_low(
    mebibytes: int, program: str
) -> None:
    limit = mebibytes * 2**20
    finished = subprocess.run(
        [sys.executable, "-m", "gradcli", "eval", program, "-s", "x=randn(300,300)", "--quiet",
         "--forward", "--seed", "1"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if finished.returncode:
        assert finished.returncode == 4
        assert "error[limit-memory]: " in finished.stderr
    assert "Traceback" not in finished.stderr
