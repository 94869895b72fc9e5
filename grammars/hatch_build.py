"""The build hook: compiles the grammar and finds the module of each function, and puts both into
the wheel.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GrammarHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes `gradcli.tables.json` next to the grammar, and `homes.json` next to the ops; an
    editable install reads them there.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, self.root)
        try:
            from gradcli.language.tables import read_or_compile
            from gradcli.ops import FUNCTIONS
            from gradcli.ops.homes import HOMES

            len(FUNCTIONS)  # all are imported: the module of each is known, and written
        finally:
            sys.path.remove(self.root)

        grammar = Path(self.root, "grammars", "gradcli.lark")
        read_or_compile(grammar)
        if version != "editable":
            build_data["force_include"][str(HOMES)] = f"gradcli/ops/{HOMES.name}"
            for path in (grammar, grammar.with_suffix(".tables.json")):
                build_data["force_include"][str(path)] = f"gradcli/grammars/{path.name}"
