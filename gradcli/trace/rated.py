"""What schedulers know of an optimiser, whether PyTorch's or the program's: groups with rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.objects import Given, HookHandle, Object
from gradcli.trace.values import Value, Values
from gradcli.tuples import NamedTuple

Method: TypeAlias = Callable[[list[Value], Given], Any]


def clear_grads(
    autograd: Autograd, nodes: Iterable[Value], arguments: list[Value], keywords: Given
) -> None:
    """`zero_grad(set_to_none)`: no grads any more, or 0 in the memory of each."""
    given = bind_names("zero_grad", ("set_to_none",), arguments, keywords, ("set_to_none",))
    keeps = "set_to_none" in given and not autograd.values.truth(given["set_to_none"])
    for node in nodes:
        if keeps and node in autograd.grads:
            autograd.zero(node)
        elif not keeps:
            autograd.set_grad(node, None)


class StepHooks(NamedTuple):
    """Functions of an optimiser that are called with each step."""

    before: list[Object]
    """Of the optimiser and the arguments of `step`, which they may give in another form."""
    after: list[Object]


class Rated(Object):
    """The groups of parameters of an optimiser, each with a learning rate."""

    values: Values
    groups: Sequence[Dictionary]
    hooks: StepHooks

    def hooked(self, step: Method) -> Method:
        """The step with the functions that are called before and after it."""
        before, after = self.hooks
        return partial(self._hooked, step) if before or after else step

    def _hooked(self, step: Method, arguments: list[Value], keywords: Given) -> Any:
        for hook in [*self.hooks.before]:
            named = Dictionary(self.values, keywords.items())
            found = yield hook.call([self, (self, *arguments), named], {})
            if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Dictionary):
                arguments = self.values.elements(found[0])[1:]
                keywords = {str(name): value for name, value in found[1].pairs()}
        result = yield step(arguments, keywords)
        for hook in [*self.hooks.after]:
            named = Dictionary(self.values, keywords.items())
            yield hook.call([self, (self, *arguments), named], {})
        return result

    def registering(self) -> dict[str, Method]:
        """The methods that take such functions."""
        return {
            "register_step_pre_hook": partial(self._register, self.hooks.before),
            "register_step_post_hook": partial(self._register, self.hooks.after),
        }

    def _register(self, hooks: list[Object], arguments: list[Value], keywords: Given) -> Value:
        (hook,) = bind_names("register_step_hook", ("hook",), arguments, keywords).values()
        if not isinstance(hook, Object):
            raise GradcliError("type", "a hook is a function",
                               hint="def hook(optimizer, args, kwargs): …")  # fmt: skip
        hooks.append(hook)
        return HookHandle(lambda: hooks.remove(hook) if hook in hooks else None)

    def parameters(self, group: Dictionary) -> list[Node]:
        """The parameters of a group as they are now."""
        found = self.values.elements(group.item(["params"]))
        return [self.values.current(self.values.tensor(each)) for each in found]

    def rates(self) -> list[float]:
        """The learning rate of each group."""
        return [self.values.number(group.item(["lr"]), "lr") for group in self.groups]

    def first_rates(self) -> list[float]:
        """The learning rates when the first scheduler took over."""
        for group in self.groups:
            if not group.contains("initial_lr"):
                group.put("initial_lr", group.item(["lr"]))
        return [self.values.number(group.item(["initial_lr"]), "lr") for group in self.groups]

    def set_rate(self, place: int, rate: float) -> None:
        """Give a group another learning rate."""
        self.groups[place].put("lr", self.values.plain(rate))

    def set_momentum(self, place: int, momentum: float) -> bool:
        """Give a group another momentum, or a first beta; whether it has one of these."""
        group, value = self.groups[place], self.values.plain(momentum)
        if group.contains("betas"):
            _, second = self.values.elements(group.item(["betas"]))
            group.put("betas", (value, second))
        elif group.contains("momentum"):
            group.put("momentum", value)
        else:
            return False
        return True
