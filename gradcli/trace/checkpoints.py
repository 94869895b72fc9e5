"""`torch.utils.checkpoint`: functions that backward calls again, for what they keep no longer.

Here a run decides itself what it computes again; what such a function prints, counts and
remembers happens twice all the same, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.control import detach
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_OPTIONS = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug",
            "early_stop")  # fmt: skip
_MADE_BY = "CheckpointFunctionBackward"
"""What PyTorch says has made results where a backward of its own runs inside backward."""


class Checkpoints:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.functions: dict[str, Special] = {
            "torch.utils.checkpoint.checkpoint": self._checkpoint,
            "torch.utils.checkpoint.checkpoint_sequential": self._in_turn,
        }
        self.methods: dict[str, Special] = {}

    def _checkpoint(self, arguments: list[Value], keywords: Given) -> Any:
        """What a function gives, which backward calls again."""
        function, *inputs = arguments or [None]
        if not isinstance(function, Object):
            raise GradcliError("type", "checkpoint takes a function",
                               hint="checkpoint(f, x, use_reentrant=False)")  # fmt: skip
        named = {key: each for key, each in keywords.items() if key not in _OPTIONS}
        run = lambda: function.call([*inputs], {**named})  # noqa: E731
        mode = keywords.get("use_reentrant")
        if mode is None or self.values.truth(mode):
            return self._inside(run, inputs)
        return self._told(run)

    def _in_turn(self, arguments: list[Value], keywords: Given) -> Any:
        """What modules give one after another, of which all but the last are checkpoints."""
        names = ("functions", "segments", "input", "use_reentrant", "preserve_rng_state")
        given = bind_names("checkpoint_sequential", names, arguments, keywords, names[3:])
        modules = self.values.elements(given["functions"])
        if not all(isinstance(each, Object) for each in modules):
            raise GradcliError("type", "checkpoint_sequential takes modules")
        segments = self.values.integer(given["segments"], "segments")
        if not 0 < segments <= max(1, len(modules)):
            raise GradcliError("value", f"checkpoint_sequential: {segments} segments of "
                               f"{len(modules)} modules")  # fmt: skip
        length = len(modules) // segments
        options = {key: given[key] for key in names[3:] if key in given}
        value = given["input"]
        for begin in range(0, length * (segments - 1), length):
            part = self._one_after_another(modules[begin : begin + length])
            value = yield self._checkpoint([part, value], options)
        last = self._one_after_another(modules[length * (segments - 1) :])
        return (yield last.call([value], {}))

    def _one_after_another(self, modules: Any) -> Object:
        def run(_: str, given: list[Value], __: Given) -> Any:
            (value,) = given
            for each in modules:
                value = yield each.call([value], {})
            return value

        return BuiltIn("run", run)

    def _inside(self, run: Callable[[], Any], inputs: list[Value]) -> Any:
        """With `use_reentrant=True`: without an input that requires grad there is no gradient."""
        marked = [
            each for each in inputs
            if isinstance(each, Node) and self.autograd.requires_grad(each)
        ]  # fmt: skip
        if marked:
            found = yield from self._told(run)
            return self._each(found, lambda node: self.autograd.another(node, _MADE_BY, inputs, {}))
        records = self.autograd.records()
        self.autograd.set_records(False)
        try:
            found = yield run()
        finally:
            self.autograd.set_records(records)
        return self._each(found, lambda node: detach(node) if node.kind == "float" else node)

    def _told(self, run: Callable[[], Any]) -> Any:
        """What the function gives; once a gradient comes to it, the function is called again."""
        graph = self.values.graph
        drawn = graph.draws
        waiting = [run]

        def again(*_: Any) -> Any:
            if waiting:
                before, graph.draws = graph.draws, drawn
                try:
                    yield waiting.pop()()
                finally:
                    graph.draws = before

        found = yield run()
        hook = BuiltIn("hook", again)

        def watch(node: Node) -> Node:
            if self.autograd.requires_grad(node):
                self.autograd.add_hook(node, hook)
            return node

        return self._each(found, watch)

    def _each(self, found: Value, change: Callable[[Node], Node]) -> Value:
        """The tensors that a function returns, one or several, as others."""
        if isinstance(found, Node):
            return change(found)
        if isinstance(found, tuple):
            return tuple(change(each) if isinstance(each, Node) else each for each in found)
        if isinstance(found, Items):
            return Items([change(each) if isinstance(each, Node) else each for each in found])
        return found
