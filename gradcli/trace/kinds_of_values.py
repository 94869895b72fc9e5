"""What `isinstance` and `type` say of values."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.trace.absent import Absent
from gradcli.trace.caught import Caught
from gradcli.trace.class_places import PLACES
from gradcli.trace.classes import Class, Instance
from gradcli.trace.constructors import TENSORS
from gradcli.trace.dictionaries import (
    Dictionary,
)
from gradcli.trace.dtypes import FLOATS, INTEGERS
from gradcli.trace.families import families, is_family
from gradcli.trace.items import (
    NUMPY_BOOL,
    Device,
    Generated,
    Items,
    NumpyDtype,
    NumpyText,
    Unquoted,
)
from gradcli.trace.modules import Module
from gradcli.trace.objects import BuiltIn, ClassName, Object, TypeHint, plain_value
from gradcli.trace.own_errors import LIBRARY_ERRORS, OwnError, is_error, kinds_of
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.special import Size
from gradcli.trace.values import Value, describe

_KNOWN = ("Tensor", "int", "float", "bool", "str", "bytes", "list", "tuple", "dict", "set",
          "frozenset", "range", "Module", "Parameter", "Number", "ndarray",
          "Size", "Exception", "Optimizer", "Callable", "dtype", "device", "NoneType",
          "Node", "type", "OrderedDict", "defaultdict", "Counter", "deque", "Distribution",
          "Transform", "Dataset", "Constraint", "RandomState")  # fmt: skip


_ALIASES = {
    "Variable": "Tensor",
    "Real": "Number",
    "Complex": "Number",
    "DefaultDict": "defaultdict",
    **{name.capitalize(): name for name in ("tuple", "list", "dict", "deque")},
}
"""Other names of classes, those of `typing` and `numbers` among them."""
_ROWS = frozenset(("list", "tuple", "str", "range", "bytes", "Size"))
_SETS, _TABLES = (
    frozenset(("set", "frozenset")),
    frozenset(("dict", "OrderedDict", "defaultdict", "Counter")),
)
_SEVERAL = _ROWS | _SETS | _TABLES | {"deque", "Tensor", "Parameter", "ndarray"}
_ABSTRACT: dict[str, tuple[frozenset[str], str | None]] = {
    "Sequence": (_ROWS | {"deque"}, None),
    "MutableSequence": (frozenset(("list", "deque")), None),
    "Mapping": (_TABLES, None), "MutableMapping": (_TABLES, None),
    "Set": (_SETS, None), "MutableSet": (frozenset(("set",)), None),
    "Iterable": (_SEVERAL | {"generator"}, "__iter__"),
    "Iterator": (frozenset(("generator",)), "__next__"),
    "Generator": (frozenset(("generator", "Generator")), None),
    "Sized": (_SEVERAL, "__len__"), "Container": (_SEVERAL, "__contains__"),
    "Collection": (_SEVERAL, "__contains__"),
}  # fmt: skip
"""By the names of `collections.abc`: the classes of Python and PyTorch that are of each, and the
method by which an object of the program is, too.
"""
_OF_NUMPY = frozenset(("integer", "floating", "number", "generic", NUMPY_BOOL, *INTEGERS, *FLOATS))
"""Classes of numbers of NumPy's, which Python's numbers are not of."""


_INTEGERS = ("int", "bool")
_NUMBERS = {
    "int": _INTEGERS, "float": ("float",), "Number": (*_INTEGERS, "float"), "Integral": _INTEGERS,
    "Rational": _INTEGERS,
}  # fmt: skip
"""By class, those of Python's numbers that are of it."""


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
    if isinstance(value, Size):
        return "Size"
    if isinstance(value, Unquoted) and value.startswith("torch."):
        return "type" if isinstance(value, NumpyDtype) else "dtype"
    if isinstance(value, Device):
        return "device"
    if isinstance(value, tuple) and hasattr(value, "title"):
        return str(value.title)
    kinds: dict[type, str] = {
        NumpyText: "str_", str: "str", Generated: "generator", Items: "list", tuple: "tuple",
        range: "range", type(None): "NoneType",
    }  # fmt: skip
    other = value.title.rpartition(".")[2] if isinstance(value, Object) else "function"
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), other)


def _kind_of_node(node: Node, numbers: PrintedNumbers) -> str:
    if node in numbers.arrays:
        is_array = node.shape or node in numbers.values.boxed
        dtype = numbers.values.array_dtype(node)
        return "ndarray" if is_array else NUMPY_BOOL if dtype == "bool" else dtype
    if node not in numbers:
        return "Parameter" if node in numbers.values.parameters else "Tensor"
    if node.kind == "bool":
        return "bool"
    plain = float(node.known) if node.known is not None else 0.0
    return "int" if plain.is_integer() and numbers.is_integer(node) else "float"


def is_class(value: Value) -> bool:
    """Whether a value is a class: of the program, or of Python's or PyTorch's."""
    is_known = isinstance(value, BuiltIn) and value.is_class
    return is_known or isinstance(value, Class | ClassName)


def is_known(name: str) -> bool:
    """Whether a class has that name, wherever it is defined."""
    of_python = name in _KNOWN or name in _ALIASES or name in _ABSTRACT or name in _OF_NUMPY
    return of_python or is_error(name) or is_family(name) or name in {**PLACES, **LIBRARY_ERRORS}


def known_kind(value: Value, name: str) -> Value:
    """What a name stands for; the class of that name, where it is one from which PyTorch's are
    made, and nothing else is known of it.
    """
    return ClassName(name) if isinstance(value, Absent) and is_known(name) else value


def _is_error_of(value: Value, wanted: Any) -> bool:
    """Whether a value is an error of a class of Python's."""
    if isinstance(value, Caught):
        return wanted in kinds_of(value.kind)
    return isinstance(value, OwnError) and wanted in value.kinds()


def is_of_kinds(value: Value, wanted: Any, numbers: PrintedNumbers) -> bool:
    """Whether a value is of a class, or of one of those in a tuple, which may hold others. Raises
    `type` for what is no class.
    """
    waiting = [wanted]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            waiting += reversed(each)
        elif isinstance(each, Absent):
            each.shown()  # which says what is not there
        elif _is_no_class(each):
            said = "isinstance() arg 2 must be a type, a tuple of types, or a union"
            raise RefusedError(
                ("TypeError", said), "type",
                f"isinstance takes a class, or a tuple of classes, not {describe(each)}",
                hint="isinstance(x, (int, float))",
            )  # fmt: skip
        elif is_of_kind(value, each, numbers):
            return True
    return False


def _is_no_class(value: Value) -> bool:
    """Whether it is a value that `isinstance` has no use for."""
    if isinstance(value, BuiltIn):
        return value.name in FUNCTIONS and value.name not in (*_KNOWN, *_ALIASES, *TENSORS)
    if isinstance(value, Unquoted):
        return value.startswith("torch.") and not isinstance(value, NumpyDtype)
    return isinstance(value, Items | Dictionary | Module | Node | str)


def is_of_kind(value: Value, wanted: Any, numbers: PrintedNumbers) -> bool:
    """Whether a value is of a class of the program, or of the one with a name. Whole numbers are
    both int and float outside of Python's programs. Raises `type` for other names.
    """
    known = _is_of_program(value, wanted, numbers)
    if known is not None:
        return known
    of_pytorch = isinstance(wanted, BuiltIn) and wanted.name.startswith("torch.")
    value = plain_value(value)
    found = kind_of(value, numbers)
    found = "str" if found == "str_" else found
    if isinstance(wanted, BuiltIn | ClassName):
        wanted = wanted.name.rpartition(".")[2]
    if wanted == "object":
        return True
    if isinstance(value, Caught) or (isinstance(wanted, str) and is_error(wanted)):
        return _is_error_of(value, wanted)
    wanted = _class_name(wanted) if isinstance(wanted, str) else wanted
    if wanted in _OF_NUMPY or _is_numpys(value, found, numbers):
        return _is_numpys(value, found, numbers) and _is_among(found, wanted)
    if not of_pytorch and (wanted == "Callable" or wanted in _ABSTRACT):
        return _is_abstract(value, found, wanted)
    if isinstance(value, tuple) and wanted == "tuple":
        return True
    if wanted == "dict":
        return found in _TABLES
    if wanted in _NUMBERS:
        return found in _NUMBERS[wanted] or (
            wanted == "float" and found == "int" and not numbers.values.is_python
        )
    if isinstance(value, Object) and wanted in families(value):
        return True
    if wanted not in _KNOWN:
        return _is_of_none(value, wanted, of_pytorch)
    return found == wanted or (found == "Parameter" and wanted == "Tensor")


def _is_of_dtype(value: Value, wanted: Any, numbers: PrintedNumbers) -> bool | None:
    """Whether a value is a tensor of the dtype that a class as `torch.DoubleTensor` names; None for
    other classes. None is on a GPU.
    """
    written = wanted.name if isinstance(wanted, BuiltIn | ClassName) else wanted
    name = written.rpartition(".")[2] if isinstance(written, str) else ""
    if name not in TENSORS:
        return None
    value = plain_value(value)
    if not isinstance(value, Node) or kind_of(value, numbers) not in ("Tensor", "Parameter"):
        return False
    is_here = not str(written).startswith("torch.cuda.")
    return is_here and numbers.values.array_dtype(value) == TENSORS[name]


def _is_abstract(value: Value, found: str, wanted: str) -> bool:
    """Whether a value of a class is of one of `collections.abc`."""
    if wanted == "Callable":
        is_called = isinstance(value, Object) and found in ("function", "type")
        return is_called or isinstance(value, Module) or _has_method(value, "__call__")
    classes, method = _ABSTRACT[wanted]
    is_tuple = isinstance(value, tuple) and "tuple" in classes
    return is_tuple or found in classes or (method is not None and _has_method(value, method))


def _is_of_program(value: Value, wanted: Any, numbers: PrintedNumbers) -> bool | None:
    """Whether a value is of a class of the program, of one of several, or of tensors of a dtype;
    None for others.
    """
    if isinstance(wanted, Class):
        if wanted.is_protocol:
            names = (*wanted.frame.functions, *wanted.declared)
            return all(_has_member(value, name) for name in names)
        if isinstance(value, Instance):
            return wanted in value.made_by.order
        is_pytorchs = wanted.frame.outer is None
        return is_pytorchs and isinstance(value, Object) and wanted.name in families(value)
    if isinstance(wanted, TypeHint) and wanted.kinds:
        return any(is_of_kind(value, each, numbers) for each in wanted.kinds)
    is_member = isinstance(value, Instance) and value.is_unique
    if is_member and isinstance(wanted, Object) and not isinstance(wanted, BuiltIn | ClassName):
        return wanted.contains(value)
    return value is None if wanted is None else _is_of_dtype(value, wanted, numbers)


def _has_member(value: Value, name: str) -> bool:
    """Whether an object has an attribute or a method of that name."""
    if isinstance(value, Instance) and (name in value.fields or value.made_by.has(name)):
        return True
    return isinstance(value, Object) and name in value.methods()


def _has_method(value: Value, name: str) -> bool:
    """Whether the class of an object has that method."""
    return isinstance(value, Instance) and value.made_by.has(name)


def _class_name(written: str) -> str:
    """What a class is called here."""
    if isinstance(written, NumpyDtype):
        return written.name
    name = written.removeprefix("numpy.").removeprefix("torch.")
    return _ALIASES.get(name, name)


def _is_numpys(value: Value, found: str, numbers: PrintedNumbers) -> bool:
    """Whether a value is a number of NumPy's."""
    return isinstance(value, Node) and value in numbers.arrays and found != "ndarray"


def _is_among(dtype: str, wanted: str) -> bool:
    """Whether NumPy's numbers of a dtype are of a class: those of 64 bits are Python's floats."""
    integers, floats = dtype in INTEGERS, dtype in FLOATS
    known = {
        "float": dtype == "float64", "integer": integers,
        "floating": floats, "number": integers or floats, "Number": integers or floats,
        "generic": True, "Integral": integers, "Rational": integers,
    }  # fmt: skip
    return known.get(wanted, dtype == wanted)


def _is_of_none(value: Value, wanted: Any, of_pytorch: bool) -> bool:
    """False, as a value is not of that class. Raises `type` where nobody knows the class."""
    is_family = isinstance(value, Object) and value.family
    if not (of_pytorch or is_family or (isinstance(wanted, str) and is_known(wanted))):
        raise GradcliError(
            "type",
            f"isinstance does not know the class {wanted if isinstance(wanted, str) else ''}",
            hint=f"it knows the program's classes and {', '.join((*_KNOWN, *_ABSTRACT))}",
        )
    return False
