"""An error message of PyTorch, explained: as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from gradcli.analysis.messages import Explained
from gradcli.report.json import line
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise

INDENT = "  "


def write_text(answer: Explained, layout: Layout) -> Iterator[str]:
    """What it says, where, what that means, and what to write."""
    width = min(layout.width, 80)
    lines = _folded(answer.said, width)
    if answer.line is not None:
        code = f": {answer.code}" if answer.code else ""
        lines += _folded(f"  in line {answer.line}{code}", width, "    ")
    lines += ["", *_folded(answer.meaning, width), "", "Write"]
    for code in sanitise(answer.remedy).split("\n"):
        lines += _with_remark(code, width - len(INDENT))
    yield "\n".join(lines) + "\n"


def _folded(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(
        sanitise(text), width, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _with_remark(text: str, room: int) -> list[str]:
    """A line of code; where its remark has no room behind it, that stands above it."""
    code, sign, remark = text.partition("  # ")
    if len(text) <= room or not sign:
        return [f"{INDENT}{text}"]
    blanks = code[: len(code) - len(code.lstrip())]
    start = f"{INDENT}{blanks}# "
    above = wrap(remark, room + len(INDENT), initial_indent=start, subsequent_indent=start)
    return [*above, f"{INDENT}{code.rstrip()}"]


def write_json(answer: Explained, _layout: Layout) -> Iterator[str]:
    """One object on one line."""
    yield line(answer._asdict())
