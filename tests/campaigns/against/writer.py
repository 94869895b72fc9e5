"""Draws the statements of a program: assignments, loops, branches, functions, grads."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import torch

from tests.campaigns.against import elementwise, modelling, reducing, shaping
from tests.campaigns.against.maker import LARGEST, REFUSALS, REFUSED, Maker, RefusedError
from tests.campaigns.against.program import TORCH, Block, Form, Line, Node, Statement, same
from tests.campaigns.against.sides import TORCH_NAMES, Array

FAMILIES = [
    *elementwise.FAMILIES,
    *shaping.FAMILIES,
    *reducing.FAMILIES,
    *modelling.FAMILIES,
]


class Writer:
    """Writes one program, and runs its statements in PyTorch as they come."""

    def __init__(self, random: Random, dtype: str) -> None:
        self.m = Maker(random, FAMILIES)
        self.dtype = dtype
        self.statements: list[Statement] = []
        self.inputs: dict[str, Array] = {}
        self.count = 0
        self.functions: list[tuple[str, tuple[Any, ...]]] = []
        """Names of functions, and the tensors that they were tried with."""
        self.derivatives = False
        """Whether a derivative is among the values."""
        self.others: dict[str, object] = {}
        """What the program has bound that is no tensor."""

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
            name, tried = m.pick(self.functions)
            args = [m.name(_like(each)) for each in tried]
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
        # What flows to an intermediate from a derivative hangs on the form of the derivative.
        x = m.name(lambda v: v.requires_grad and (v.is_leaf or not self.derivatives))
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
        self.derivatives |= self._line(Form(here, theirs), (y, x), (name,))

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
            self.functions.append((name, (first.value, second.value)))

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


def _like(tried: Any) -> Callable[[Any], bool]:
    return lambda value: value.shape == tried.shape and value.dtype == tried.dtype
