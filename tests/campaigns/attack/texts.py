"""Texts to attack with: a corpus, what the grammar derives, and mutations of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from gradcli.ops import FUNCTIONS

ROOT = Path(__file__).parents[3]
INPUTS = ("x", "w", "b")
"""Names that programs may read without binding them."""
TOKENS = re.compile(r"\s+|\w+|\*\*|//|[=!<>]=|'[^'\n]*'|\"[^\"\n]*\"|.", re.DOTALL)
HOSTILE = (
    "0 1 -1 2 0.5 1e308 1e-320 10**30 9**9**9 inf nan -0.0 [] [[]] [1,2] [[1,2],[3,4]] [[1],[2,3]] "
    "'' 'mean' None True () (1,) : :: ... x w b x.T x.grad pi e 1e999 0x1 1_0 ² é \u202e \x00 ' \" "
    "( ) [ ] { } = == += , ; \n # #= #! @ ** // % ~ & | ^ ! ? $ \\ lambda def for while if "
    "else elif return break continue in and or not zeros(0) zeros(2,0,3) rand(2) x[0] x[None] "
    "x[x>0] x[5] range(3) grad(x,x) .shape .T .values .item() .backward() .requires_grad=True f(x) "
    "zeros(10**9) 1e5 100000 -100000 dim=0 dim=5 keepdim=True axis=-1 1.5 x=x"
).split(" ")
STATEMENTS = (
    "{e}", "{n} = {e}", "{n} += {e}", "{n}, {m} = {e}", "{n} = {e}; {e}",
    "f(p, q=1) = {e}\nf({e})", "def f(p) {{ {n} = {e}; return {e} }}\nf({e})",
    "for i in range({k}) {{ {n} = {e} }}", "for i, j in [(1, 2), ({e}, 3)] {{ {n} = {e} }}",
    "while {e} < {k} {{ {n} = {e}; break }}", "if {e} > 0 {{ {n} = {e} }} else {{ {n} = {e} }}",
    "x = tensor([1, 2], requires_grad=True)\n{n} = {e}\nsum({n}).backward()\nx.grad",
    "{n} = grad(sum({e}), x, create_graph=True)", "print({e}, '{n}')", "assert_close({e}, {e})",
    "hs = []\nfor i in range(2) {{ hs = append(hs, {e}) }}\nstack(hs)",
    "{e}  #= {e}", "{e}  #! shape",
)  # fmt: skip
EXPRESSIONS = (
    "{a}", "{e} + {e}", "{e} * {a}", "({e})", "-{a}", "{a} ** {k}", "{a} @ {a}", "{a} / {e}",
    "{a} < {e}", "not {a}", "{a} and {e}", "{a}[{i}]", "{a}[{i}, {i}]", "{a}.{f}()",
    "{a}.{f}({k})", "{f}({e})", "{f}({e}, {e})", "{f}({e}, {k})", "{f}({e}, {e}, {e})",
    "{f}({e}, dim={k})", "{f}([{e}, {e}])", "[{e}, {e}]", "({e}, {e})", "torch.{f}({e})",
    "sum({e})", "F.{f}({e}, {k})", "{a}.T", "{a} // {a}", "{a} % {k}", "where({e} > 0, {e}, {a})",
)  # fmt: skip
ATOMS = ("x", "x", "w", "b", "y", "z", "1", "2.5", "[1, 2]", "[[1, 2], [3, 4]]", "-3", "p", "i")
SUBSCRIPTS = ("0", "-1", ":", "1:", "::2", "None", "...", "[0, 1]", "x > 0", "5", ":0", "0.5")
COUNTS = ("0", "1", "2", "3", "-1", "-2", "5", "(0, 1)", "0.5", "'mean'", "None", "inf", "10**9")


class Texts:
    """A stream of texts from one source of chance."""

    def __init__(self, random: Random, corpus: Sequence[str]) -> None:
        self.random = random
        self.corpus = corpus
        self._names = sorted(FUNCTIONS)
        self._mutations: tuple[Callable[[list[str]], None], ...] = (
            self._drop,
            self._double,
            self._swap,
            self._plant,
            self._plant,
            self._splice,
            self._call,
        )

    def text(self) -> str:
        """The next text: from the corpus or the grammar, most often with mutations."""
        choice = self.random.choice
        text = self.derived() if self.random.random() < 0.4 else choice(self.corpus)
        if self.random.random() < 0.25:
            return text
        tokens = TOKENS.findall(text)
        self.mutate(tokens)
        return "".join(tokens)[:4000]

    def mutate(self, tokens: list[str]) -> None:
        """Change some tokens, in place."""
        for _ in range(self.random.choice((1, 1, 2, 3, 6))):
            if tokens:
                self.random.choice(self._mutations)(tokens)

    def derived(self) -> str:
        """A program from the grammar."""
        lines = [self._fill(self.random.choice(STATEMENTS), 3) for _ in range(self._count(3))]
        return "\n".join(lines)

    def _count(self, most: int) -> int:
        return self.random.randint(1, most)

    def _fill(self, pattern: str, depth: int) -> str:
        choice = self.random.choice
        parts: dict[str, Callable[[], str]] = {
            "e": lambda: self._fill(choice(EXPRESSIONS), depth - 1) if depth else choice(ATOMS),
            "a": lambda: choice(ATOMS),
            "n": lambda: choice("yzxh"),
            "m": lambda: choice("yzuv"),
            "k": lambda: choice(COUNTS),
            "i": lambda: choice(SUBSCRIPTS),
            "f": lambda: choice(self._names),
        }
        filled = re.sub(r"\{([eanmkif])\}", lambda match: parts[match[1]](), pattern)
        return filled.replace("{{", "{").replace("}}", "}")

    # --- mutations, in place ---

    def _place(self, tokens: list[str]) -> int:
        return self.random.randrange(len(tokens))

    def _drop(self, tokens: list[str]) -> None:
        start = self._place(tokens)
        del tokens[start : start + self._count(3)]

    def _double(self, tokens: list[str]) -> None:
        start = self._place(tokens)
        part = tokens[start : start + self._count(6)]
        tokens[start:start] = part * self.random.choice((1, 1, 2, 30))

    def _swap(self, tokens: list[str]) -> None:
        first, second = self._place(tokens), self._place(tokens)
        tokens[first], tokens[second] = tokens[second], tokens[first]

    def _plant(self, tokens: list[str]) -> None:
        place = self._place(tokens)
        tokens[place : place + self.random.randint(0, 1)] = [self.random.choice(HOSTILE)]

    def _splice(self, tokens: list[str]) -> None:
        other = TOKENS.findall(self.random.choice(self.corpus))
        if other:
            start = self._place(other)
            place = self._place(tokens)
            tokens[place:place] = other[start : start + self._count(12)]

    def _call(self, tokens: list[str]) -> None:
        """A function's name in place of another name."""
        names = [place for place, token in enumerate(tokens) if token.isidentifier()]
        if names:
            tokens[self.random.choice(names)] = self.random.choice(self._names)


def corpus() -> list[str]:
    """Programs that are meant to work: samples, the README's, and the op table's."""
    texts = [path.read_text() for path in sorted((ROOT / "samples").rglob("*.grad"))]
    readme = (ROOT / "README.md").read_text()
    texts += re.findall(r'gradcli \w+ "([^"]+)"', readme)
    for function in FUNCTIONS.values():
        texts += [case.program for case in function.cases]
    return sorted(set(texts), key=lambda text: (len(text), text))
