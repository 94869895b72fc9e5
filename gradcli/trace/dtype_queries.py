"""PyTorch's questions about dtypes: `torch.result_type`, `torch.finfo`, `x.is_floating_point()`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.control import leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dtypes import ALIASES, FLOATS, INTEGERS
from gradcli.trace.items import Unquoted
from gradcli.trace.objects import Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_ORDER = ("bool", *INTEGERS, *FLOATS)
_LIMITS = {
    "float16": (6.103515625e-05, 65504.0, 0.0009765625, 16),
    "bfloat16": (1.1754943508222875e-38, 3.3895313892515355e38, 0.0078125, 16),
    "float32": (1.1754943508222875e-38, 3.4028234663852886e38, 1.1920928955078125e-07, 32),
    "float64": (2.2250738585072014e-308, 1.7976931348623157e308, 2.220446049250313e-16, 64),
}
"""The least positive and the largest number, the distance from 1 to the next, the bits: IEEE 754.
"""


_KINDS = {"floating": FLOATS, "integer": INTEGERS, "number": (*INTEGERS, *FLOATS),
          "generic": _ORDER}  # fmt: skip
"""By what NumPy calls them."""


_CODES = frozenset(f"{kind}{size}" for kind in "iuf" for size in (1, 2, 4, 8)) - {"f1"}
"""Short names of NumPy's dtypes, with their bytes."""


_FLOAT_LIMITS = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
"""In the order in which `torch.finfo` prints them."""


class DtypeLimits(Object):
    """`torch.finfo(dtype)` and `torch.iinfo(dtype)`."""

    what = "the limits of a dtype"

    def __init__(
        self,
        values: Values,
        numbers: dict[str, float],
        dtype: str,
    ) -> None:
        self._values = values
        self._numbers = numbers
        self.dtype = dtype
        self.named: Callable[[float], Node] | None = None
        """What makes NumPy's floats of them, where these are asked for."""

    def attribute(self, name: str) -> Any:
        if name == "dtype":
            return self.dtype
        if name not in self._numbers:
            raise self.has_no("attribute", name)
        number = self._numbers[name]
        return (
            self._values.plain(number)
            if self.named is None or name == "bits"
            else self.named(number)
        )

    def shown(self) -> str:
        kind = "iinfo" if self.dtype.startswith(("int", "uint")) else "finfo"
        names = ("min", "max") if kind == "iinfo" else _FLOAT_LIMITS
        shown = [f"{name}={self._numbers[name]:g}" for name in names]
        return f"{kind}({', '.join(shown)}, dtype={self.dtype})"


def highest(dtypes: list[str]) -> str:
    """The dtype that PyTorch promotes several to."""
    if set(dtypes) == {"uint8", "int8"}:
        return "int16"
    if set(dtypes) == {"float16", "bfloat16"}:
        return "float32"
    return max(dtypes, key=_ORDER.index)


class DtypeQueries:
    """The functions and methods by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        kinds = {
            "is_floating_point": FLOATS, "is_complex": (), "is_signed": _ORDER[2:],
        }  # fmt: skip
        self.methods: dict[str, Special] = {
            name: partial(self._is_among, name, dtypes) for name, dtypes in kinds.items()
        }
        self.functions: dict[str, Special] = {
            **{f"torch.{name}": method for name, method in self.methods.items()},
            "torch.result_type": self._result_type,
            "torch.promote_types": self._promote,
            "torch.can_cast": self._can_cast,
            "torch.finfo": self._float_limits,
            "torch.iinfo": self._integer_limits,
            "np.issubdtype": self._is_of_kind,
            "np.result_type": self._result_in_numpy,
            "np.promote_types": self._result_in_numpy,
            "np.can_cast": self._can_cast_in_numpy,
            "np.finfo": partial(self._of_numpy, self._float_limits),
            "np.iinfo": partial(self._of_numpy, self._integer_limits),
        }

    def name(self, value: Value) -> str:
        """The name of a dtype that is given, without `torch.`. Raises `type`."""
        if isinstance(value, Object):
            value = getattr(value, "name", "")
        name = value.rpartition(".")[2] if isinstance(value, str) else ""
        name = ALIASES.get(name, name)
        if name not in _ORDER:
            raise GradcliError("type", "this takes a dtype", hint="torch.float32")
        return name

    def _is_among(
        self, name: str, dtypes: tuple[str, ...], arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        (value,) = bind_names(name, ("input",), arguments, keywords).values()
        if isinstance(value, Object):
            own: Value = value.method(name)([], {})  # of a complex tensor
            return own
        dtype = self.autograd.dtype_of(self.values.tensor(value, name))
        return self.values.graph.constant(dtype in dtypes)

    def _result_type(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Tensors with axes come first, then single ones, then numbers: each counts only where its
        kind is above those before.
        """
        given = bind_names("result_type", ("tensor1", "tensor2"), arguments, keywords)
        nodes = [self.values.tensor(each, "result_type") for each in given.values()]
        numbers = PrintedNumbers(self.values)
        groups: list[list[str]] = [[], [], []]
        for node in nodes:
            if node in numbers:
                is_whole = node.kind == "int" or (node.kind == "float" and numbers.is_integer(node))
                usual = self.autograd.dtypes.default if self.autograd.dtypes else "float32"
                name = "bool" if node.kind == "bool" else "int64" if is_whole else usual
                groups[2].append(name)
            else:
                groups[not node.shape].append(self.autograd.dtype_of(node))
        found = ""
        for group in filter(None, groups):
            best = highest(group)
            found = best if not found or _kind(best) > _kind(found) else found
        return Unquoted(f"torch.{found}")

    def _promote(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("promote_types", ("type1", "type2"), arguments, keywords)
        return Unquoted(f"torch.{highest(list(map(self.name, given.values())))}")

    def _can_cast(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("can_cast", ("from_", "to"), arguments, keywords)
        before, after = map(self.name, given.values())
        return self.values.graph.constant(_kind(before) <= _kind(after))

    def _in_numpy(self, value: Value) -> Any:
        """A dtype, an array's, or a number of Python's, as NumPy's rules take it."""
        if isinstance(value, Node):
            if value not in self.values.arrays and self.values.plain_kind(value):
                number = self.values.number(value, "a number")
                return int(number) if self.values.plain_kind(value) == "int" else number
            return np.dtype(self.autograd.dtype_of(value))
        text = value if isinstance(value, str) else ""
        return np.dtype(text if text in _CODES else self.name(value))

    def _result_in_numpy(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`np.result_type(a, np.float32)`, `np.promote_types("f4", "i8")`."""
        if not arguments or keywords:
            raise GradcliError("type", "result_type takes arrays, numbers and dtypes")
        return Unquoted(np.result_type(*map(self._in_numpy, arguments)).name)

    def _can_cast_in_numpy(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("from_", "to", "casting")
        given = bind_names("can_cast", names, arguments, keywords, names[2:])
        rule: Any = given.get("casting", "safe")
        if rule not in ("no", "equiv", "safe", "same_kind", "unsafe"):
            raise GradcliError("value", "casting is 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'")
        before, after = self._in_numpy(given["from_"]), self._in_numpy(given["to"])
        if not isinstance(before, np.dtype) or not isinstance(after, np.dtype):
            raise GradcliError("type", "can_cast takes dtypes", hint="np.can_cast(a.dtype, int)")
        return self.values.graph.constant(bool(np.can_cast(before, after, rule)))

    def _is_of_kind(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`np.issubdtype(x.dtype, np.floating)`."""
        given = bind_names("issubdtype", ("arg1", "arg2"), arguments, keywords)
        wanted = given["arg2"]
        kind = wanted.rpartition(".")[2] if isinstance(wanted, str) else ""
        known = _KINDS.get(kind) or (self.name(wanted),)
        dtype = "float64" if given["arg1"] is None else self.name(given["arg1"])
        return self.values.graph.constant(dtype in known)

    def _float_limits(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        default = self.autograd.dtypes.default if self.autograd.dtypes else "float32"
        given = bind_names("finfo", ("type",), arguments, keywords, ("type",))
        written = given.get("type", default)
        name = self.name("float64" if written == "float" else written)
        if name not in _LIMITS:
            raise GradcliError("type", f"finfo is for floats, not {name}", hint="torch.iinfo")
        tiny, most, eps, bits = _LIMITS[name]
        numbers = {"tiny": tiny, "smallest_normal": tiny, "max": most, "min": -most, "eps": eps,
                   "bits": int(bits), "resolution": 10.0 ** np.ceil(np.log10(eps))}  # fmt: skip
        return DtypeLimits(self.values, numbers, name)

    def _of_numpy(
        self, limits: Special, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """NumPy's limits, whose Python numbers have 64 bits; a value stands for its dtype."""
        (given,) = bind_names("limits", ("dtype",), arguments, keywords).values()
        if isinstance(given, Node):
            given = self.autograd.dtype_of(given)
        written = given.name if isinstance(given, Object) and hasattr(given, "name") else given
        found: Value = limits([{"float": "float64", "int": "int64"}.get(str(written), given)], {})
        if isinstance(found, DtypeLimits) and found.dtype in _LIMITS:
            found.named = partial(self._numpys, found.dtype)
        return found

    def _numpys(self, dtype: str, number: float) -> Node:
        """A number as NumPy's of that dtype."""
        made = leaf(self.values.graph.constant(number), marked=False)
        self.values.arrays.add(made)
        if self.autograd.dtypes is not None:
            self.autograd.dtypes.name(made, dtype)
        return made

    def _integer_limits(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("iinfo", ("type",), arguments, keywords).values()
        name = self.name(value)
        if name not in INTEGERS:
            raise GradcliError("type", f"iinfo is for integers, not {name}", hint="torch.finfo")
        limits = np.iinfo(name)
        numbers: dict[str, float] = {
            "min": int(limits.min),
            "max": int(limits.max),
            "bits": int(limits.bits),
        }
        return DtypeLimits(self.values, numbers, name)


def _kind(name: str) -> int:
    """Truth values, integers, floats: a kind holds those before it."""
    return 0 if name == "bool" else 1 if name in INTEGERS else 2


def dtype_attribute(values: Values, dtype: str, name: str) -> Any:
    """An attribute of a dtype; None where it has none of that name."""
    known = dtype.removeprefix("torch.")
    if known not in _ORDER:
        return None
    if name == "is_floating_point":
        return values.graph.constant(known in FLOATS)
    if name in ("is_complex", "is_signed"):
        return values.graph.constant(name == "is_signed" and known not in ("bool", "uint8"))
    if name == "itemsize":
        bits = (
            8
            if known == "bool"
            else _LIMITS[known][3]
            if known in _LIMITS
            else np.iinfo(known).bits
        )
        return values.graph.constant(float(bits // 8))
    return known if name == "name" else None
