"""A new elementwise op is one entry in one file: everything else follows, its tests included."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parents[2]
ENTRY = '''

@table.derivative(lambda xp, x: x * x * x, cuda="{0} * {0} * {0}", latex="{0}^3", formula="x**3")
def cubed(y: Node, x: Node) -> Node:
    """x times its square."""
    return 3 * x * x
'''
FROM_THE_TABLE = [
    "tests/analysis/test_catalogue.py",
    "tests/ops/test_derivatives.py",
    "tests/ops/test_edges.py",
    "tests/ops/test_vectorise.py",
    "tests/spelling/test_formula.py",
]
LISTS = [
    "tests/ops/test_kinds.py::test_every_function_is_there",
    "tests/ops/test_goldens.py::test_every_function_is_held_to_pytorch_on_twenty_inputs",
    "tests/ops/test_ulp.py::test_every_elementwise_op_is_measured",
]
"""Tests of what all ops together have."""


def test_one_entry_is_all_that_a_new_op_needs(tmp_path: Path) -> None:
    for folder in ("gradcli", "grammars", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "campaigns", "benchmarks")
        shutil.copytree(HOUSE / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(HOUSE / "pyproject.toml", tmp_path)
    for library in ("torch", "jax"):
        blocked = "raise ModuleNotFoundError('it is not installed', name=__name__)\n"
        (tmp_path / f"{library}.py").write_text(blocked)
    with (tmp_path / "gradcli/ops/powers.py").open("a") as file:
        file.write(ENTRY)
    assert len(ENTRY.strip().splitlines()) <= 6
    finished = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-m", "not slow", "-k", "cubed or new_op or is_there or is_measured or is_held_to"),
            *("tests/ops/new_op.py", *FROM_THE_TABLE, *LISTS),
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout
    count = int(finished.stdout.split(" passed")[0].split()[-1])
    assert count >= 9 + 2 * len(FROM_THE_TABLE) + len(LISTS), finished.stdout
