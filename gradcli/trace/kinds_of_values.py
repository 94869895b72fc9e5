"""What `isinstance` and `type` say of values."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.caught import Caught
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import (
    Dictionary,
    FrozenSetOfValues,
    OrderedDictionary,
    SetOfValues,
)
from gradcli.trace.dtypes import FLOATS, INTEGERS
from gradcli.trace.families import families
from gradcli.trace.items import Device, Generated, Items, Passed, Unquoted
from gradcli.trace.modules import Module
from gradcli.trace.objects import BuiltIn, ClassName, Object, plain_value
from gradcli.trace.own_errors import OwnError, is_error, kinds_of
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.special import Size
from gradcli.trace.values import Value

_KNOWN = ("Tensor", "int", "float", "bool", "str", "bytes", "list", "tuple", "dict", "set",
          "frozenset", "range", "Module", "Parameter", "Number", "FloatTensor", "ndarray",
          "Size", "Exception", "Optimizer", "Callable", "dtype", "device", "NoneType",
          "Node", "type")  # fmt: skip


_ALIASES = {"Variable": "Tensor", "OrderedDict": "dict", "defaultdict": "dict", "Sequence": "list",
            "Mapping": "dict"}  # fmt: skip
"""Other names of classes."""
_OF_NUMPY = frozenset(("integer", "floating", "number", "generic", "bool_", *INTEGERS, *FLOATS))
"""Classes of numbers of NumPy's, which Python's numbers are not of."""


def kind_of(value: Value, numbers: PrintedNumbers) -> str:
    """The name of a value's class in Python and PyTorch."""
    if isinstance(value, Node):
        return _kind_of_node(value, numbers)
    if isinstance(value, Instance):
        return value.made_by.name
    if isinstance(value, Module):
        return value.title
    if is_class(value):
        return "type"
    if isinstance(value, Caught):
        return value.kind
    if isinstance(value, Passed):
        return value.kind
    if isinstance(value, Size):
        return "Size"
    if isinstance(value, Unquoted) and value.startswith("torch."):
        return "dtype"
    if isinstance(value, Device):
        return "device"
    if isinstance(value, tuple) and hasattr(value, "title"):
        return str(value.title)
    kinds = {str: "str", Generated: "generator", Items: "list", tuple: "tuple",
             FrozenSetOfValues: "frozenset", SetOfValues: "set",
             OrderedDictionary: "OrderedDict", Dictionary: "dict", range: "range",
             type(None): "NoneType"}  # fmt: skip
    other = value.title if isinstance(value, Object) else "function"
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), other)


def _kind_of_node(node: Node, numbers: PrintedNumbers) -> str:
    if node in numbers.arrays:
        is_array = node.shape or node in numbers.values.boxed
        return "ndarray" if is_array else numbers.values.array_dtype(node)
    if node not in numbers:
        return "Parameter" if node in numbers.values.parameters else "Tensor"
    if node.kind == "bool":
        return "bool"
    plain = float(node.known) if node.known is not None else 0.0
    return "int" if plain.is_integer() and numbers.is_integer(node) else "float"


def is_class(value: Value) -> bool:
    """Whether a value is a class: of the program, or of Python's or PyTorch's."""
    is_known = isinstance(value, BuiltIn) and value.shown().startswith("<class ")
    return is_known or isinstance(value, Class | ClassName)


def _is_error_of(value: Value, wanted: Any) -> bool:
    """Whether a value is an error of a class of Python's."""
    if isinstance(value, Caught):
        return wanted in kinds_of(value.kind)
    return isinstance(value, OwnError) and wanted in value.kinds()


def is_of_kind(value: Value, wanted: Any, numbers: PrintedNumbers) -> bool:
    """Whether a value is of a class of the program, or of the one with a name. Whole numbers are
    both int and float outside of Python's programs. Raises `type` for other names.
    """
    if isinstance(wanted, Class):
        return isinstance(value, Instance) and wanted in value.made_by.order
    of_pytorch = isinstance(wanted, BuiltIn) and wanted.name.startswith("torch.")
    is_member = isinstance(value, Instance) and value.is_unique
    if is_member and isinstance(wanted, Object) and not isinstance(wanted, BuiltIn | ClassName):
        return wanted.contains(value)
    value = plain_value(value)
    found = kind_of(value, numbers)
    found = "dict" if found == "OrderedDict" else found
    if isinstance(wanted, BuiltIn | ClassName):
        wanted = wanted.name.rpartition(".")[2]
    if wanted == "object":
        return True
    if isinstance(value, Caught) or (isinstance(wanted, str) and is_error(wanted)):
        return _is_error_of(value, wanted)
    wanted = _class_name(wanted) if isinstance(wanted, str) else wanted
    if wanted in _OF_NUMPY or _is_numpys(value, found, numbers):
        return _is_numpys(value, found, numbers) and _is_among(found, wanted)
    if wanted == "Callable":
        return isinstance(value, Object) and found in ("function", "type")
    if isinstance(value, tuple) and wanted == "tuple":
        return True
    if wanted in ("float", "int", "Number"):
        floats = ("float",) if numbers.values.is_python else ("int", "float")
        of_number = {"int": ("int", "bool"), "float": floats}
        return found in of_number.get(wanted, ("int", "float", "bool"))
    if isinstance(value, Object) and wanted in families(value):
        return True
    if wanted not in _KNOWN:
        return _is_of_none(value, wanted, of_pytorch)
    is_tensor = found in ("Tensor", "Parameter") and wanted in ("Tensor", "FloatTensor")
    return found == wanted or is_tensor


def _class_name(written: str) -> str:
    """What a class is called here."""
    name = written.removeprefix("numpy.").removeprefix("torch.")
    return _ALIASES.get(name, name)


def _is_numpys(value: Value, found: str, numbers: PrintedNumbers) -> bool:
    """Whether a value is a number of NumPy's."""
    return isinstance(value, Node) and value in numbers.arrays and found != "ndarray"


def _is_among(dtype: str, wanted: str) -> bool:
    """Whether NumPy's numbers of a dtype are of a class: those of 64 bits are Python's floats."""
    integers, floats = dtype in INTEGERS, dtype in FLOATS
    known = {
        "float": dtype == "float64", "bool_": dtype == "bool", "integer": integers,
        "floating": floats, "number": integers or floats, "Number": integers or floats,
        "generic": True,
    }  # fmt: skip
    return known.get(wanted, dtype == wanted and dtype != "bool")


def _is_of_none(value: Value, wanted: Any, of_pytorch: bool) -> bool:
    """False, as a value is not of that class. Raises `type` where nobody knows the class."""
    if not of_pytorch and not (isinstance(value, Object) and value.family):
        raise GradcliError(
            "type",
            f"isinstance does not know the class {wanted if isinstance(wanted, str) else ''}",
            hint=f"it knows the program's classes and {', '.join(_KNOWN)}",
        )
    return False
