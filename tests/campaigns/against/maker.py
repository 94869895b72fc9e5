"""Draws expressions at random, and looks at each with PyTorch while it grows.

What PyTorch gives for a part decides what can be done with it, so that nearly all programs are
valid; a few that PyTorch refuses are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias, TypeVar

import torch

from tests.campaigns.against.program import TORCH, Form, Node, same
from tests.campaigns.against.sides import TORCH_NAMES

LARGEST = 64
"""Elements; a result with more is not used."""
REFUSED = 0.004
"""How often a call that PyTorch refuses is kept, and ends the program."""
WILD = 0.02
"""How often a result that is not finite is kept."""

REFUSALS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError, AttributeError)

SHAPES: Sequence[tuple[int, ...]] = (
    *((), (), (1,), (2,), (3,), (3,), (4,), (0,), (1, 1), (2, 3), (2, 3), (3, 2), (2, 2), (2, 2)),
    *((3, 3), (1, 3), (3, 1), (0, 3), (2, 0), (2, 1, 3), (2, 2, 2), (1, 2, 3), (2, 3, 4)),
)

Item = TypeVar("Item")
Drawn: TypeAlias = "tuple[Any, ...] | None"
"""A form (or one text for both sides) and its arguments; None where nothing fits."""
Family: TypeAlias = "Callable[[Maker, Node], Drawn]"


@lru_cache(50_000)
def _function(text: str, count: int) -> Callable[..., Any]:
    names = [f"a{k}" for k in range(count)]
    function: Callable[..., Any] = eval(
        f"lambda {', '.join(names)}: {text.format(*names)}", dict(TORCH_NAMES)
    )
    return function


class RefusedError(Exception):
    """PyTorch refuses what was drawn last, and the program is to end with it."""

    def __init__(self, node: Node) -> None:
        self.node = node


class Maker:
    """Draws the parts of one program. `names` are the values that it has bound so far."""

    def __init__(self, random: Random, families: Sequence[tuple[Family, int]]) -> None:
        self.random = random
        self.names: dict[str, Any] = {}
        self._families = [family for family, _ in families]
        weights = [weight for _, weight in families]
        self._weights = [sum(weights[: k + 1]) for k in range(len(weights))]

    # --- drawing ---

    def pick(self, items: Sequence[Item]) -> Item:
        return items[int(self.random.random() * len(items))]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def between(self, low: int, high: int) -> int:
        """A whole number; both ends are among them."""
        return low + int(self.random.random() * (high - low + 1))

    # --- parts ---

    def name(self, wanted: Callable[[Any], bool] = lambda value: True) -> Node | None:
        """One of the names whose value is as wanted, the newer ones rather."""
        found = [name for name, value in self.names.items() if wanted(value)]
        if not found:
            return None
        name = found[max(self.between(0, len(found) - 1), self.between(0, len(found) - 1))]
        return Node(same(name), (), self.names[name])

    def number(self) -> Node:
        """A number as it stands in a program; gradcli's are floats."""
        value = self.pick((0, 1, 2, 3, -1, -2, 0.5, 1.5, -0.25, 0.1, 2.5, 10))
        text = repr(value) if value >= 0 else f"({value!r})"
        torch_text = repr(float(value)) if value >= 0 else f"({float(value)!r})"
        return Node(Form(text, torch_text), (), float(value))

    def literal(self, shape: Sequence[int], whole: bool = False) -> Node:
        """A tensor written out; it has no size 0."""
        count = 1
        for length in shape:
            count *= length
        draw = self.random.gauss
        items = [
            self.between(-3, 3) if whole or self.chance(0.3) else round(draw(0, 1.5), 3)
            for _ in range(count)
        ]
        value = torch.tensor([float(item) for item in items]).reshape(tuple(shape))
        text = repr(value.tolist())
        return Node(Form(f"tensor({text})", f"torch.tensor({text})"), (), value)

    def like(self, a: Node) -> Node:
        """A float of the same shape."""
        shape = tuple(a.value.shape)
        found = self.name(lambda v: v.is_floating_point() and tuple(v.shape) == shape)
        if found is not None and self.chance(0.8):
            return found
        if 0 in shape or self.chance(0.3):
            return self.known("(torch.ones_like({0}) * 1.0)", a)
        return self.literal(shape)

    def known(self, torch_text: str, *args: Node) -> Node:
        """A part that is written by hand: `torch.` is left out of gradcli's."""
        return self.apply(Form(torch_text.replace("torch.", ""), torch_text), args)

    def other(self, a: Node, depth: int = 0) -> Node:
        """A second operand that broadcasts with the first, most of the time."""
        if self.chance(0.25):
            return self.number()
        shape = tuple(a.value.shape)

        def fits(value: Any) -> bool:
            pairs = zip(reversed(shape), reversed(value.shape), strict=False)
            return all(m == n or m == 1 or n == 1 for m, n in pairs)

        found = self.name(fits)
        if found is not None and self.chance(0.8):
            return self.grown(found, depth)
        return self.like(a)

    def mask(self, a: Node) -> Node:
        """Truth values of a's shape."""
        shape = tuple(a.value.shape)
        found = self.name(lambda v: v.dtype == torch.bool and tuple(v.shape) == shape)
        if found is not None and self.chance(0.5):
            return found
        sign = self.pick((">", "<", ">=", "<=", "!=", "=="))
        other = self.pick((self.number, lambda: self.like(a)))()  # type: ignore[no-untyped-call]
        mask = self.apply(same(f"({{0}} {sign} {{1}})"), (a, other))
        if self.chance(0.25):
            second = self.apply(same("({0} < {1})"), (a, self.number()))
            joined = self.pick(("torch.logical_and", "torch.logical_or", "torch.logical_xor"))
            return self.known(joined + "({0}, {1})", mask, second)
        if self.chance(0.1):
            return self.known("torch.logical_not({0})", mask)
        return mask

    # --- growing ---

    def apply(self, form: Form, args: Sequence[Node]) -> Node:
        """The call of that form; what PyTorch refuses it raises here."""
        function = _function(form[TORCH], len(args))
        value = function(*(each.value for each in args))
        return Node(form, tuple(args), value)

    def grown(self, a: Node, depth: int) -> Node:
        """The node under `depth` calls that suit it."""
        for _ in range(depth):
            a = self.step(a)
        return a

    def step(self, a: Node) -> Node:
        """The node under one call more, or itself where a few tries fail."""
        for _ in range(6):
            (family,) = self.random.choices(self._families, cum_weights=self._weights)
            node = None
            try:
                drawn = family(self, a)
                if drawn is None:
                    continue
                form, *args = drawn
                node = Node(same(form) if isinstance(form, str) else form, tuple(args))
                node = self.apply(node.form, node.args)
            except REFUSALS:
                if node is not None and self.chance(REFUSED):
                    raise RefusedError(node) from None
                continue
            # PyTorch has no derivative of //.
            if "//" in node.form.torch and node.value.requires_grad and not self.chance(REFUSED):
                continue
            if self._useful(node.value):
                return node
        return a

    def _useful(self, value: Any) -> bool:
        if not torch.is_tensor(value) or value.numel() > LARGEST or value.is_complex():
            return False
        if not value.is_floating_point() or self.chance(WILD):
            return True
        return bool((value.abs() < 1e6).all())
