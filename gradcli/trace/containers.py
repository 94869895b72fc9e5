"""Layers that hold others, or parameters: `nn.ModuleDict`, `nn.ModuleList`, `nn.Sequential`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.composite import Composite
from gradcli.trace.dictionaries import Dictionary, pairs_of
from gradcli.trace.items import Items
from gradcli.trace.modules import Method, Module, Replace
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values

_AS_DTYPES: Mapping[str, str] = {}
_AS_TYPES = {"float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor"}
"""How containers call the types of parameters: a list by their dtypes, a dictionary by others."""


def _shown_parameters(module: Module, names: Mapping[str, str]) -> Iterator[str]:
    """The lines of parameters that a module has by number or name."""
    for name, node in module.own().items():
        size = "x".join(map(str, node.shape))
        dtype = module.autograd.dtype_of(node)
        kind = f"torch.{names.get(dtype, dtype)} of size {size}"
        yield f"    ({name}): Parameter containing: [{kind}]"


def named_parts(
    values: Values, title: str, arguments: Sequence[Value], keywords: Given
) -> list[tuple[str, Value]]:
    """The pairs that a container is given; of a plain dictionary a `ParameterDict` sorts them."""
    pairs = [(str(name), part) for name, part in pairs_of(values, arguments, keywords)]
    has_order = not arguments or type(arguments[0]) is not Dictionary
    if has_order or title != "ParameterDict":
        return pairs
    return sorted(pairs, key=itemgetter(0))


def no_layer(values: Values, value: Value) -> GradcliError:
    """The error of what is no layer, and is to be held as one."""
    from gradcli.trace.kinds_of_values import kind_of  # few programs fail
    from gradcli.trace.printing import PrintedNumbers

    kind = kind_of(value, PrintedNumbers(values))
    if kind == "type" and isinstance(value, BuiltIn):
        from gradcli.trace.class_places import PLACES

        kind = PLACES.get(value.name.rpartition(".")[2], kind)
    if kind == "function":
        kind = "torch._VariableFunctionsClass." + getattr(value, "name", kind)
    said = f"{kind} is not a Module subclass"
    return RefusedError(("TypeError", said), "type", "a model is made of layers",
                        hint="nn.Sequential(*layers) of a list")  # fmt: skip


class ModuleDict(Composite):
    """`nn.ModuleDict` and `nn.ParameterDict`: modules or parameters by names of the program's."""

    def item(self, items: Sequence[Any]) -> Value:
        if items[0] not in self.fields:
            raise GradcliError("index", f"the {self.title} has no {items[0]!r}",
                               hint=f"it has {', '.join(self.fields)}")  # fmt: skip
        return self.values.now(self.fields[items[0]])

    def set_item(self, items: Sequence[Any], value: Any) -> None:
        if self.title == "ModuleDict" and value is not None and not isinstance(value, Module):
            raise no_layer(self.values, value)
        self.fields[str(items[0])] = value

    def contains(self, value: Any) -> bool:
        return value in self.fields if isinstance(value, str) else False

    def elements(self) -> Items:
        return Items(list(self.fields))

    def lines(self) -> list[str]:
        return [*_shown_parameters(self, _AS_TYPES)]

    def methods(self) -> dict[str, Method]:
        return super().methods() | {
            "keys": lambda *_: self.elements(),
            "values": lambda *_: Items([self.item([name]) for name in self.fields]),
            "items": lambda *_: Items([(name, self.item([name])) for name in self.fields]),
            "update": self._update,
            "pop": self._pop,
            "clear": lambda *_: self.fields.clear(),
            **(
                {"get": self._get, "setdefault": self._set_default}
                if self.title == "ParameterDict"
                else {}
            ),
        }

    def _update(self, arguments: list[Value], keywords: Given) -> Value:
        for name, part in named_parts(self.values, self.title, arguments, keywords):
            self.set_item([name], part)
        return None

    def _get(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("get", ("key", "default"), arguments, keywords, ("default",))
        name = given["key"]
        return self.item([name]) if name in self.fields else given.get("default")

    def _set_default(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("setdefault", ("key", "default"), arguments, keywords, ("default",))
        self.fields.setdefault(str(given["key"]), given.get("default"))
        return self.item([str(given["key"])])

    def _pop(self, arguments: list[Value], keywords: Given) -> Value:
        (name,) = bind_names("pop", ("key",), arguments, keywords).values()
        found = self.item([name])
        del self.fields[str(name)]
        return found


class ModuleList(Module):
    """`nn.ModuleList`: modules that are elements."""

    def __init__(
        self, autograd: Autograd, title: str, replace: Replace, items: Sequence[Value]
    ) -> None:
        super().__init__(autograd, title, replace)
        self.items = Items(list(items))

    def own(self) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for place, each in enumerate(self.items):
            found |= self.parts_of(str(place), each)
        return found

    def inside(self) -> dict[str, Module]:
        return {str(i): each for i, each in enumerate(self.items) if isinstance(each, Module)}

    def elements(self) -> Items:
        return Items([self.values.now(each) for each in self.items])

    def item(self, items: Sequence[Any]) -> Any:
        """A list of some; None for a single one, which is an element. Raises `index` where there is
        none.
        """
        if len(items) == 1 and isinstance(items[0], slice):
            return ModuleList(self.autograd, self.title, self.replace, [*self.items][items[0]])
        if len(items) == 1 and isinstance(items[0], Node):
            place, count = self.values.integer(items[0], "a place"), len(self.items)
            if not -count <= place < count:
                said = f"index {place} is out of range"
                told = f"there is no such module among {count}"
                raise RefusedError(("IndexError", said), "index", told)
        return None

    def lines(self) -> list[str]:
        return [*_shown_parameters(self, _AS_DTYPES)]

    def labelled(self, inside: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
        """Neighbours that look the same are shown once, with their number."""
        found: list[tuple[str, list[str]]] = []
        for lines, group in groupby(inside, key=itemgetter(1)):
            names = [name for name, _ in group]
            many = f"({names[0]}-{names[-1]}): {len(names)} x "
            found.append((many if len(names) > 1 else f"({names[0]}): ", lines))
        return found

    def methods(self) -> dict[str, Method]:
        return super().methods() | {
            "append": self._append,
            "extend": self._extend,
            "insert": self._insert,
            "pop": self._pop,
        }

    def _insert(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("insert", ("index", "module"), arguments, keywords)
        items = [*self.items]
        place = self.values.integer(given["index"], "index")
        items.insert(place, self._checked(given["module"]))
        self.items.become(items)
        return self

    def _pop(self, arguments: list[Value], keywords: Given) -> Value:
        (place,) = bind_names("pop", ("key",), arguments, keywords).values()
        found: Value = subscript(self.values, self.items, [place])
        self.delete_item([place])
        return found

    def delete_item(self, items: Sequence[Any]) -> None:
        place = items[0]
        rest = [*self.items]
        at = place if isinstance(place, slice) else self.values.integer(place, "a place")
        if not isinstance(at, slice) and not -len(rest) <= at < len(rest):
            raise GradcliError("index", f"there is no such module among {len(rest)}")
        del rest[at]
        self.items.become(rest)

    def special(self, name: str) -> Object | None:
        """`layers + [nn.ReLU()]`, and so `+=`."""
        return BuiltIn(name, self._longer) if name == "__add__" else super().special(name)

    def _longer(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        items = [*self.items, *self.values.elements(arguments[0])]
        return ModuleList(self.autograd, self.title, self.replace, items)

    def _append(self, arguments: list[Value], keywords: Given) -> Value:
        (item,) = bind_names("append", ("item",), arguments, keywords).values()
        self.items.append(self._checked(item))
        return self

    def _checked(self, value: Value) -> Value:
        """What the list may hold. Raises `type`."""
        if self.title != "ParameterList" and value is not None and not isinstance(value, Module):
            raise no_layer(self.values, value)
        return value

    def _extend(self, arguments: list[Value], keywords: Given) -> Value:
        (more,) = bind_names("extend", ("items",), arguments, keywords).values()
        for each in self.values.elements(more):
            self.items.append(self._checked(each))
        return self


class Sequential(ModuleList):
    """`nn.Sequential`: one module after another."""

    def __init__(
        self,
        autograd: Autograd,
        replace: Replace,
        names: Sequence[str],
        items: Sequence[Module],
    ) -> None:
        super().__init__(autograd, "Sequential", replace, items)
        self._names = names

    def _insert(self, arguments: list[Value], keywords: Given) -> Value:
        self._number()
        return super()._insert(arguments, keywords)

    def delete_item(self, items: Sequence[Any]) -> None:
        self._number()
        super().delete_item(items)

    def _number(self) -> None:
        """Have numbers in the place of names, as what they belong to moves."""
        self._names = []

    def inside(self) -> dict[str, Module]:
        numbers = map(str, range(len(self._names), len(self.items)))
        return dict(zip([*self._names, *numbers], self.items, strict=True))

    def forward(self, arguments: list[Value], keywords: Given) -> Any:
        (value,) = bind_names("Sequential", ("input",), arguments, keywords).values()
        for module in self.items:
            value = yield module.call([value], {})
        return value

    def attribute(self, name: str) -> Value:
        return self.inside()[name] if name in self.inside() else super().attribute(name)

    def set(self, name: str, value: Value) -> Any:
        """Put a module in the place of the one of that name, or behind all."""
        if not isinstance(value, Module) or name in self.methods():
            return super().set(name, value)
        names = list(self.inside())
        if name not in names:
            return self._add([name, value], {})
        modules = list(self.items)
        modules[names.index(name)] = value
        self.items.become(modules)
        return None

    def methods(self) -> dict[str, Method]:
        return super().methods() | dict.fromkeys(("add_module", "register_module"), self._add)

    def labelled(self, inside: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
        """Each has a place of its own, also among equal ones."""
        return Module.labelled(self, inside)

    def item(self, items: Sequence[Any]) -> Any:
        """Some of the modules, as a model of these; None for a single one, which is an element."""
        if len(items) != 1 or not isinstance(items[0], slice):
            return super().item(items)
        pairs = list(self.inside().items())[items[0]]
        names = [name for name, _ in pairs]
        return Sequential(self.autograd, self.replace, names, [each for _, each in pairs])

    def set_item(self, items: Sequence[Any], value: Any) -> None:
        """Put another module in the place of one."""
        modules = list(self.items)
        place = self.values.integer(items[0], "the number of a module")
        if not isinstance(value, Module) or not -len(modules) <= place < len(modules):
            raise GradcliError("index", f"there is no such module among {len(modules)}")
        modules[place] = value
        self.items.become(modules)

    def _add(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("add_module", ("name", "module"), arguments, keywords)
        if not isinstance(given["name"], str):
            raise GradcliError("type", "what is added has a name", hint="'relu', nn.ReLU()")
        module = self._checked(given["module"])
        self._names = [*self.inside(), given["name"]]
        self.items.append(module)
        return None
