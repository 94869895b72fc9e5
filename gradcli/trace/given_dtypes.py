"""Dtypes as calls name them: `torch.int64`, `np.float32`, `float`."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from gradcli.diagnostics import Diagnostic
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.trace.constructors import KINDS
from gradcli.trace.given_tensors import no_tensor
from gradcli.trace.items import NumpyDtype, Unquoted
from gradcli.trace.names import dtype_name
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.values import Value
from gradcli.trace.wrong_arguments import CombinationError


def by_place(argument: syntax.Expression, bound: Container[str]) -> Unquoted | None:
    """The dtype that an argument names, unless the name has a value: `torch.int64`, `float`."""
    name = dtype_name(argument)
    if isinstance(argument, syntax.Name) and (name not in KINDS or argument.id in bound):
        return None
    return None if name is None else _named(argument, name)


def by_name(value: syntax.Expression, bound: Container[str]) -> str | None:
    """The dtype that `dtype=…` names, unless the name is bound to one."""
    name = dtype_name(value)
    if isinstance(value, syntax.Name):
        return None if value.id in bound else name
    return _named(value, f"torch.{name}") if name in KINDS else name


def _named(written: syntax.Expression, name: str) -> Unquoted:
    is_numpys = isinstance(written, syntax.Attribute) and (
        isinstance(written.value, syntax.Name) and written.value.id != "torch"
    )
    return NumpyDtype(name) if is_numpys else Unquoted(name)


def check_dtypes(
    numbers: PrintedNumbers,
    name: str,
    written: syntax.Call,
    given: Sequence[Value],
    keywords: Mapping[str, Value],
) -> None:
    """Raise `type` where a function of PyTorch's, or a method, is given a text or a dtype of
    NumPy's as one.
    """
    dtype = keywords.get("dtype")
    is_text = any(
        each.name == "dtype" and isinstance(each.value, syntax.String) for each in written.keywords
    )
    if not is_text and not isinstance(dtype, NumpyDtype):
        return
    kind = "str" if is_text else "type"
    name = name.rpartition(".")[2]
    function = FUNCTIONS.get(name)
    if name != "to" and (function is None or not function.overloaded):
        raise no_tensor(name, "dtype", 0, kind, "torch.dtype")
    kinds = [numbers.class_of(each) or "Tensor" for each in given]
    others = {key: kind if key == "dtype" else numbers.class_of(each) or "Tensor"
              for key, each in keywords.items()}  # fmt: skip
    told = Diagnostic("type", f"{name} takes a dtype of PyTorch's", hint="dtype=torch.float32")
    raise CombinationError(name, kinds, others, told)
