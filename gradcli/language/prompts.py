"""A session of Python or IPython that is pasted with its prompts: `>>>`, `...`, `In [1]:`.

Prompts are dropped, and lines without one, which a program has printed, become empty: lines keep
their numbers.
"""

from __future__ import annotations

import re

_SESSIONS = (
    (re.compile(r"([ \t]*)>>>(?: |\r?$)"), r"\.\.\.(?: |\r?$)"),
    (re.compile(r"([ \t]*)In \[\d*\]:(?: |\r?$)"), r"[ \t]*\.{3,}:(?: |\r?$)"),
)
"""The prompts of statements, with the blanks before them, and those of lines that go on."""


def without_prompts(text: str) -> str:
    """The statements of a session; any other text as it is."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    for begins, goes_on in _SESSIONS:
        if found := begins.match(first):
            more = re.compile(re.escape(found[1]) + goes_on)
            return "\n".join(_statements(lines, begins, more))
    return text


def _statements(lines: list[str], begins: re.Pattern[str], more: re.Pattern[str]) -> list[str]:
    found, is_open = [], False
    for line in lines:
        prompt = begins.match(line) or (more.match(line) if is_open else None)
        is_open = prompt is not None
        found.append(line[prompt.end() :] if prompt else "")
    return found
