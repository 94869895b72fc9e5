"""A derived program as text: remarks as comments, then its statements."""

from __future__ import annotations

from gradcli.analysis.derive import Derived
from gradcli.analysis.symbolic.derived import Symbolic
from gradcli.language.printer import print_program
from gradcli.report.sanitise import sanitise


def render(derived: Derived | Symbolic) -> str:
    """The text of the program; it reads back to the same tree."""
    remarks = (f"# {sanitise(remark)}\n" for remark in derived.remarks)
    return "".join(remarks) + print_program(derived.program)
