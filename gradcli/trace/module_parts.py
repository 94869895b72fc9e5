"""What a module is made of: the modules, parameters and buffers in it, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from gradcli.diagnostics import RefusedError
from gradcli.graph import Node
from gradcli.ops.control import detach
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Generated
from gradcli.trace.iterators import Walked
from gradcli.trace.objects import Given, Object
from gradcli.trace.values import Value, Values

_ENTRY_BYTES = 512
"""What a name that leads to a module takes, on the ledger."""


class ModuleParts(Object):
    """A module as what it is made of."""

    values: Values
    not_saved: set[str]
    """The buffers that are no part of its state."""

    def inside(self) -> Mapping[str, Any]:
        """The modules inside by name."""
        raise NotImplementedError

    def computing(self) -> Mapping[str, Any]:
        """The modules that compute parameters, by name."""
        raise NotImplementedError

    def parameters(self) -> dict[str, Node]:
        """Its own parameters, with the originals of those that are computed."""
        raise NotImplementedError

    def constants(self) -> dict[str, Node]:
        """Its own buffers, with those that parameters are computed of."""
        raise NotImplementedError

    def named_modules(self, *, once: bool = True) -> Iterator[tuple[str, Any]]:
        """It and all modules inside, each `once` or by all its names, with the names that lead
        there.
        """
        waiting: list[tuple[str, Any, tuple[Any, ...]]] = [("", self, ())]
        seen: set[Any] = set()
        while waiting:
            name, module, around = waiting.pop()
            if module in (seen if once else around):
                continue
            if module in seen:
                self.values.graph.ledger.take(_ENTRY_BYTES, "the names of modules")
            seen.add(module)
            yield name, module
            outer = () if once else (*around, module)
            waiting += [
                (f"{name}.{each}" if name else each, inner, outer)
                for each, inner in reversed([*module.inside().items(), *module.computing().items()])
            ]

    def named(self, *, once: bool = True) -> list[tuple[str, Node]]:
        """All parameters with their names, each `once` or by all its names."""
        found = self._all(lambda module: module.parameters(), once=once)
        if not once:
            return found
        names: dict[Node, str] = {}
        for name, node in found:
            names.setdefault(node, name)
        return [(name, node) for node, name in names.items()]

    def named_buffers(self, *, once: bool = True) -> list[tuple[str, Node]]:
        """The same of buffers."""
        return self._all(lambda module: module.constants(), once=once)

    def state(self) -> list[tuple[str, Node]]:
        """The tensors of its state by all their names."""
        return self._all(
            lambda module: {
                name: node
                for name, node in {**module.parameters(), **module.constants()}.items()
                if name not in module.not_saved
            },
            once=False,
        )

    def _all(
        self, tensors: Callable[[Any], Mapping[str, Node]], *, once: bool
    ) -> list[tuple[str, Node]]:
        return [
            (f"{path}.{name}" if path else name, self.values.current(node))
            for path, module in self.named_modules(once=once)
            for name, node in tensors(module).items()
        ]

    def whole(self, named: Iterable[tuple[str, Node]]) -> list[tuple[str, Value]]:
        """Parameters with their names as the program has them: complex ones are of two parts."""
        if not self.values.complex_of_modules:
            return list(named)
        from gradcli.trace.complex_parameters import whole  # few models have them

        return list(whole(self.values, named))

    def state_shown(self) -> list[tuple[str, Value]]:
        """The tensors of its state, without a graph."""
        state = self.state()
        if not self.values.complex_of_modules:
            return [(name, detach(node)) for name, node in state]
        from gradcli.trace.complex_parameters import whole_state

        return list(whole_state(self.values, state))

    # --- methods of the program ---

    def walks(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        """Methods that give what it is made of, one by one or by a name."""
        return {
            **{name: partial(self._walked, name, find) for name, find in _WALKS.items()},
            "get_submodule": self._submodule,
            "get_parameter": partial(self._tensor, "parameter"),
            "get_buffer": partial(self._tensor, "buffer"),
        }

    def _submodule(self, arguments: list[Value], keywords: Given) -> Value:
        (path,) = bind_names("get_submodule", ("target",), arguments, keywords).values()
        found: Value = self._found(path)
        return found

    def _found(self, path: Value) -> Any:
        """The module behind a path of names. Raises `name`."""
        module: Any = self
        for name in str(path).split(".") if path != "" else ():
            if name not in module.inside():
                is_tensor = name in module.parameters() or name in module.constants()
                said = (
                    f"`{name}` is not an nn.Module" if is_tensor
                    else f"{module.title} has no attribute `{name}`"
                )  # fmt: skip
                raise RefusedError(
                    ("AttributeError", said), "name",
                    f"{module.title} has no module {name!r}",
                    hint=f"there are {', '.join(module.inside())}" if module.inside() else "",
                )  # fmt: skip
            module = module.inside()[name]
        return module

    def _tensor(self, kind: str, arguments: list[Value], keywords: Given) -> Value:
        """`get_parameter('head.weight')` and its like."""
        (path,) = bind_names(f"get_{kind}", ("target",), arguments, keywords).values()
        outer, _, name = str(path).rpartition(".")
        module: ModuleParts = self._found(outer)
        own = module.parameters() if kind == "parameter" else module.constants()
        known: dict[str, Value] = dict(
            module.whole((key, self.values.current(e)) for key, e in own.items())
        )
        if name not in known:
            raise RefusedError(
                ("AttributeError", f"{module.title} has no attribute `{name}`"), "name",
                f"{module.title} has no {kind} {name!r}", hint=f"there are {', '.join(known)}",
            )  # fmt: skip
        found: Value = known[name]
        return found

    def _walked(
        self, name: str, find: Callable[[Any, bool], Iterable[Any]], arguments: list[Value],
        keywords: Given,
    ) -> Value:  # fmt: skip
        """What it is made of; `prefix` stands before names, `recurse=False` is its own alone."""
        names: tuple[str, ...] = () if "children" in name else ("recurse",)
        if name == "named_modules":
            names = ("memo", "prefix", "remove_duplicate")
        elif name in ("named_parameters", "named_buffers"):
            names = ("prefix", "recurse", "remove_duplicate")
        given = bind_names(name, names, arguments, keywords, names)
        every = "remove_duplicate" in given and not self.values.truth(given["remove_duplicate"])
        found = list(find(self, not every))
        if "recurse" in given and not self.values.truth(given["recurse"]):
            own = self.parameters() if "parameters" in name else self.constants()
            now = [(key, self.values.current(node)) for key, node in own.items()]
            shown = {value for _, value in self.whole(now)}
            found = [each for each in found if (each[1] if "named" in name else each) in shown]
        prefix = given.get("prefix")
        if isinstance(prefix, str) and prefix:
            found = [(f"{prefix}.{each}" if each else prefix, value) for each, value in found]
        if not self.values.is_python:
            return Generated(f"Module.{name}", found)
        return Walked(self.values, f"Module.{name}", found)


def _children(module: ModuleParts) -> list[tuple[str, Any]]:
    """The modules inside, each by its first name."""
    found: dict[Any, str] = {}
    for name, each in module.inside().items():
        found.setdefault(each, name)
    return [(name, each) for each, name in found.items()]


def _parameters(module: ModuleParts, once: bool) -> list[tuple[str, Value]]:
    return module.whole(module.named(once=once))


def _buffers(module: ModuleParts, once: bool) -> list[tuple[str, Value]]:
    return module.whole(module.named_buffers(once=once))


_WALKS: Mapping[str, Callable[[Any, bool], Iterable[Any]]] = {
    "parameters": lambda module, once: [each for _, each in _parameters(module, once)],
    "named_parameters": _parameters,
    "buffers": lambda module, once: [each for _, each in _buffers(module, once)],
    "named_buffers": _buffers,
    "children": lambda module, _: [each for _, each in _children(module)],
    "named_children": lambda module, _: _children(module),
    "modules": lambda module, _: [each for _, each in module.named_modules()],
    "named_modules": lambda module, once: module.named_modules(once=once),
}
"""What they find, each once or by all names."""
