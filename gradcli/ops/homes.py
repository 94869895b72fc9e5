"""Which module has which function of the op table: found by importing all of them when gradcli is
built, read at run time. So a program imports what it calls, and a name of no function is known
without a look into every module.

In a checkout the modules may have been edited since; then it is found again.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gradcli.ops.table import TABLE, Function

HOMES = Path(__file__).with_name("homes.json")


def read_homes() -> Mapping[str, str] | None:
    """The module of each name and alias; None where it has to be found."""
    try:
        if _is_current():
            homes: dict[str, str] = json.loads(HOMES.read_text(encoding="utf-8"))
            return homes
    except (OSError, ValueError):
        pass  # missing or incomplete: found again
    return None


def _is_current() -> bool:
    """Whether no module was edited since; of an install none is."""
    package = HOMES.parent
    if not (package.parent.parent / "pyproject.toml").is_file():
        return True
    found = HOMES.stat().st_mtime_ns
    with os.scandir(package) as files:
        return all(each.stat().st_mtime_ns <= found for each in files if each.name.endswith(".py"))


def find_homes(modules: Sequence[str]) -> Mapping[str, str]:
    """The same of modules that were imported, the most used first; it is kept if the folder is
    writable.
    """
    from gradcli.language.tables import write_whole

    homes = {name: _home(function, modules) for name, function in TABLE.items()}
    write_whole(HOMES, json.dumps(homes, separators=(",", ":")))
    return homes


def _home(function: Function, modules: Sequence[str]) -> str:
    """The module that registers a function. What builds it is often defined there; others that have
    it have imported it.
    """
    defined = function.build.__module__.removeprefix("gradcli.ops.")
    if defined in modules:
        return defined
    of_group = [name for name in modules if function.group in _groups(name)]
    named = (name for name in of_group if function in _held(name))
    return next(named, of_group[0])


def _held(module: str) -> list[object]:
    return [*vars(sys.modules[f"gradcli.ops.{module}"]).values()]


def _groups(module: str) -> list[str]:
    """The groups whose functions a module registers."""
    from gradcli.ops.group import Group

    return [each.name for each in _held(module) if isinstance(each, Group)]
