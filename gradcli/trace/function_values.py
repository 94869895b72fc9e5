"""Functions and methods as values: `f = torch.sin`, `map(math.floor, xs)`, `g = x.sum`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import GeneratorType
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.trace.applications import Applications
from gradcli.trace.callee import STRANGERS, function_name, method_name, path_of, place_receiver
from gradcli.trace.items import Items
from gradcli.trace.numpy_calls import NUMBER_MAKERS
from gradcli.trace.objects import BuiltIn, is_row
from gradcli.trace.special import Special
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit

_AS_VALUES = frozenset((
    "list", "tuple", "dict", "set", "str", "len", "abs", "int", "float", "min", "max", "sum",
    "print", "range", "zip", "enumerate", "sorted", "reversed", "any", "all", "round", "pow", "map",
    "filter", "ord", "chr", "divmod", "bool", "repr", "type", "isinstance", "iter", "next",
    "getattr", "issubclass", "id", "oct", "slice", "format", "callable", "hash", "bin", "hex",
    "frozenset", "object", "bytes", "complex",
))  # fmt: skip
"""Functions of Python that are values: `defaultdict(list)`, `sorted(xs, key=len)`."""


_ALSO_IN_TORCH = frozenset((
    "adaptive_avg_pool1d", "avg_pool1d", "bilinear", "channel_shuffle", "cosine_similarity",
    "hardshrink", "pairwise_distance", "pdist", "pixel_shuffle", "pixel_unshuffle", "prelu",
))  # fmt: skip
"""Functions of `torch.nn.functional` that are objects of `torch`, too, besides convolutions and
what changes in place; others are two objects.
"""


def place_of(path: str) -> str:
    """One path for all those by which a library names an object."""
    room, _, name = path.rpartition(".")
    is_both = name.startswith("conv") or name.endswith("_") or name in _ALSO_IN_TORCH
    if room == "torch.nn.functional" and is_both:
        return f"torch.{name}"
    if room == "numpy":
        return f"numpy.{getattr(getattr(np, name, None), '__name__', name)}"
    return path


class FunctionValues(Applications):
    """Finds functions and methods by their names; `MethodCalls` calls them."""

    def _function_name(self, callee: syntax.Expression) -> str | None:
        """The name of the function that is called; None for a method of a value."""
        return function_name(callee, self.frame, self.frame.imports, self.library.functions)

    def function_value(self, callee: syntax.Name | syntax.Attribute) -> Value:
        function = self.frame.function(callee.id) if isinstance(callee, syntax.Name) else None
        if function is not None:
            return function
        if isinstance(callee, syntax.Name) and callee.id in _AS_VALUES:
            return BuiltIn(callee.id, self.named_call)
        from gradcli.trace.imports import imported

        path = path_of(callee)
        written = imported(path, self.frame.imports) if path else None
        is_known = path is not None and (path[0] in self.frame.imports or path[0] not in STRANGERS)
        if written is not None and is_known:
            member = self.member(written)
            if member is not None:
                return member
        if isinstance(callee, syntax.Attribute) and (written is None or "." not in written):
            return None
        if written is None:
            return None
        try:
            name = self._function_name(callee)
        except GradcliError:
            if not self.library.is_whole and self.have_all():
                return self.function_value(callee)
            module = self._held_module(written)
            if module is None and isinstance(callee, syntax.Name):
                raise
            return module
        if name is None or (name not in FUNCTIONS and name not in self.library.functions):
            if not self.library.is_whole and self.have_all():
                return self.function_value(callee)
            return self._held_module(written)
        found = self._as_value(name, callee)
        found.place = place_of(written)
        return found

    def _held_module(self, path: str) -> Value:
        """The module of a path as a value; None where there is none."""
        from gradcli.trace.held_modules import HeldModule, is_module  # few programs hold them

        return HeldModule(path, partial(self._of_module_held, path)) if is_module(path) else None

    def _of_module_held(self, module: str, name: str) -> Value:
        """What a module has of a name that is written behind a value. Raises `name`."""
        from gradcli.trace.held_modules import member_of
        from gradcli.trace.imports import is_none

        member = member_of(module, self.frame.imports, name, self.graph.span)
        found = self.function_value(member)
        if found is None:
            is_none(path_of(member) or (), self.frame.imports)  # raises for what there is not
        return found

    def _as_value(self, name: str, callee: syntax.Name | syntax.Attribute) -> BuiltIn:
        """A function as a value, which is called with values."""
        is_maker = name in NUMBER_MAKERS and self.values.is_pytorch
        if is_maker and self.root(callee).startswith("torch"):
            return BuiltIn(name, self._made_whole)
        if self.values.is_pytorch and self.root(callee).startswith("torch"):
            return BuiltIn(name, self._call_of_pytorchs)
        if self.values.is_python and self.root(callee).partition(".")[0] in ("math", "numpy"):
            return BuiltIn(name, partial(self._call_of_others, callee))
        call = self.named_call if isinstance(callee, syntax.Name) else self.function_call
        return BuiltIn(name, call)

    def _call_of_others(
        self,
        callee: syntax.Name | syntax.Attribute,
        name: str,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Visit:
        """What a function of `math` or NumPy gives that was a value: `f = math.floor`."""
        if self.root(callee).startswith("math"):
            from gradcli.trace.members import check_math

            arguments = [*check_math(self.values, name, arguments)]
        elif name not in NUMBER_MAKERS:
            self.check_numpys(callee, arguments, keywords)
            arguments = [self.row_of(e) if is_row(e) or type(e) is Items else e for e in arguments]
        arguments = [*arguments]
        self.place_numpys(name, callee, arguments, keywords)
        call = self._made_whole if name in NUMBER_MAKERS else self.function_call
        found: Any = call(name, arguments, keywords)
        if type(found) is GeneratorType:
            found = yield found
        return self.as_array(callee, found, keywords.get("dtype"), arguments)

    def _call_of_pytorchs(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """What a function of PyTorch's gives that was a value: `f = torch.sin`."""
        self._check_tensors(name, arguments, keywords)
        return self.function_call(name, arguments, keywords)

    def _made_whole(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """A tensor that a function makes which has another name here: `t = torch.tensor`."""
        from gradcli.trace.whole_numbers import takes_integers

        numbers = self.special.numbers
        if "dtype" not in keywords and takes_integers(name, arguments, keywords, numbers):
            keywords = keywords | {"dtype": "torch.int64"}
        return self.function_call(name, arguments, keywords)

    def bound_method(self, owner: Value, name: str) -> BuiltIn | None:
        """A method as a value: `f = x.sum`; None where there is none of that name."""
        if not isinstance(owner, Node):
            method = self.method_of(owner, name)
            return method and BuiltIn(name, lambda _, given, keywords: method(given, keywords))
        if name.endswith("_") and not name.startswith("_") and self.values.is_tensor(owner):
            from gradcli.trace.tensor_methods import changing  # few programs do

            return changing(self, owner, name) if self.has_method(name) else None
        function, special = self.table.get(method_name(name)), self._special_method(name)
        is_none = special is None and (function is None or name.endswith("_"))
        if is_none or (self.values.is_tensor(owner) and not self.has_method(name)):
            return None

        def call(_: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
            given = [self.values.current(owner), *arguments]
            if special is not None:
                return special(given, keywords)
            assert function is not None
            place_receiver(function, given, keywords)
            if self.values.is_pytorch and self.values.is_tensor(given[0]):
                self._check_tensors(name, given, keywords, is_method=True)
            return self.applied(function, given, keywords)

        found = BuiltIn(name, call)
        found.title = "builtin_function_or_method"
        if owner in self.values.arrays:
            found.owner = "numpy.ndarray"
        elif self.values.is_tensor(owner):
            found.owner = "Parameter" if owner in self.values.parameters else "Tensor"
        return found

    def unbound_method(self, name: str) -> BuiltIn | None:
        """A method of tensors as a value: `torch.Tensor.sum`; None where there is none."""
        from gradcli.trace.tensor_methods import unbound  # few programs name them

        return unbound(self, self.has_method, name)

    def _special_method(self, name: str) -> Special | None:
        """The method of that name that is not of the op table."""
        special = self.library.methods.get(name)
        if name.startswith("__") and special is None and self.values.is_pytorch:
            from gradcli.trace.tensor_methods import of_operator  # few programs call them

            special = of_operator(self, name)
        if special is None and self.table.get(method_name(name)) is None and self.have_all():
            special = self.library.methods.get(name)
        return special

    def changed_by(
        self, name: str, node: Node, arguments: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        """What a tensor is after a method that changes it, such as `add_`."""
        raise NotImplementedError

    def _check_tensors(
        self,
        name: str,
        given: Sequence[Value],
        keywords: Mapping[str, Value],
        *,
        is_method: bool = False,
    ) -> None:
        """Raise `type` where PyTorch's function of tensors is given a number, list or array for
        one, or too little.
        """
        function = self.table.get(name)
        if function is None:
            return
        class_of = self.special.numbers.class_of
        if function.needs or any(map(class_of, given)) or any(map(class_of, keywords.values())):
            from gradcli.trace.given_tensors import check_function

            called = name.rpartition(".")[2]
            numbers = self.special.numbers
            check_function(numbers, function, called, given, keywords, is_method=is_method)
