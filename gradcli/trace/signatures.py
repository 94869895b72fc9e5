"""`inspect`: the parameters of functions and classes, and what values are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.classes import Class
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.frames import Bound, UserFunction
from gradcli.trace.objects import BuiltIn, ClassName, Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_EMPTY = ClassName("inspect._empty")
_OPTIMISERS = "torch.optim."
Written = Callable[..., str]


class SignatureParameter(Object):
    """A parameter: its name, and what it is without an argument."""

    what = "a parameter"
    title = "inspect.Parameter"

    def __init__(self, name: str, default: Value, written: Written) -> None:
        """The name has its stars, where it gathers arguments."""
        self._name = name
        self._default = default
        self._written = written

    def attribute(self, name: str) -> Any:
        if name == "name":
            return self._name.lstrip("*")
        if name == "empty":
            return _EMPTY
        return self._default if name == "default" else super().attribute(name)

    def text(self) -> str:
        """As it stands in the definition."""
        if self._default is _EMPTY:
            return self._name
        return f"{self._name}={self._written(self._default, quoted=True)}"

    def shown(self) -> str:
        return self.text()


class FunctionSignature(Object):
    """The parameters of a function by name, in their order."""

    what = "a signature"
    title = "inspect.Signature"

    def __init__(self, values: Values, parameters: list[SignatureParameter]) -> None:
        self._values = values
        self._parameters = parameters

    def attribute(self, name: str) -> Any:
        if name != "parameters":
            return super().attribute(name)
        named = ((each.attribute("name"), each) for each in self._parameters)
        pairs = [pair for pair in named if pair[0] not in ("", "/")]  # a star, or a line, alone
        return Dictionary(self._values, pairs)

    def shown(self) -> str:
        return f"({', '.join(each.text() for each in self._parameters)})"


class Inspection:
    """The functions by name."""

    def __init__(self, values: Values, written: Written) -> None:
        """`written` gives values as print writes them."""
        self._values = values
        self._written = written
        self.constants: dict[str, Value] = {
            "inspect.Parameter": SignatureParameter("", _EMPTY, written)
        }
        self.functions: dict[str, Special] = {
            "inspect.signature": self._signature,
            "inspect.isclass": partial(self._is, lambda e: isinstance(e, Class | ClassName)
                                       or (isinstance(e, BuiltIn) and e.is_class)),
            "inspect.isfunction": partial(self._is, lambda e: isinstance(e, UserFunction)),
            "inspect.ismethod": partial(self._is, lambda e: isinstance(e, Bound)),
        }  # fmt: skip

    def _is(self, test: Callable[[Value], bool], arguments: list[Value], keywords: Given) -> Value:
        (value,) = bind_names("inspect", ("object",), arguments, keywords).values()
        return self._values.graph.constant(test(value))

    def _signature(self, arguments: list[Value], keywords: Given) -> Value:
        (value,) = bind_names("signature", ("obj",), arguments, keywords).values()
        function: Any = value
        skips = 0
        if isinstance(function, Class):
            function, skips = function.found("__init__"), 1
        elif isinstance(function, Bound):
            function, skips = function.function, 1
        if isinstance(function, UserFunction):
            return FunctionSignature(self._values, self._of_program(function)[skips:])
        name = function.name if isinstance(function, BuiltIn) else ""
        options = self._options(name.removeprefix(_OPTIMISERS))
        if not name.startswith(_OPTIMISERS) or options is None:
            raise GradcliError(
                "value",
                "signature is for functions and classes of the program, and for optimisers",
                hint="f.__name__ and f.__doc__ are there",
            )
        every = {"params": _EMPTY, **options}
        found = [SignatureParameter(each, usual, self._written) for each, usual in every.items()]
        return FunctionSignature(self._values, found)

    def _of_program(self, function: UserFunction) -> list[SignatureParameter]:
        return [
            SignatureParameter(each.name, function.defaults.get(each.name, _EMPTY), self._written)
            for each in function.definition.parameters
        ]

    def _options(self, name: str) -> Given | None:
        from gradcli.trace.more_optimisers import MORE
        from gradcli.trace.optimisers import METHODS

        method = METHODS.get(name) or MORE.get(name)
        if method is None:
            return None
        setting = self._values.setting
        return {
            key: tuple(map(setting, usual)) if isinstance(usual, tuple) else setting(usual)
            for key, usual in method.options.items()
        }
