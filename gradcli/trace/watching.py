"""`module.register_full_backward_hook(f)`: the gradients that come to a layer and leave it; and
functions of what goes into and comes out of all layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.control import bind, leaf
from gradcli.ops.kinds import cast, zeros_like
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, HookHandle, Object
from gradcli.trace.values import Value
from gradcli.walks import receivers, upstream

_OF_MODULES = {
    "forward_pre_hook": "_before", "forward_hook": "_hooks", "backward_hook": "_node_watchers",
    "full_backward_hook": "_watchers", "full_backward_pre_hook": "_first_watchers",
}  # fmt: skip
"""The ends of the functions that register a function of all modules, and before which list of a
module's own that is called."""


class WatchingCalls:
    """`register_module_forward_hook` and its like, by name."""

    def __init__(self, hooks: dict[str, list[Object]]) -> None:
        self._hooks = hooks
        self.functions = {
            f"torch.nn.register_module_{name}": partial(self._register, of)
            for name, of in _OF_MODULES.items()
        }

    def _register(self, of: str, arguments: list[Value], keywords: Given) -> Value:
        names = ("hook", "with_kwargs", "always_call")
        hook = bind_names("register_hook", names, arguments, keywords, names[1:])["hook"]
        if not isinstance(hook, Object):
            raise GradcliError("type", "a hook is a function", hint="def hook(module, …): …")
        hooks = self._hooks.setdefault(of, [])
        hooks.append(hook)
        return HookHandle(lambda: hooks.remove(hook) if hook in hooks else None)


class Watch:
    """One call of a layer whose gradients functions of the program are told of."""

    def __init__(
        self, autograd: Autograd, module: Object, hooks: Sequence[Object], arguments: list[Value]
    ) -> None:
        self._autograd = autograd
        self._module, self._hooks = module, [*hooks]
        self.arguments = [
            bind(each) if isinstance(each, Node) and self._autograd.requires_grad(each) else each
            for each in arguments
        ]
        """What forward gets: the tensors as nodes of their own."""
        self._followed = [
            place for place, (each, given) in enumerate(zip(self.arguments, arguments, strict=True))
            if each is not given
        ]  # fmt: skip
        self._of_output: Value = None
        self._of_inputs = [self._unknown(each) for each in arguments]
        self._waits = 0

    def _unknown(self, given: Value) -> Value:
        """The gradient of an input that none comes to: of zeros where other inputs have some."""
        if not (self._followed and self._autograd.values.is_tensor(given)):
            return None
        assert isinstance(given, Node)
        zeros = leaf(cast(zeros_like(given), given.kind), marked=False)
        return self._autograd.in_dtype_of(given, zeros)

    def begin(self, output: Node) -> None:
        """Wait for the gradients of this output, and then for those of the inputs."""
        self._autograd.add_hook(output, BuiltIn("hook", self._output_known))
        nodes = [node for node in self.arguments if isinstance(node, Node)]
        order = upstream([output], oldest=min((node.index for node in nodes), default=0))
        reached = receivers([output], order)
        used = [place for place in self._followed if self.arguments[place] in reached]
        self._followed = used or self._followed
        for place in self._followed:
            node = self.arguments[place]
            assert isinstance(node, Node)
            self._autograd.add_hook(node, BuiltIn("hook", partial(self._input_known, place)))

    def _output_known(self, _: str, grads: list[Value], __: Given) -> Any:
        self._of_output = grads[0]
        self._waits = len(self._followed)
        if not self._waits:
            yield self._tell()

    def _input_known(self, place: int, _: str, grads: list[Value], __: Given) -> Any:
        self._of_inputs[place] = grads[0]
        self._waits -= 1
        if not self._waits:
            yield self._tell()
            return self._of_inputs[place]
        return None

    def _tell(self) -> Any:
        """Call the functions; what they return stands in the place of the inputs' gradients."""
        for hook in self._hooks:
            given = [self._module, tuple(self._of_inputs), (self._of_output,)]
            found = yield hook.call(given, {})
            if found is not None:
                several = isinstance(found, tuple | Items)
                self._of_inputs = self._autograd.values.elements(found) if several else [found]
