"""The house: imports run downward only, and some packages are known in one room only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradcli
from gradcli.ops import FUNCTIONS

HOUSE = Path(gradcli.__file__).parent
ROOMS = [
    "cli", "integrations", "api", "batch", "sweep", "report", "data", "analysis", "plans",
    "session", "nonfinite", "remedies", "passes", "choices", "result", "inputs", "literals",
    "planned", "options", "trace", "algebra", "differentiate", "spelling", "simplify", "engine",
    "ops", "language", "walks", "graph", "ledger", "box", "lifeline", "extras", "diagnostics",
    "tuples",
]  # fmt: skip
"""From the roof to the ground."""
FILES = sorted(HOUSE.rglob("*.py"))


def module_name(file: Path) -> str:
    """`gradcli.report.text` for its file, `gradcli.report` for the file of the package."""
    parts = ("gradcli", *file.relative_to(HOUSE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(file): ast.parse(file.read_text()) for file in FILES}


def imported(tree: ast.AST) -> Iterator[str]:
    """The full names of all modules that are imported anywhere in a file: in functions and for
    the types alone too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(module: str) -> str | None:
    """`report` for `gradcli.report.text`; None for other packages and for `gradcli` itself."""
    package, *inside = module.split(".")
    return inside[0] if package == "gradcli" and inside and inside[0] in ROOMS else None


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(HOUSE)))
def test_imports_run_downward(file: Path) -> None:
    own = room(".".join(["gradcli", *file.relative_to(HOUSE).with_suffix("").parts]))
    if own is None:
        return  # the package itself and __main__ stand outside
    for module in imported(ast.parse(file.read_text())):
        other = room(module)
        assert other is None or ROOMS.index(other) >= ROOMS.index(own), f"{own} imports {module}"


def test_every_room_is_in_the_list() -> None:
    found = {path.stem for path in HOUSE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert found - {"__init__", "__main__", "__pycache__"} <= set(ROOMS)


def test_no_file_imports_in_a_circle() -> None:
    rest = {
        module: {_file(name) for name in imported(tree)} - {module}
        for module, tree in MODULES.items()
    }
    while free := [module for module, others in rest.items() if others.isdisjoint(rest)]:
        for module in free:
            del rest[module]
    circles = {module: sorted(others & rest.keys()) for module, others in rest.items()}
    assert not circles, "these files import each other, or what does"


def _file(name: str) -> str:
    """The module that an imported name is, or comes from."""
    return name if name in MODULES else name.rpartition(".")[0]


def test_class_names_are_unique() -> None:
    found: dict[str, list[str]] = {}
    for module, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(module)
    assert not {name: modules for name, modules in found.items() if len(modules) > 1}


ASKS_FOR_A_NAME = re.compile(r"op\.name (==|in|not in)|op\.name\]|op\.name[,)]")
NAMES_OF_OPS = {
    "spelling/spell.py": "a call is written by the name",
    "analysis/catalogue.py": "names are listed, to be read",
}
"""Where the name of an op is used outside its entry, once in each file, and why."""


def test_facts_about_ops_stand_in_their_entries() -> None:
    """Nobody else asks for an op's name, or has a table by names: see `Op` in graph.py."""
    found = [
        str(file.relative_to(HOUSE))
        for file in FILES
        if not file.is_relative_to(HOUSE / "ops")
        for line in file.read_text().splitlines()
        if ASKS_FOR_A_NAME.search(line)
    ]
    assert sorted(found) == sorted(NAMES_OF_OPS)


LISTS_OF_FUNCTIONS = {
    "trace/complex_arrays.py": "functions that NumPy itself computes of its complex numbers",
    "trace/complex_parts.py": "formulas of the parts of complex numbers, which are no nodes",
    "trace/complex_tensors.py": "what is done part by part to complex numbers",
    "trace/lists_of_tensors.py": "those that PyTorch has of lists, too: torch._foreach_add",
    "trace/members.py": "methods of Python's numbers, some of the same names",
    "trace/names.py": "those of PyTorch's functions and layers that have an argument `inplace`",
}
"""Where functions are listed by name outside the op table, and why that is no fact about them."""
FEW = 15
"""So many names are a list that somebody has to keep."""


def test_functions_are_not_listed_beside_the_op_table() -> None:
    """What is known of a function is a field of its entry: see `Function` in ops/table.py."""
    found = {
        str(file.relative_to(HOUSE))
        for file in FILES
        if not file.is_relative_to(HOUSE / "ops")
        for node in ast.walk(MODULES[module_name(file)])
        if len(FUNCTIONS.keys() & set(_texts(node))) >= FEW
    }
    assert found == LISTS_OF_FUNCTIONS.keys()


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts side by side in a literal, or the keys of a dictionary."""
    items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    for each in items:
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def test_nothing_else_lies_beside_the_house() -> None:
    """A program that was run here may leave a file behind, and `git add` takes it."""
    root = Path(__file__).parents[1]
    there = {each.name for each in root.iterdir() if not each.name.startswith(".")}
    made = {"build", "dist", "__pycache__"}  # by tools: git passes them over
    allowed = {"README.md", "gradcli", "grammars", "pyproject.toml", "samples", "tests"}
    assert there - made == allowed
