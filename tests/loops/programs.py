"""Programs with loops, made at random: nested ones, branches, breaks, functions, lists, rows."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt

SHAPES: tuple[tuple[int, ...], ...] = ((), (), (), (3,), (2, 2))


class Writer:
    """Writes one program; all its names have one shape, so that everything fits."""

    def __init__(self, seed: int, shapes: tuple[tuple[int, ...], ...] = SHAPES) -> None:
        self._random = random.Random(seed)
        self.shape = self._random.choice(shapes)
        self._names = ["x", "y", "w"]
        self._counters: list[str] = []
        self._taken: list[str] = []
        """What the loop around takes from what it runs over."""
        self._lists = 0
        self._outer = 0
        """How many passes the loop on the outside has."""
        self._lines: list[str] = []
        self._functions: list[str] = []
        self._depth = 0
        numbers = np.random.default_rng(seed)
        self.inputs: dict[str, npt.NDArray[np.float64]] = {
            name: numbers.uniform(0.2, 1.1, self.shape) for name in self._names
        }
        if self._random.random() < 0.5:
            self.inputs["X"] = numbers.uniform(-1, 1, (76, *self.shape))

    def program(self) -> str:
        """The text; it ends on a single number."""
        choose = self._random
        if choose.random() < 0.3:
            body = self._expression(2, ["a", "b"])
            self._write(f"def f(a, b) {{ t = {body}; return tanh(t) }}")
            self._functions.append("f")
        for _ in range(choose.randint(0, 2)):
            self._assign()
        for _ in range(choose.randint(1, 2)):
            self._loop()
        for _ in range(choose.randint(0, 2)):
            self._assign()
        used = choose.sample(self._names, min(len(self._names), 3))
        terms = [f"sum({name})" for name in used]
        terms += [f"0.1*sum(sin(stack(hs{number})))" for number in range(self._lists)]
        self._write(" + ".join(terms))
        return "\n".join(self._lines)

    def _write(self, line: str) -> None:
        self._lines.append("  " * self._depth + line)

    def _expression(self, size: int, names: list[str]) -> str:
        choose = self._random
        if size <= 0:
            kinds = [*names, *names, *names, "0.5", "1.5", *self._taken, *self._taken]
            if "X" in self.inputs:
                places = ["{}", "{}", "{} - 1", "-{} - 1"]
                kinds += [f"X[{choose.choice(places).format(each)}]" for each in self._counters * 2]
            return choose.choice(kinds + self._counters)
        kind = choose.randrange(10)
        inner = [self._expression(size - 1, names) for _ in range(2)]
        if kind < 5:
            return f"({inner[0]} {choose.choice('++-**')} {inner[1]})"
        if kind == 5:
            return f"({inner[0]} / (1.5 + {inner[1]}**2))"
        if kind == 6 and self._functions:
            return f"f({inner[0]}, {inner[1]})"
        if kind == 7:
            return f"where({inner[0]} > 0.4, {inner[1]}, {inner[0]})"
        if kind == 8:
            return f"maximum({inner[0]}, {inner[1]})"
        function = choose.choice(["sin", "cos", "tanh", "sigmoid", "exp(-1)*cos", "abs", "relu"])
        return f"{function}({inner[0]})"

    def _whole(self) -> str:
        """An expression that mixes elements."""
        name, other = self._random.choices(self._names, k=2)
        if self.shape == (2, 2):
            return self._random.choice([f"{name} @ {other} * 0.3", f"{name}.T * 0.5"])
        if self.shape:
            return f"sum({name}) * {other} * 0.2"
        return f"{name} * {other}"

    def _assign(self, name: str = "") -> None:
        choose = self._random
        name = name or choose.choice([*self._names[1:], "u", "v"])
        whole = choose.random() < 0.2
        value = self._whole() if whole else self._expression(choose.randint(1, 3), self._names)
        damped = f"tanh({value})" if choose.random() < 0.6 else f"0.3*sin({value}) + 0.1*{value}"
        if self._counters and choose.random() < 0.3:
            damped += f" + 0.01*{choose.choice(self._counters)}"
        # every value has the shape of the inputs
        self._write(f"{name} = {damped} + 0*x")
        if name not in self._names and not self._depth:
            self._names.append(name)

    def _loop(self) -> None:
        choose = self._random
        self._bind_names()
        if not self._depth:
            self._outer = count = choose.choice([3, 70, 75])
        else:  # loops of many passes in one of many take long when they are unrolled
            count = choose.choice([2, 2, 68] if self._outer == 3 else [2] * 15 + [68])
        counter = "ijk"[len(self._counters)] if len(self._counters) < 3 else "l"
        manual = choose.random() < 0.25
        collects = not self._depth and choose.random() < 0.3
        over = not manual and "X" in self.inputs and choose.random() < 0.4
        if collects:
            self._write(f"hs{self._lists} = []")
        if manual:
            number = f"n{self._depth}"  # one of its own, or an inner loop could reset it for ever
            self._write(f"{number} = 0 * sum(x)")
            self._write(f"while {number} < {count} {{")
        elif over:
            self._over_rows(counter, count)
        else:
            self._write(f"for {counter} in range({choose.choice([0, 1])}, {count}) {{")
        self._depth += 1
        counts = not manual and (not over or "enumerate" in self._lines[-1])
        if manual:
            self._write(f"{number} = {number} + 1")
        if counts:
            self._counters.append(counter)
        for _ in range(choose.randint(1, 3)):
            self._statement()
        if collects:
            self._append()
        if counts:
            self._counters.remove(counter)
        if over:
            self._taken = []
        self._depth -= 1
        self._write("}")

    def _bind_names(self) -> None:
        for name in ("u", "v"):
            if name not in self._names:
                self._write(f"{name} = {self._random.choice(self._names)} * 0.9")
                self._names.append(name)

    def _over_rows(self, counter: str, count: int) -> None:
        """The head of a loop over rows."""
        heads = ["for r in X[:{1}] {{", "for {0}, r in enumerate(X[:{1}]) {{"]
        heads += ["for r, q in zip(X[:{1}], cos(X)) {{"]
        head = self._random.choice(heads).format(counter, count)
        self._write(head)
        self._taken = ["r", "q"] if "q" in head else ["r"]

    def _append(self) -> None:
        """Make the newest list longer."""
        item = self._random.choice(["y", self._expression(1, self._names) + " + 0*x"])
        ways = ["hs{0}.append({1})", "hs{0} = append(hs{0}, {1})"]
        self._write(self._random.choice(ways).format(self._lists, item))
        self._lists += 1

    def _statement(self) -> None:
        choose = self._random
        kind = choose.random()
        if kind < 0.6:
            self._assign()
        elif kind < 0.7:
            a, b = choose.sample(self._names[1:], 2)
            self._write(f"{a}, {b} = {b}, {a} * 0.99")
        elif kind < 0.8:
            condition = choose.choice(["sum(y) > 0.3", "sum(u) < 0.1", *(
                f"{counter} > 40" for counter in self._counters
            )])  # fmt: skip
            self._write(f"if {condition} {{")
            self._depth += 1
            if choose.random() < 0.3:
                self._write("break")
            else:
                self._assign()
            self._depth -= 1
            self._write("}")
        elif kind < 0.9 and self._depth < 2:
            self._loop()
        else:
            self._assign("y")
