"""Texts that are deep or long: an answer, or a clear limit, and never a crash of the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

TEXTS = {
    "sum": "'+'.join('a' * N)",
    "powers": "'**'.join('a' * N)",
    "comparisons": "'<'.join('a' * N)",
    "parentheses": "'(' * N + 'a' + ')' * N",
    "lists": "'[' * N + 'a' + ']' * N",
    "calls": "'f(' * N + 'a' + ')' * N",
    "indices": "'x[' * N + 'a' + ']' * N",
    "attributes": "'x' + '.T' * N",
    "signs": "'-' * N + 'x'",
    "nots": "'not ' * N + 'x'",
    "blocks": "'if a { ' * N + 'b' + ' }' * N",
    "indented": "''.join(' ' * i + 'if a:\\n' for i in range(min(N, 3000))) + ' ' * 3000 + 'b'",
    "one line": "'if a: b\\n' * N",
    "functions": "'def f(x) { ' * N + 'return x' + ' }' * N",
    "elifs": "'if a { b }' + ' elif c { d }' * N + '\\nx #= 1'",
    "statements": "'y = x\\n' * N",
    "blanks": "'x' + ' ' * 10 * N",
    "comments": "'# c\\n' * N + 'x'",
}
ROUND_TRIP = """
from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.printer import print_program
N = {N}
for text in [{texts}]:
    program = parse_program(Source("program", text), ParseLimits())
    printed = print_program(program)
    again = parse_program(Source("program", printed), ParseLimits())
    assert print_program(again) == printed
    assert len(again.statements) == len(program.statements)
    del program, again
print("done")
"""


def run(script: str) -> str:
    """What a fresh process prints: a crash of the interpreter must not take the tests along."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_texts_beyond_the_recursion_limit() -> None:
    assert run(ROUND_TRIP.format(N=5_000, texts=", ".join(TEXTS.values()))) == "done\n"


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_deep_and_long_texts(text: str) -> None:
    assert run(ROUND_TRIP.format(N=100_000, texts=text)) == "done\n"


@pytest.mark.parametrize("opening", ["(", "[", "f(", "if a {"])
def test_brackets_beyond_the_limit(opening: str) -> None:
    script = f"""
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
try:
    parse_program(Source("program", {opening!r} * 300_000), ParseLimits())
except GradcliError as error:
    print(error.diagnostic.code)
"""
    assert run(script) == "limit-depth\n"
