"""Draws whole programs: assignments, loops, branches, functions, grads of grads and sessions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import torch

from tests.campaigns.against import elementwise, modelling, reducing, shaping
from tests.campaigns.against.maker import LARGEST, REFUSALS, REFUSED, SHAPES, Maker, RefusedError
from tests.campaigns.against.program import (
    HERE,
    TORCH,
    Block,
    Form,
    Line,
    Node,
    Program,
    Statement,
    same,
)
from tests.campaigns.against.sides import TORCH_NAMES, Array

FAMILIES = [
    *elementwise.FAMILIES,
    *shaping.FAMILIES,
    *reducing.FAMILIES,
    *modelling.FAMILIES,
]
SPECIAL = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e300, 1e-300)


def make(seed: int, number: int) -> Program:
    """The program of that number; the same one each time."""
    random = Random(f"{seed} {number}")
    dtype = "float32" if random.random() < 0.2 else "float64"
    torch.set_default_dtype(torch.float32 if dtype == "float32" else torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer = _Writer(random, dtype)
        return writer.session() if random.random() < 0.25 else writer.plain()


class _Writer:
    """Writes one program, and runs its statements in PyTorch as they come."""

    def __init__(self, random: Random, dtype: str) -> None:
        self.m = Maker(random, FAMILIES)
        self.dtype = dtype
        self.statements: list[Statement] = []
        self.inputs: dict[str, Array] = {}
        self.count = 0
        self.functions: list[tuple[str, tuple[tuple[int, ...], ...]]] = []
        """Names of functions, and the shapes that they were tried with."""
        self.others: dict[str, object] = {}
        """What the program has bound that is no tensor."""

    # --- the two kinds of program ---

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
        # What flows to an intermediate from a derivative hangs on the form of the derivative.
        inner = [] if " grad(" in program_text else self._intermediates()
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

    # --- statements ---

    def _statement(self) -> None:
        m = self.m
        draw = m.between(0, 19)
        if draw < 12:
            self._assignment()
        elif draw < 13:
            self._augmented()
        elif draw < 14:
            self._for()
        elif draw < 15:
            self._while()
        elif draw < 16:
            self._branch()
        elif draw < 18:
            self._function()
        elif draw < 19:
            self._derivative()
        else:
            self._pair()

    def _expression(self) -> Node:
        m = self.m
        a = m.name()
        assert a is not None
        if self.functions and m.chance(0.3):
            name, shapes = m.pick(self.functions)
            args = [m.name(_has(shape)) for shape in shapes]
            if all(args):
                holes = ", ".join(f"{{{k}}}" for k in range(len(args)))
                call = Node(same(f"{name}({holes})"), tuple(each for each in args if each))
                try:
                    value = eval(call.text(TORCH), {**TORCH_NAMES, **self._scope()})
                    return Node(call.form, call.args, value)
                except REFUSALS:
                    pass
        return m.grown(a, m.pick((1, 1, 2, 2, 3)))

    def _assignment(self) -> None:
        self._bind(self._fresh("y"), self._expression())

    def _augmented(self) -> None:
        m = self.m
        name = m.pick(list(m.names))
        if name in self.inputs or not name.startswith("y") or m.names[name].dtype == torch.bool:
            return
        a = Node(same(name), (), m.names[name])
        sign = m.pick("+-*/")
        form = Form(f"{name} {sign}= {{0}}", f"{name} = {name} {sign} {{0}}")
        self._line(form, (m.other(a),), (name,))

    def _pair(self) -> None:
        a = self.m.name(lambda v: v.dim() > 0)
        if a is None:
            return
        v, i = self._fresh("y"), self._fresh("y")
        call = self.m.pick(
            (
                f"sort({{0}}, {shaping.axis(self.m, a)})",
                f"max({{0}}, dim={shaping.axis(self.m, a)})",
                "topk({0}, 1)",
                f"cummax({{0}}, {shaping.axis(self.m, a)})",
                "var_mean({0}, 0)",
            )
        )
        prefix = self.m.pick(("", "torch."))
        self._line(Form(f"{v}, {i} = {prefix}{call}", f"{v}, {i} = torch.{call}"), (a,), (v, i))

    def _derivative(self) -> None:
        m = self.m
        y = m.name(lambda v: v.requires_grad and not v.is_leaf)
        x = m.name(lambda v: v.requires_grad)
        if y is None or x is None or x.value is y.value:
            return
        name = self._fresh("y")
        ones = "" if y.value.numel() == 1 and m.chance(0.8) else "ones_like({0})"
        here = (
            f"{name} = grad({{0}}, {{1}}{', gradient=' if ones else ''}{ones}, create_graph=True)"
        )
        other = f", torch.{ones}" if ones else ""
        theirs = (
            f"({name},) = torch.autograd.grad({{0}}, {{1}}{other}, create_graph=True, "
            "materialize_grads=True)"
        )
        self._line(Form(here, theirs), (y, x), (name,))

    def _body(self, name: str) -> Line:
        """`name` bound to something of the same shape and kind."""
        m = self.m
        a = Node(same(name), (), m.names[name])
        for _ in range(4):
            b = m.grown(a, m.between(1, 2))
            if b.value.shape == a.value.shape and b.value.dtype == a.value.dtype and b is not a:
                return Line(same(f"{name} = {{0}}"), (b,), (name,))
        return Line(same(f"{name} = {{0}} * 0.5 + 1"), (a,), (name,))

    def _variable(self) -> str:
        """A new name for a float, which a loop may bind again."""
        name = self._fresh("y")
        self._bind(name, self._expression())
        return name

    def _for(self) -> None:
        m = self.m
        name = self._variable()
        if name not in m.names:
            return
        head = Line(same(f"for i in range({m.between(0, 3)})"))
        body = [self._body(name)]
        if m.names[name].is_floating_point() and m.chance(0.4):
            body.append(Line(same(f"{name} = {name} * (i + 1)"), (), (name,)))
        self._block(((head, tuple(body)),), (name, name))

    def _while(self) -> None:
        name = self._variable()
        if name not in self.m.names:
            return
        self._line(same("n = 0"))
        total = Node(Form(f"sum({name})", f"torch.sum({name})"))
        head = Line(same(f"while (n < {self.m.between(1, 3)}) and ({{0}} < 20)"), (total,))
        body = (self._body(name), Line(same("n = n + 1")))
        self._block(((head, body),), (name, name))

    def _branch(self) -> None:
        m = self.m
        name = self._variable()
        if name not in m.names:
            return
        total = Node(Form(f"sum({name})", f"torch.sum({name})"))
        bound = repr(m.pick((0.0, 1.0, -0.5)))
        parts: list[tuple[Line, tuple[Line, ...]]] = [
            (Line(same(f"if {{0}} > {bound}"), (total,)), (self._body(name),))
        ]
        if m.chance(0.5):
            parts.append((Line(same("elif {0} > -2"), (total,)), (self._body(name),)))
        parts.append((Line(same("else")), (self._body(name), self._body(name))))
        self._block(tuple(parts), (name, name))

    def _function(self) -> None:
        m = self.m
        first, second = m.name(), m.name()
        assert first is not None
        assert second is not None
        outer, name = dict(m.names), f"f{len(self.functions) + 1}"
        if m.chance(0.7):
            m.names = {}
        m.names |= {"p": first.value, "q": second.value}
        try:
            p = Node(same("p"), (), first.value)
            body = m.grown(m.apply(same("({0} * {1})"), (p, p)) if m.chance(0.2) else p, 2)
            if m.chance(0.3):
                body = m.grown(
                    m.apply(same("({0} + {1})"), (body, Node(same("q"), (), second.value))), 1
                )
        except REFUSALS:
            return
        finally:
            m.names = outer
        if m.chance(0.4):
            form = Form(f"{name}(p, q) = {{0}}", f"def {name}(p, q): return {{0}}")
            statement: Statement = Line(form, (body,))
        else:
            lines = (Line(same("t = {0}"), (body,)), Line(same("return t")))
            statement = Block(((Line(Form(f"def {name}(p, q)", f"def {name}(p, q)")), lines),))
        if self._run(statement):
            shapes = (tuple(first.value.shape), tuple(second.value.shape))
            self.functions.append((name, shapes))

    # --- sessions ---

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
        keep = "retain_graph=True" if m.chance(0.7) else ""
        if z.value.numel() == 1 and m.chance(0.7):
            self._line(same(f"{{0}}.backward({keep})"), (z,))
        elif m.chance(0.5):
            here = m.pick(("sum({0})", "{0}.sum()"))
            self._line(Form(f"{here}.backward({keep})", f"{{0}}.sum().backward({keep})"), (z,))
        else:
            comma = ", " if keep else ""
            self._line(
                Form(
                    f"{{0}}.backward(ones_like({{0}}){comma}{keep})",
                    f"{{0}}.backward(torch.ones_like({{0}}){comma}{keep})",
                ),
                (z,),
            )
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

    # --- writing ---

    def _fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def _bind(self, name: str, node: Node, run: bool = True) -> None:
        line = Line(same(f"{name} = {{0}}"), (node,), (name,))
        if run:
            self.m.names[name] = node.value
        self.statements.append(line)

    def _line(self, form: Form, args: tuple[Node, ...] = (), binds: tuple[str, ...] = ()) -> bool:
        return self._run(Line(form, args, binds))

    def _block(
        self, parts: tuple[tuple[Line, tuple[Line, ...]], ...], binds: tuple[str, ...]
    ) -> None:
        self._run(Block(parts, binds))

    def _scope(self) -> dict[str, object]:
        return {**self.m.names, **self.others}

    def _run(self, statement: Statement) -> bool:
        """Add the statement if PyTorch takes it, and now and then if it does not."""
        names = {**TORCH_NAMES, **self.m.names, **self.others}
        try:
            exec(statement.text(TORCH), names)
        except REFUSALS:
            if self.m.chance(REFUSED):
                self.statements.append(statement)
                raise RefusedError(Node(same("0"))) from None
            return False
        for name, value in names.items():
            if torch.is_tensor(value) and value.numel() <= LARGEST:
                self.m.names[name] = value
            elif name.startswith("f") or name == "n":
                self.others[name] = value
        self.statements.append(statement)
        return True


def _has(shape: tuple[int, ...]) -> Callable[[Any], bool]:
    return lambda value: tuple(value.shape) == shape
