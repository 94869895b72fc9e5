"""Writes what the races read into the current folder: `inputs.py KIND SIZE`.

A process of its own, so that the one that measures stays small.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

FUNCTIONS = ("sin", "cos", "tanh", "exp", "sigmoid")
OPERATORS = "+-*"


def array(size: int) -> None:
    """x.npy: float64."""
    import numpy as np

    np.save("x.npy", np.random.default_rng(0).standard_normal(size))


def logistic(size: int) -> None:
    """Features and labels of `size` samples, and a model: float64."""
    import numpy as np

    draw = np.random.default_rng(0)
    np.save("A.npy", draw.standard_normal((size, 200)))
    np.save("y.npy", (draw.random(size) < 0.5).astype(float))
    np.save("w.npy", 0.1 * draw.standard_normal(200))
    np.save("b.npy", np.zeros(()))


def network(size: int) -> None:
    """A batch of `size` samples, ten classes, and two layers: float64."""
    import numpy as np

    draw = np.random.default_rng(0)
    np.save("X.npy", draw.standard_normal((size, 512)))
    np.save("labels.npy", draw.integers(0, 10, size))
    np.save("W1.npy", draw.standard_normal((512, 512)) / 22)
    np.save("b1.npy", np.zeros(512))
    np.save("W2.npy", draw.standard_normal((512, 10)) / 22)
    np.save("b2.npy", np.zeros(10))


def arrays(size: int) -> None:
    """About `size` elements each, float64: x and y, rows a with their labels, images i, and the
    queries, keys and values q, k, v of 64 heads, with a third of the elements.
    """
    import numpy as np

    draw = np.random.default_rng(0)
    side, length = round((size / 256) ** 0.5), max(1, size // (3 * 64 * 64))
    for name, shape in {
        "x": (size,), "y": (size,), "a": (size // 100, 100), "i": (16, 16, side, side),
        **dict.fromkeys("qkv", (64, length, 64)),
    }.items():  # fmt: skip
        np.save(f"{name}.npy", draw.standard_normal(shape))
    np.save("labels.npy", draw.integers(0, 100, size // 100))


def matrices(size: int) -> None:
    """A vector x and a square matrix W of `size` rows; 300 parameters p of a small network with
    data D and targets t: float64.
    """
    import numpy as np

    draw = np.random.default_rng(0)
    np.save("x.npy", draw.standard_normal(size))
    np.save("W.npy", draw.standard_normal((size, size)) / size**0.5)
    np.save("p.npy", draw.standard_normal(300) / 4)
    np.save("D.npy", draw.standard_normal((200, 13)))
    np.save("t.npy", draw.standard_normal(200))


def loops(size: int) -> None:
    """What the programs of `loops.py` read, over `size` steps in time: float64."""
    import numpy as np

    draw = np.random.default_rng(0)
    np.save("x.npy", np.array(0.5))
    np.save("X.npy", (draw.random((size, 14)) < 0.5).astype(float))
    np.save("V.npy", draw.standard_normal((100, 64, 128)))
    np.save("F.npy", np.eye(4) + 0.1 * np.eye(4, k=2))
    np.save("H.npy", np.eye(2, 4))
    for name, size_of_noise, length in (("Q", 0.01, 4), ("R", 0.1, 2), ("P0", 1.0, 4)):
        np.save(f"{name}.npy", size_of_noise * np.eye(length))
    np.save("m0.npy", np.zeros(4))
    np.save("Z.npy", draw.standard_normal((size, 2)))
    np.save("M.npy", draw.standard_normal((12, 12)) / 3)
    np.save("y0.npy", draw.standard_normal(12))
    np.save("b.npy", draw.standard_normal(128) / 4)
    for name in ("W", "U"):
        np.save(f"{name}.npy", draw.standard_normal((128, 128)) / 12)
    for name in ("m1", "b1", "m2", "b2"):
        np.save(f"{name}.npy", draw.standard_normal((4, 14)) / 3)
    for name in ("w1", "w2", "b3", "s1", "s2", "s3", "s4"):
        np.save(f"{name}.npy", draw.standard_normal(14) / 3)


def one_program(size: int) -> None:
    """`size` records of the README's example, each with an input of its own."""
    _records(["((2*x)**3).mean()"] * size)


def distinct_programs(size: int) -> None:
    """`size` records of three statements in some hundred shapes, each number its own."""
    choose = random.Random(1)
    shapes = list(_shapes())
    _records(
        [
            shapes[i % len(shapes)].format(*[choose.uniform(0.5, 2.0) for _ in range(4)])
            for i in range(size)
        ]
    )


def _shapes() -> Iterator[str]:
    for f, g in product(FUNCTIONS, repeat=2):
        for one, other in product(OPERATORS, repeat=2):
            yield (
                f"a = torch.{f}({{:.6f}}*x {one} {{:.6f}}); "
                f"b = torch.{g}(a {other} {{:.6f}}*x); "
                "out = torch.mean(b*{:.6f} + a*a)"
            )


def _records(programs: list[str]) -> None:
    choose = random.Random(0)
    with open("records.jsonl", "w") as stream:
        for number, program in enumerate(programs):
            x = [[choose.uniform(-1, 1) for _ in range(2)] for _ in range(2)]
            record = {"id": number, "program": program, "set": {"x": x}}
            stream.write(json.dumps(record) + "\n")


def chain(size: int) -> None:
    """A program of `size` statements, each of the one before, and no two alike."""
    lines = (f"y{i + 1} = sin(y{i})" for i in range(size))
    Path("chain.grad").write_text("\n".join(["y0 = x", *lines, f"y{size}"]))


def alike(size: int) -> None:
    """The same, with one name for all values."""
    Path("alike.grad").write_text("y = x\n" + "y = sin(y)\n" * size + "y")


def terms(size: int) -> None:
    """A program that is one sum of `size` terms."""
    Path("terms.grad").write_text(" + ".join(["x"] * size))


def items(size: int) -> None:
    """A program that collects `size` items in a list."""
    Path("items.grad").write_text(
        f"ys = []\nfor i in range({size}) {{ ys = append(ys, sin(x*i)) }}\nsum(stack(ys))"
    )


KINDS = {
    each.__name__: each
    for each in (
        array, arrays, logistic, network, matrices, loops, one_program, distinct_programs, chain,
        alike, terms, items,
    )
}  # fmt: skip

if __name__ == "__main__":
    KINDS[sys.argv[1]](int(sys.argv[2]))
