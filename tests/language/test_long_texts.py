"""Long texts are divided into tokens by pieces that are remembered: into the same tokens."""

from __future__ import annotations

import random

import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language import lexer
from gradcli.language.lexer import LONG, lex
from gradcli.language.long_texts import terminals_of_long
from gradcli.language.tokens import ParseLimits, Tokens, terminals

FRAGMENTS = [
    "x", "True", "Truex", "true ", "None", "Noneé", "'a'", "'''b\n'''", "f'{x}'", "rb'x'", "'", '"',
    "1e5", "1e", "1.", ".5", "0x1", "1x", "..", "...", "é", "αβ", "\u0301", "not", "for",
    "+=", "+==", "**", "**=", "**==", "//", "//=", "->", "-", "<", "<=", "==", "!=", "!", "&=", "|",
    "\n", "\r\n\n  ", "\\\n", "\\", "#c", "#= 3", "  ", "\t", *"()[]{}:;,@~%_",
]  # fmt: skip
"""What may change its meaning by what stands next to it."""


@pytest.mark.parametrize("seed", range(4))
def test_pieces_are_the_same_terminals(seed: int) -> None:
    draws = random.Random(seed)
    for _ in range(2_000):
        text = "".join(draws.choices(FRAGMENTS, k=draws.randint(0, 12)))
        end = len(text.rstrip(" \t"))
        for begin in (0, min(1, end)):
            found = list(terminals(text, begin, end))
            several = terminals_of_long(text, begin, end, 100)
            assert list(zip(*several, strict=True)) == found, text


LINES = [
    "x = 1", "y = sin(x)*2 + a[0]", "f(", ")", "(x)", "((x)", "((x))", "[x)", "x]", "+ 1", ".T",
    "x.T", "else", "if c {", "}", "{'a': x}", "if c:", "    y = 1", "    y = 2", "  z = 3",
    "y = lambda a: a", "y = lambda a", "y = a if b else c", "match x", "match x:", "    case 1:",
    "        y = 1", "", "# c", "y = 1  # c", "y  #= 3", "#! x", "x; y", ";", "s = 'a'",
    "s = f'{x}'", "a[1:2]", "\\", "(\n)",
]  # fmt: skip
"""What may change the layout of what stands behind it."""


def laid_out(text: str, limits: ParseLimits) -> Tokens | tuple[str, object]:
    try:
        return lex(Source("program", text), limits)
    except GradcliError as error:
        return error.diagnostic.message, error.diagnostic.span


@pytest.mark.parametrize("seed", range(4))
def test_a_long_text_is_laid_out_as_a_short_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = random.Random(seed)
    for _ in range(1_500):
        text = "\n".join(draws.choices(LINES, k=draws.randint(1, 9)))
        limits = ParseLimits(tokens=draws.choice([12, 10**6]), depth=draws.choice([1, 10]))
        found = []
        for long in (10**6, 0):
            monkeypatch.setattr(lexer, "LONG", long)
            monkeypatch.setattr(lexer, "CHARACTERS", 10**6)
            found.append(laid_out(text, limits))
        assert found[0] == found[1], text


def test_a_long_text_has_the_tokens_of_its_lines() -> None:
    line = "y = sin(y)*0.98 + [1, 2][0]\n"
    count = LONG // len(line) + 2
    source = Source("program", line * count)
    tokens = lex(source, ParseLimits())
    one = lex(Source("program", line), ParseLimits())
    parts = len(one.kinds)  # a separator stands where the end of the text does
    assert len(tokens.kinds) == parts * count
    for number in (0, 1, count - 1):
        first = number * parts
        assert tokens.kinds[first : first + parts - 1] == one.kinds[:-1]
        begin = number * len(line)
        assert tokens.starts[first : first + parts - 1] == [begin + at for at in one.starts[:-1]]
        assert tokens.ends[first : first + parts - 1] == [begin + at for at in one.ends[:-1]]


@pytest.mark.parametrize("length", [3 * LONG, 40 * LONG])
def test_too_many_tokens_of_a_long_text(length: int) -> None:
    """Counted as they are found, or after all were: the error is at the first one too many."""
    with pytest.raises(GradcliError) as raised:
        lex(Source("program", "x+" * (length // 2)), ParseLimits(tokens=LONG))
    assert raised.value.diagnostic.code == "limit-tokens"
    assert raised.value.diagnostic.span == (LONG, LONG + 1)
