"""Draws whole programs: those that are differentiated from outside, and sessions."""

from __future__ import annotations

import re
import warnings
from random import Random

import numpy as np
import torch

from tests.campaigns.against.maker import SHAPES, RefusedError
from tests.campaigns.against.program import (
    HERE,
    Form,
    Node,
    Program,
    same,
)
from tests.campaigns.against.sides import Array
from tests.campaigns.against.writer import Writer

SPECIAL = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e300, 1e-300)


def make(seed: int, number: int) -> Program:
    """The program of that number; the same one each time."""
    random = Random(f"{seed} {number}")
    dtype = "float32" if random.random() < 0.2 else "float64"
    torch.set_default_dtype(torch.float32 if dtype == "float32" else torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer = _Programs(random, dtype)
        return writer.session() if random.random() < 0.25 else writer.plain()


class _Programs(Writer):
    """The two kinds of program."""

    def plain(self) -> Program:
        """Inputs from outside, and an output that is differentiated."""
        m = self.m
        for name in "xwbk"[: m.pick((1, 1, 2, 2, 3, 4))]:
            self._input(name)
        try:
            for _ in range(m.between(1, 5)):
                self._statement()
            output, gradient = self._output()
        except RefusedError as refused:
            self._bind("out", refused.node, run=False)
            output, gradient = "out", None
        program_text = "\n".join(each.text(HERE) for each in self.statements)
        used = set(re.findall(r"\w+", program_text))
        inputs = {name: array for name, array in self.inputs.items() if name in used}
        leaves = [name for name, array in inputs.items() if array.dtype.kind == "f"]
        inner = self._intermediates()
        wrt = list(leaves)
        if inner and m.chance(0.4):
            wrt += m.random.sample(inner, m.between(1, min(2, len(inner))))
        retained = [name for name in inner if name not in wrt and m.chance(0.15)]
        if "out" in m.names and not m.names["out"].is_floating_point():
            wrt, retained = [], []
        return Program(
            inputs,
            tuple(self.statements),
            output,
            tuple(wrt),
            tuple(retained),
            gradient,
            self.dtype,
        )

    def session(self) -> Program:
        """Leaves that the program marks, and calls of `backward`."""
        m = self.m
        leaves = list("xwb"[: m.pick((1, 1, 2, 2, 3))])
        for name in leaves:
            array = self._array(m.pick(SHAPES))
            maker = f"tensor({array.tolist()!r}" if array.size else f"zeros({list(array.shape)}"
            call = f"{maker}, requires_grad=True)"
            self._line(Form(f"{name} = {call}", f"{name} = torch.{call}"), binds=(name,))
        retained: list[str] = []
        try:
            for _ in range(m.between(1, 3)):
                for _ in range(m.between(1, 3)):
                    self._statement()
                retained += self._backward(leaves)
        except RefusedError as refused:
            self._bind("out", refused.node, run=False)
        return Program(
            {}, tuple(self.statements), None, tuple(leaves), tuple(retained), None, self.dtype
        )

    # --- inputs and outputs ---

    def _array(self, shape: tuple[int, ...]) -> Array:
        m = self.m
        count = int(np.prod(shape))
        draw = m.between(0, 9)
        if draw < 6:
            items = [m.random.gauss(0, 1.5) for _ in range(count)]
        elif draw < 9:
            items = [m.between(-8, 8) / 4 for _ in range(count)]
        else:
            items = [m.pick((1.0, 2.0, m.random.gauss(0, 1))) for _ in range(count)]
            if count and m.chance(0.2):
                items[m.between(0, count - 1)] = m.pick(SPECIAL)
        with np.errstate(all="ignore"):
            return np.array(items, self.dtype).reshape(shape)

    def _input(self, name: str) -> None:
        m = self.m
        array = self._array(m.pick(SHAPES))
        if self.inputs and m.chance(0.15):
            array = (
                array > 0
                if m.chance(0.5)
                else np.nan_to_num(array, posinf=3, neginf=-3).clip(-9, 9).astype(np.int64)
            )
        self.inputs[name] = array
        value = torch.from_numpy(np.array(array))
        m.names[name] = value.requires_grad_() if array.dtype.kind == "f" else value

    def _output(self) -> tuple[str, Array | None]:
        m = self.m
        a = m.name(lambda v: v.requires_grad) or m.name()
        assert a is not None
        if m.chance(0.5):
            a = m.grown(a, 1)
        if m.chance(0.4) and a.value.is_floating_point():
            weights = m.like(a)
            a = m.apply(Form("sum({0} * {1})", "torch.sum({0} * {1})"), (a, weights))
        self._bind("out", a)
        if a.value.numel() == 1 or not a.value.is_floating_point():
            return "out", None
        shape = tuple(a.value.shape)
        items = [m.pick((1.0, 0.0, -0.5, m.random.gauss(0, 1))) for _ in range(a.value.numel())]
        return "out", np.array(items, self.dtype).reshape(shape)

    def _intermediates(self) -> list[str]:
        """Names that a gradient can be asked for, each a tensor of its own."""
        m = self.m
        if self.derivatives:
            return []
        once = [name for name in m.names if name.startswith("y") and self._times(name) == 1]
        values = list(m.names.values())
        return [
            name
            for name in once
            if m.names[name].requires_grad
            and sum(each is m.names[name] for each in values) == 1
            and not m.names[name].is_leaf
        ]

    def _times(self, name: str) -> int:
        return sum(name in each.binds for each in self.statements)

    def _backward(self, leaves: list[str]) -> list[str]:
        """A call of `backward` and what may come with it; names whose grad is retained by then."""
        m = self.m
        z = m.name(lambda v: v.requires_grad and not v.is_leaf)
        if z is None:
            return []
        retained = []
        inner = self._intermediates()
        if inner and m.chance(0.3):
            name = m.pick(inner)
            if self._line(same(f"{name}.retain_grad()")):
                retained.append(name)
        self._pass(z)
        name = m.pick(leaves)
        if m.names[name].grad is not None:
            if m.chance(0.4):
                snapshot = self._fresh("g")
                self._line(
                    Form(f"{snapshot} = {name}.grad", f"{snapshot} = {name}.grad.clone()"),
                    (),
                    (snapshot,),
                )
            if m.chance(0.25):
                self._line(same(f"{name}.grad.{m.pick(('', 'data.'))}zero_()"))
        return retained

    def _pass(self, z: Node) -> None:
        """A call of `backward`. One that PyTorch refuses half-way leaves no grads behind."""
        m = self.m
        kept = [value for value in m.names.values() if value.is_leaf or value.retains_grad]
        before = [None if value.grad is None else value.grad.clone() for value in kept]
        keep = "retain_graph=True" if m.chance(0.7) else ""
        if z.value.numel() == 1 and m.chance(0.7):
            form = same(f"{{0}}.backward({keep})")
        elif m.chance(0.5):
            total = m.pick(("sum({0})", "{0}.sum()"))
            form = Form(f"{total}.backward({keep})", f"{{0}}.sum().backward({keep})")
        else:
            comma = ", " if keep else ""
            form = Form(
                f"{{0}}.backward(ones_like({{0}}){comma}{keep})",
                f"{{0}}.backward(torch.ones_like({{0}}){comma}{keep})",
            )
        if not self._line(form, (z,)):
            for value, grad in zip(kept, before, strict=True):
                value.grad = grad
