"""Modules of the program's own classes, and the modules inside them by name."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.modules import HOOKS, Method, Module, Replace
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value


class Model(Instance, Module):
    """An object of a class that is an `nn.Module`."""

    def __init__(self, autograd: Autograd, made_by: Class, replace: Replace) -> None:
        Module.__init__(self, autograd, made_by.name, replace)
        Instance.__init__(self, autograd.values, made_by)
        self._has_begun = made_by.found("__init__") is None
        """Whether the `__init__` of Module was called, if it has one of its own."""
        self._buffers: dict[str, None] = {}
        """The names of its buffers, in their order."""
        self.keys_of_modules: dict[str, Value] = {}
        """What modules in `_modules` were named by, where that is no string."""

    def own(self) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for name, field in self.fields.items():
            value = self.values.now(field)
            if isinstance(value, Node):
                if value in self.values.parameters:
                    found[name] = value
            elif isinstance(value, Object) and value.title == "Parameter":
                found |= self.parts_of(name, value)
        return found

    def store(self, name: str) -> dict[str, Any]:
        return self.fields

    def buffers(self) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for name in self._buffers:
            found |= self.parts_of(name, self.values.now(self.fields[name]))
        return found

    def inside(self) -> dict[str, Module]:
        return {name: value for name, value in self.fields.items() if isinstance(value, Module)}

    def attribute(self, name: str) -> Any:
        if self.computed and (found := self.part(name)) is not None:
            return found
        known = name in self.fields or self.made_by.found(name) is not None
        if not known and name == "_modules":
            return OwnModules(self)
        if name == "__dict__":
            from gradcli.trace.module_fields import ModuleFields  # few cells look into modules

            return ModuleFields(self, self.fields, self.kept_apart())
        if not known and (name in ("training", "_parameters", "_buffers") or name in HOOKS):
            return Module.attribute(self, name)
        return Instance.attribute(self, name)

    def kept_apart(self) -> Container[str]:
        return {*self.own(), *self.buffers(), *self.inside()}

    def begin_as_module(self) -> None:
        """What the `__init__` of Module does: it may have parts from now on."""
        self._has_begun = True

    def set(self, name: str, value: Value) -> Any:
        is_parameter = isinstance(value, Node) and value in self.values.parameters
        if not self._has_begun and (is_parameter or isinstance(value, Module)):
            what = "parameters" if is_parameter else "module"
            raise RefusedError(
                ("AttributeError", f"cannot assign {what} before Module.__init__() call"),
                "name",
                f"{self.made_by.name} has no parts before the __init__ of nn.Module was called",
                hint="super().__init__() is the first line of def __init__(self)",
            )
        if name in self.fields and value is not None:
            held = self.fields[name]
            if isinstance(held, Node):
                held = self.values.current(held)
            self.check_same_kind(name, held, value, is_buffer=name in self._buffers)
        kept = self.values.attributes.get(value, {}) if isinstance(value, Node) else {}
        if "persistent" in kept:  # as `nn.Buffer` has it
            return self._register_buffer([name, value, kept["persistent"]], {})
        if value is None and name in self.own():
            self.empty["_parameters"][name] = None
        return Instance.set(self, name, value)

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        own = self.special("__call__")
        return own.call(arguments, keywords) if own else Module.call(self, arguments, keywords)

    def forward(self, arguments: list[Value], keywords: Given) -> Any:
        given = self.fields.get("forward")
        own = given if isinstance(given, Object) else self.special("forward")
        if own is None:
            return Module.forward(self, arguments, keywords)
        return own.call(arguments, keywords)

    def methods(self) -> dict[str, Method]:
        return Module.methods(self) | {
            "__init__": lambda *_: self.begin_as_module(),
            "extra_repr": lambda *_: "",
            "register_buffer": self._register_buffer,
            "register_parameter": self._register_parameter,
            "add_module": self._register,
            "register_module": self._register,
        }

    def _register(self, arguments: list[Value], keywords: Given) -> Value:
        name, value = [*arguments, *keywords.values()][:2]
        if not isinstance(name, str):
            raise GradcliError("type", "what is registered has a name", hint="'mean', tensor")
        self.fields[name] = value
        return None

    def _check_name(self, kind: str, name: Value) -> None:
        """Raise `name` for what nothing is registered by."""
        if not isinstance(name, str) or not self.values.is_pytorch:
            return
        said = ""
        if "." in name:
            said = f'{kind} name can\'t contain "."'
        elif not name:
            said = f'{kind} name can\'t be empty string ""'
        elif name in self.fields and not (name in self._buffers or self.fields[name] is None):
            said = f"attribute '{name}' already exists"
        if said:
            raise RefusedError(("KeyError", repr(said)), "name", said)

    def _register_parameter(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("register_parameter", ("name", "param"), arguments, keywords)
        name, value = given.values()
        self._check_name("parameter", name)
        self.check_parameter(name, value)
        if value is None:
            self.empty["_parameters"][str(name)] = None
        return self._register([name, value], {})

    def _register_buffer(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("name", "tensor", "persistent")
        given = bind_names("register_buffer", names, arguments, keywords, names[2:])
        self._check_name("buffer", given["name"])
        self._register([given["name"], given["tensor"]], {})
        self._buffers[str(given["name"])] = None
        self.empty["_buffers"][str(given["name"])] = None
        if "persistent" in given and not self.values.truth(given["persistent"]):
            self.not_saved.add(str(given["name"]))
        return None

    def details(self) -> str:
        text = self.asked("extra_repr")
        return text if isinstance(text, str) else ""

    def shown(self) -> str:
        said = self.values.texts.get(self)
        return Module.shown(self) if said is None else said


class OwnModules(Dictionary):
    """`self._modules`: the modules of a model by name, to which others may be added."""

    def __init__(self, model: Model) -> None:
        self._model = model
        keys = model.keys_of_modules
        inside = model.inside().items()
        super().__init__(model.values, [(keys.get(name, name), each) for name, each in inside])

    def put(self, key: Value, value: Value) -> None:
        super().put(key, value)
        name = str(key)
        if isinstance(key, Node):
            name = f"{self._model.values.number(key, 'the name of a module'):g}"
        self._model.keys_of_modules[name] = key
        self._model.fields[name] = value
