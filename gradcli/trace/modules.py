"""What layers and models have in common: parameters, a mode, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import EMPTY, Node
from gradcli.ops.control import bind, detach, leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import dtype_name
from gradcli.trace.device_names import check_device, is_device
from gradcli.trace.dictionaries import Dictionary, OrderedDictionary, pairs_of
from gradcli.trace.dtypes import INTEGERS, kept
from gradcli.trace.items import Items
from gradcli.trace.loading import loaded, misfits, not_loaded
from gradcli.trace.module_parts import ModuleParts
from gradcli.trace.objects import BuiltIn, Given, HookHandle, Object
from gradcli.trace.rated import clear_grads
from gradcli.trace.values import Value, Values

Method = Callable[[list[Value], Given], Any]
Replace = Callable[[Node, Node], None]
HOOKS = {"_forward_hooks": "_hooks", "_forward_pre_hooks": "_before",
          "_backward_hooks": "_watchers"}  # fmt: skip
"""What PyTorch calls the hooks of a module."""
_PARTS: Mapping[str, Callable[[Module], Mapping[Any, Any]]] = {
    "_parameters": lambda module: dict(module.whole(module.parameters().items())),
    "_buffers": lambda module: dict(module.whole(module.buffers().items())),
    "_modules": lambda module: module.inside(),
}
"""What PyTorch calls what a module is made of, by name."""
_FIXED = (*HOOKS, *_PARTS, "__class__", "__dict__")
"""What is not given another value."""
_METHODS = {name: name for name in ("double", "float", "half", "bfloat16")}
"""Methods that give parameters a dtype."""
_TO = ("device", "dtype", "non_blocking", "memory_format")
_WATCHED = ("BackwardHookFunctionBackward", (), EMPTY)
"""What PyTorch says has made the output of a module whose gradients are watched."""


class HookTable(OrderedDictionary):
    """`module._forward_hooks`: functions by numbers, which may be taken away."""

    def __init__(self, values: Values, hooks: list[Object]) -> None:
        numbered = ((values.graph.constant(float(i)), each) for i, each in enumerate(hooks))
        super().__init__(values, numbered)
        self._hooks = hooks

    def methods(self) -> dict[str, Method]:
        return {name: partial(self._kept, each) for name, each in super().methods().items()}

    def _kept(self, method: Method, arguments: list[Value], keywords: Given) -> Value:
        found: Value = method(arguments, keywords)
        held = self.held()
        self._hooks[:] = [each for each in self._hooks if each in held]
        return found


class Module(ModuleParts):
    """A layer or a model."""

    what = "a layer"
    family = "Module"

    def __init__(self, autograd: Autograd, title: str, replace: Replace) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.title = title
        self.training = True
        self._before: list[Object] = []
        """Functions of the module and its inputs, called before forward."""
        self._hooks: list[Object] = []
        """Functions of the module, its inputs and its output, called after forward."""
        self._told_by_name: set[Object] = set()
        """Those of both that get the arguments by name, too."""
        self._watchers: list[Object] = []
        """Functions of the module and the gradients of its inputs and its output."""
        self._node_watchers: list[Object] = []
        """Those of the node that has made its output, as in PyTorch's first years."""
        self._first_watchers: list[Object] = []
        """Functions of the module and the gradients of its output, before these."""
        self.replace = replace
        self.noted: dict[str, Value] = {}
        """What the program has stored with it that is no part of what it computes, by name."""
        self.empty: dict[str, dict[str, None]] = {"_parameters": {}, "_buffers": {}}
        """The names of parameters and buffers that the program has given None for."""
        self.not_saved: set[str] = set()
        """The buffers that are no part of its state."""
        self.computed: dict[str, Any] = {}
        """By name, parameters that are computed of others: `ComputedParameter`."""
        self.parametrizations: Any = None
        """What tells of these."""

    # --- what it is made of ---

    def own(self) -> dict[str, Node]:
        """Its parameters without those of the modules inside."""
        return {}

    def buffers(self) -> dict[str, Node]:
        """Tensors that belong to its state and have no grad."""
        return {}

    def store(self, name: str) -> dict[str, Any]:
        """Where its parameter or buffer of that name is kept, for those who put another there."""
        return {}

    def inside(self) -> dict[str, Module]:
        """The modules inside by name."""
        return {}

    def computing(self) -> dict[str, Module]:
        """The modules that compute parameters, by name."""
        return {
            f"parametrizations.{name}.{i}": each
            for name, computed in self.computed.items()
            for i, each in enumerate(computed.kind or ())
            if isinstance(each, Module)
        }

    def details(self) -> str:
        """What stands in parentheses where it is shown."""
        return ""

    def forward(self, arguments: list[Value], keywords: Given) -> Any:
        """What it computes, or the visitor that finds it."""
        raise GradcliError("type", f"{self.title} has no forward", hint="def forward(self, x): …")

    def parameters(self) -> dict[str, Node]:
        """Its own parameters, with the originals of those that are computed."""
        own = self.own()
        if not self.computed:
            return own
        found = {name: node for name, node in own.items() if name not in self.computed}
        for each in self.computed.values():
            found |= each.originals
        return found

    def constants(self) -> dict[str, Node]:
        """Its own buffers, with those that parameters are computed of."""
        found = self.buffers()
        for each in self.computed.values():
            found = found | each.constants
        return found

    def part(self, name: str) -> Any:
        """A parameter that is computed, what it is computed of, or None for other names."""
        if name in self.computed:
            return self.computed[name].read()
        if name == "parametrizations":
            return self.parametrizations
        return next(
            (e.original(name) for e in self.computed.values() if name in e.originals | e.constants),
            None,
        )

    def parts_of(self, name: str, value: Value) -> dict[str, Node]:
        """A tensor that it holds, or the parts of a complex one, by their names."""
        if isinstance(value, Node):
            return {name: value}
        if not isinstance(value, Object) or isinstance(value, Module):
            return {}
        from gradcli.trace.complex_parameters import parts_of  # few models have them

        return parts_of(self.values, name, value)

    # --- as an object ---

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        told = self._before or self._watchers or self._hooks or self._first_watchers
        is_plain = not (told or self._node_watchers)
        if not is_plain or self.computed or self.autograd.of_modules:
            return self._with_hooks(arguments, keywords)
        return self._forward()(arguments, keywords)

    def _forward(self) -> Method:
        """What it computes, or a function of the program's that stands in the place of that."""
        own = self.noted.get("forward")
        return own.call if isinstance(own, Object) else self.forward

    def _with_hooks(self, arguments: list[Value], keywords: Given) -> Any:
        arguments = [self._seen(each) for each in arguments]
        for computed in self.computed.values():
            yield computed.renew()
        for hook in self._told("_before"):
            by_name = [Dictionary(self.values, keywords.items())] * (hook in self._told_by_name)
            other = yield hook.call([self, tuple(arguments), *by_name], {})
            if other is not None and by_name:
                first, named = self.values.elements(other)
                arguments = self.values.elements(first)
                keywords = {str(key): each for key, each in pairs_of(self.values, [named], {})}
            elif other is not None:
                arguments = list(other) if isinstance(other, tuple) else [other]
        watch = None
        watchers = self._told("_watchers")
        if watchers:
            from gradcli.trace.watching import Watch  # few programs watch gradients

            watch = Watch(self.autograd, self, watchers, arguments)
            arguments = watch.arguments
        value = self._seen((yield self._forward()(arguments, keywords)))
        for hook in self._told("_hooks"):
            by_name = [Dictionary(self.values, keywords.items())] * (hook in self._told_by_name)
            other = yield hook.call([self, tuple(arguments), *by_name, value], {})
            value = value if other is None else other
        for hook in self._told("_node_watchers"):
            self._watch_node(value, hook)
        is_watched = watchers or self._told("_first_watchers")
        if is_watched and isinstance(value, Node) and self.autograd.requires_grad(value):
            value = bind(value)
            self.values.made_by[value] = _WATCHED
            if self._told("_first_watchers"):
                self.autograd.add_hook(value, BuiltIn("hook", self._tell_first))
            if watch is not None:
                watch.begin(value)
        return value

    def _watch_node(self, value: Value, hook: Object) -> None:
        """Tell a function of the gradients of the node that has made a module's output."""
        from gradcli.trace.graph_nodes import graph_node  # few programs watch gradients
        from gradcli.trace.trees import tensors

        first = next(iter(tensors(self.values, value)), None)
        if not isinstance(first, Node) or self.autograd.is_leaf(first):
            return
        node = graph_node(self.autograd, first)
        if node is not None:
            node.told_after(
                BuiltIn("hook", lambda _, given, named: hook.call([self, *given], named))
            )

    def _told(self, hooks: str) -> list[Object]:
        """Functions of all modules, and then the module's own."""
        own: list[Object] = getattr(self, hooks)
        return [*self.autograd.of_modules.get(hooks, ()), *own]

    def _seen(self, value: Value) -> Value:
        """What goes in or out as hooks see it: without a graph where gradients are not recorded."""
        if self.autograd.records() or not isinstance(value, Node):
            return value
        hangs = self.autograd.requires_grad(value) and not self.autograd.is_leaf(value)
        return detach(value) if hangs else value

    def _tell_first(self, _: str, grads: list[Value], __: Given) -> Any:
        """Call the functions of the output's gradient, which may give another."""
        given = tuple(grads)
        for hook in self._told("_first_watchers"):
            found = yield hook.call([self, given], {})
            if found is not None:
                given = found if isinstance(found, tuple) else (found,)
        return given[0]

    def _register_hook(
        self, name: str, hooks: list[Object], arguments: list[Value], keywords: Given
    ) -> Value:
        names = ("hook", "prepend", "with_kwargs", "always_call")
        given = bind_names(name, names, arguments, keywords, names[1:])
        hook = given["hook"]
        if not isinstance(hook, Object):
            raise GradcliError("type", "a hook is a function", hint="def hook(module, …): …")
        if "with_kwargs" in given and self.values.truth(given["with_kwargs"]):
            self._told_by_name.add(hook)
        first = "prepend" in given and self.values.truth(given["prepend"])
        hooks.insert(0 if first else len(hooks), hook)
        return HookHandle(lambda: hooks.remove(hook) if hook in hooks else None)

    def tensors(self) -> list[tuple[Node, str]]:
        return [(node, name) for name, node in self.named()]

    def attribute(self, name: str) -> Value:
        if name == "training":
            return self.values.graph.constant(self.training)
        if name in HOOKS:
            return HookTable(self.values, getattr(self, HOOKS[name]))
        if name in _PARTS:
            from gradcli.trace.empty_parts import with_empty  # few cells look into modules

            return Dictionary(self.values, with_empty(self, name, _PARTS[name](self)).items())
        if name in self.noted:
            return self.values.now(self.noted[name])
        if self.computed and (found := self.part(name)) is not None:
            return found  # type: ignore[no-any-return]
        raise self.has_no("attribute", name)

    def set(self, name: str, value: Value) -> Any:
        """Store a value with it, which may be no part of what it computes. Raises `name`."""
        is_part = isinstance(value, Module) or (
            isinstance(value, Node) and value in self.values.parameters
        )
        is_forward = name == "forward" and isinstance(value, Object)
        if is_part or (name in self.methods() and not is_forward) or name in _FIXED:
            raise self.has_no("attribute", name)
        self.noted[name] = value

    def check_same_kind(
        self, name: str, held: Value, value: Value, *, is_buffer: bool = False
    ) -> None:
        """Raise `type` where a parameter, a module or a buffer would become something else."""
        parameters = self.values.parameters
        if isinstance(held, Node) and held in parameters:
            is_same, kind = isinstance(value, Node) and value in parameters, "parameter"
        elif isinstance(held, Module):
            is_same, kind = isinstance(value, Module), "child module"
        else:
            is_same = not is_buffer or (isinstance(value, Node) and self.values.is_tensor(value))
            kind = "buffer"
        if not is_same:
            from gradcli.trace.refusals import of_another_kind  # a rare error

            raise of_another_kind(self.values, name, kind, value)

    def check_parameter(self, name: Value, value: Value) -> None:
        """Raise `type` for a tensor that is registered as a parameter, and is none."""
        if isinstance(value, Node) and value not in self.values.parameters:
            said = f"cannot assign 'torch.FloatTensor' object to parameter '{name}'"
            said += " (torch.nn.Parameter or None required)"
            raise RefusedError(("TypeError", said), "type",
                               "what is registered as a parameter is one",
                               hint="nn.Parameter(x)")  # fmt: skip

    def method(self, name: str) -> Method:
        """The method of that name, or the call of a module inside: `net.encoder(x)`."""
        part = None if name in self.methods() else self.inside().get(name, self.noted.get(name))
        return super().method(name) if not isinstance(part, Object) else part.call

    def method_shown(self, name: str) -> str:
        home = self.title if name == "forward" else "Module"
        return f"<bound method {home}.{name} of {self.shown()}>"

    def methods(self) -> dict[str, Method]:
        return {
            "forward": self._forward(),
            **self.walks(),
            "compile": lambda *_: None,
            "_get_name": lambda *_: self.title,
            "extra_repr": lambda *_: self.details(),
            "__repr__": lambda *_: Module.shown(self),
            "__str__": lambda *_: self.asked("__repr__") or Module.shown(self),
            "state_dict": lambda *_: OrderedDictionary(self.values, self.state_shown()),
            "load_state_dict": self._load,
            "train": self._train,
            "eval": lambda *_: self._in_mode(False),
            **dict.fromkeys(("cpu", "cuda"), lambda *_: self),
            **{name: partial(self._in_dtype, dtype) for name, dtype in _METHODS.items()},
            "to": self._to,
            "requires_grad_": self._requires_grad,
            "zero_grad": self._zero_grad,
            "apply": self._apply,
            **{
                name: partial(self._register_hook, name, hooks)
                for name, hooks in (
                    ("register_forward_pre_hook", self._before),
                    ("register_forward_hook", self._hooks),
                    ("register_full_backward_hook", self._watchers),
                    ("register_backward_hook", self._node_watchers),
                    ("register_full_backward_pre_hook", self._first_watchers),
                )
            },
        }

    def _to(self, arguments: list[Value], keywords: Given) -> Value:
        """`net.to(dtype)`, `net.to(device)`, `net.to(device, dtype)`."""
        given = bind_names("to", _TO, arguments, keywords, _TO)
        for value in (given.get("device"), given.get("dtype")):
            if isinstance(value, Node) and self.autograd.dtypes is not None:
                self.to_dtype(self.autograd.dtypes.of(value))
            elif value is not None and not is_device(value):
                if self.values.is_pytorch:
                    self._check_dtype(value)
                self.to_dtype(value)
        return self

    def _check_dtype(self, value: Value) -> None:
        """Raise `type` for what PyTorch's `to` takes for no dtype of a model."""
        if type(value) is str:
            check_device(value)  # raises: a dtype is no text
        name = str(value).removeprefix("torch.")
        if name in INTEGERS or name == "bool":
            said = "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            raise RefusedError(("TypeError", f"{said}dtype=torch.{name}"), "type",
                               "a model computes with floats")  # fmt: skip

    def _in_dtype(self, dtype: Value, arguments: list[Value], keywords: Given) -> Value:
        self.to_dtype(dtype)
        return self

    def to_dtype(self, dtype: Value) -> None:
        """Give parameters and buffers that hold floats another dtype, in place."""
        tensors = [node for _, node in (*self.named(), *self.named_buffers())]
        for node in tensors:
            name = dtype_name(self.autograd, dtype, node.graph.precision)
            if node.kind == "float" and self.autograd.dtypes is not None:
                self.autograd.dtypes.rename(node, name)
                self.replace(node, self.autograd.dtypes.put_in_half(node, node))

    def _train(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("train", ("mode",), arguments, keywords, ("mode",))
        return self._in_mode("mode" not in given or self.values.truth(given["mode"]))

    def _in_mode(self, training: bool) -> Module:
        for _, module in self.named_modules():
            was, _ = self.values.modes.get(module, (module.training, training))
            self.values.modes[module] = was, training
            module.training = training
        return self

    def _zero_grad(self, arguments: list[Value], keywords: Given) -> Value:
        clear_grads(self.autograd, [node for _, node in self.named()], arguments, keywords)
        return None

    def _requires_grad(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("requires_grad_", ("mode",), arguments, keywords, ("mode",))
        wanted = "mode" not in given or self.values.truth(given["mode"])
        for _, node in self.named():
            new = self.autograd.set_requires_grad(node, wanted)
            if new is not node:
                self.replace(node, new)
        return self

    def _apply(self, arguments: list[Value], keywords: Given) -> Any:
        """A function of every module, those inside first."""
        (function,) = bind_names("apply", ("fn",), arguments, keywords).values()
        if not isinstance(function, Object):
            raise GradcliError("type", "apply takes a function", hint="def init(m): …")
        for module in self._from_inside():
            yield function.call([module], {})
        return self

    def _from_inside(self) -> list[Module]:
        """It and all modules inside, each once, behind those that are inside it."""
        waiting = [(self, False)]
        seen: set[Module] = set()
        found: list[Module] = []
        while waiting:
            module, is_left = waiting.pop()
            if is_left:
                found.append(module)
            elif module not in seen:
                seen.add(module)
                waiting.append((module, True))
                waiting += [(each, False) for each in reversed(module.inside().values())]
        return found

    def _load(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("state_dict", "strict")
        given = bind_names("load_state_dict", names, arguments, keywords, names[1:])
        state = given["state_dict"]
        if not isinstance(state, Dictionary):
            kind = "list" if isinstance(state, Items) else type(state).__name__
            said = f"Expected state_dict to be dict-like, got <class '{kind}'>."
            told = "load_state_dict takes a dictionary of tensors"
            raise RefusedError(("TypeError", said), "type", told)
        own, given_by_name = dict(self.state()), {str(key): each for key, each in state.pairs()}
        if self.values.complex_of_modules:
            from gradcli.trace.complex_parameters import in_parts

            given_by_name = in_parts(given_by_name)
        strict = "strict" not in given or self.values.truth(given["strict"])
        missing, unexpected, wrong = misfits(self.values, own, given_by_name)
        if wrong or (strict and (missing or unexpected)):
            raise not_loaded(
                self.title, missing if strict else (), unexpected if strict else (), wrong
            )
        for name, node in own.items():
            if name in given_by_name:
                value = self.values.tensor(given_by_name[name], name)
                value = kept(self.autograd.dtypes, value, node)
                now = self.values.current(node)  # two names may be of one tensor
                self.replace(now, leaf(detach(value), marked=self.autograd.is_leaf(now)))
        return loaded(missing, unexpected)

    def lines(self) -> list[str]:
        """What it shows of itself in lines of their own."""
        return []

    def shown(self) -> str:
        """As PyTorch prints modules: those inside in lines of their own."""
        found: dict[Module, list[str]] = {}
        waiting: list[Module] = [self]
        while waiting:
            module = waiting[-1]
            said = module.asked("__repr__") if module is not self else None
            if isinstance(said, str):
                found[waiting.pop()] = said.split("\n")
                continue
            inner = module.inside()
            before = [each for each in inner.values() if each not in found]
            self.values.graph.ledger.take(64 * (len(before) + 1), "what is printed")
            waiting += before
            if not before:
                found[waiting.pop()] = module.text(
                    [(name, found[each]) for name, each in inner.items()]
                )
        return "\n".join(found[self])

    def text(self, inside: list[tuple[str, list[str]]]) -> list[str]:
        """Its lines, of those of the modules inside."""
        details = self.details()
        is_tall = bool(details) and (bool(inside) or "\n" in details)
        computed = self.parametrizations.lines() if self.parametrizations is not None else []
        is_tall = is_tall or bool(computed)
        own_title = self.asked("_get_name") or self.title
        title = f"Parametrized{own_title}" if computed else own_title
        head = f"{title}({'' if is_tall else details}"
        own = [f"  {each}" for each in details.split("\n")] if is_tall else []
        within = [*own, *self.lines()]
        if len(within) == 1 and not inside and not computed:
            return [f"{head}{within[0].removeprefix('  ')})"]
        for label, (first, *rest) in self.labelled(inside):
            within += [f"  {label}{first}", *(f"  {each}" for each in rest)]
        within += [f"  {each}" for each in computed]
        self.values.graph.ledger.take(
            sum(4 * len(each) + 64 for each in (head, *within)), "what is printed"
        )
        return [head, *within, ")"] if within else [f"{head})"]

    def labelled(self, inside: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
        """The lines of each module inside, and what stands before them."""
        return [(f"({name}): ", lines) for name, lines in inside]


def in_given_dtypes(makers: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Functions that make layers, whose parameters are of the `dtype` that is given."""

    def made(make: Callable[..., Any], arguments: list[Value], keywords: Given) -> Any:
        found = make(arguments, keywords)
        if keywords.get("dtype") is not None and isinstance(found, Module):
            found.to_dtype(keywords["dtype"])
        return found

    return {name: partial(made, make) for name, make in makers.items()}
