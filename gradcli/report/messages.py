"""An error message of PyTorch, explained: as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from gradcli.analysis.messages import Explained
from gradcli.report.json import line
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise


def write_text(answer: Explained, layout: Layout) -> Iterator[str]:
    """What it says, where, what that means, and what to write."""
    width = min(layout.width, 80)
    yield f"{sanitise(answer.said)}\n"
    if answer.line is not None:
        code = f": {sanitise(answer.code)}" if answer.code else ""
        yield f"  in line {answer.line}{code}\n"
    yield "\n" + textwrap.fill(sanitise(answer.meaning), width) + "\n\nWrite\n"
    yield textwrap.indent(sanitise(answer.remedy), "  ") + "\n"


def write_json(answer: Explained, _layout: Layout) -> Iterator[str]:
    """One object on one line."""
    yield line(answer._asdict())
