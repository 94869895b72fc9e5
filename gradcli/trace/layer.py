"""A layer: what it computes with its parameters, and the settings that say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.control import detach, leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.layer_errors import check_tensors
from gradcli.trace.modules import Method, Module, Replace
from gradcli.trace.objects import Given
from gradcli.trace.values import Value

Compute = Callable[["Layer", list[Value], Given], Any]
"""What a layer computes of its inputs."""
_IN_HALF = ("LSTM", "RNN", "MultiheadAttention")
"""What PyTorch's autocast has compute in 16 bits, function by function."""
_USUAL = ("weight", "bias")
"""Parameters that a layer may get after it was made without them."""
WEIGHTS = ("weight", "pos_weight")
"""Options that are buffers where they are tensors."""
_MAY_LACK = (*WEIGHTS, "bias", "size_average", "reduce")
"""What is no attribute of PyTorch's layers, or a parameter, where it is None."""


BIAS, UNLESS_BIAS = "{bias}", "{, bias=False}"
"""What stands in the details of a layer for its bias, which the program may give it later, or take
away: `bias=True`, or nothing as long as there is one.
"""


class LayerRule(NamedTuple):
    """What a layer computes, how that is shown, and the settings that say it."""

    compute: Compute
    details: str
    settings: Given


class Layer(Module):
    """A layer or a loss: what it computes with its parameters."""

    remake: Callable[[Given], LayerRule] | None = None
    """What it would compute with other settings; None where these are fixed."""

    def __init__(
        self,
        autograd: Autograd,
        title: str,
        replace: Replace,
        compute: Callable[[Layer, list[Value], Given], Any],
        parameters: Mapping[str, Node] | None = None,
        details: str = "",
    ) -> None:
        super().__init__(autograd, title, replace)
        self._compute = compute
        self._parameters = dict(parameters or {})
        self._details = details
        self.statistics: dict[str, Node] = {}
        """Its buffers."""
        self._deleted: set[str] = set()
        """What may be set again."""
        self._beside: set[str] = set()
        """The tensors that the program has put to it: it computes nothing with them."""
        self.settings: Given = {}
        """What it was made with, by name: numbers may be Python's."""
        self.again: Callable[[], Layer] | None = None
        """Makes a layer like it, with parameters of its own."""
        self.values.parameters.update(self._parameters.values())
        self.values.changes.update(dict.fromkeys(self._parameters.values(), 1))

    def hold_copies(self, copied: Callable[[Node], Node]) -> None:
        """Have copies of its tensors from now on, as a copy of a layer does."""
        renewed = {name for name, each in self.computed.items() if each.always}
        self._parameters = {
            name: node if name in renewed else copied(node) for name, node in self.own().items()
        }
        self.statistics = {name: copied(node) for name, node in self.statistics.items()}
        self.computed = {name: each.of(self, copied) for name, each in self.computed.items()}

    def methods(self) -> dict[str, Method]:
        own = super().methods() | {
            "register_parameter": self._register_parameter,
            "register_buffer": self._register_buffer,
        }
        if self.title.startswith("Conv") and "in_channels" in self.settings:
            own["_conv_forward"] = self._convolved
        return own if self.again is None else own | {"reset_parameters": self._reset}

    def _register_parameter(self, arguments: list[Value], keywords: Given) -> None:
        given = bind_names("register_parameter", ("name", "param"), arguments, keywords)
        name, value = str(given["name"]), given["param"]
        self.check_parameter(name, value)
        if value is None:
            self._parameters.pop(name, None)
            self.empty["_parameters"][name] = None
        else:
            self.set(name, value)

    def _register_buffer(self, arguments: list[Value], keywords: Given) -> None:
        names = ("name", "tensor", "persistent")
        given = bind_names("register_buffer", names, arguments, keywords, names[2:])
        name = str(given["name"])
        if name not in self.statistics:
            self._beside.add(name)
        self.statistics[name] = self.values.tensor(given["tensor"], name)
        if "persistent" in given and not self.values.truth(given["persistent"]):
            self.not_saved.add(name)

    def _convolved(self, arguments: list[Value], keywords: Given) -> Any:
        """What it computes with another weight."""
        names = ("input", "weight", "bias")
        given = bind_names("_conv_forward", names, arguments, keywords)
        return self._compute(self, [given.pop("input")], given)

    def _reset(self, arguments: list[Value], keywords: Given) -> None:
        """Begin again with new parameters, and with buffers as they were."""
        bind_names("reset_parameters", (), arguments, keywords)
        assert self.again is not None
        fresh = self.again()
        begun = fresh.own() | fresh.buffers()
        for name, node in (self.own() | self.buffers()).items():
            marked = self.autograd.requires_grad(node)
            self.replace(node, leaf(detach(begun[name]), marked=marked))

    def forward(self, arguments: list[Value], keywords: Given) -> Any:
        dtypes = self.autograd.dtypes
        if dtypes is not None and dtypes.autocast and self.title in _IN_HALF:
            raise GradcliError("value", f"autocast: {self.title} is not computed in 16 bits here",
                               hint="autocast('cpu', enabled=False) has it")  # fmt: skip
        if self.values.arrays and self.values.is_pytorch:
            check_tensors(self.title, self.values.arrays, arguments)
        return self._compute(self, arguments, keywords)

    def own(self) -> dict[str, Node]:
        return {name: self.values.current(node) for name, node in self._parameters.items()}

    def weights(self) -> dict[str, Node]:
        """The parameters that it computes with."""
        return {name: node for name, node in self.own().items() if name not in self._beside}

    def buffers(self) -> dict[str, Node]:
        return {name: self.values.current(node) for name, node in self.statistics.items()}

    def buffers_used(self) -> dict[str, Node]:
        """The buffers that it computes with."""
        return {name: node for name, node in self.buffers().items() if name not in self._beside}

    def store(self, name: str) -> dict[str, Node]:
        return self.statistics if name in self.statistics else self._parameters

    def details(self) -> str:
        has_bias = "bias" in self._parameters or "bias" in self.computed
        shown = self._details.replace(BIAS, f"bias={has_bias}")
        return shown.replace(UNLESS_BIAS, "" if has_bias else ", bias=False")

    def attribute(self, name: str) -> Value:
        if name in self._parameters and name not in self.computed:
            return self.values.current(self._parameters[name])
        if name in self.statistics:
            return self.buffers()[name]
        if name in self.settings and name not in self.computed:
            return self.values.setting(self.settings[name])
        if name == "__dict__":
            from gradcli.trace.module_fields import ModuleFields  # few cells look into layers

            known = {
                key: self.values.setting(each)
                for key, each in self.settings.items()
                if each is not None or key not in _MAY_LACK
            }
            return ModuleFields(self, known | self.noted, is_read=True)
        return super().attribute(name)

    def has_setting(self, name: str) -> bool:
        """Whether it computes something else where that is assigned: `dropout.p = 0.1`."""
        return name in self.settings and self.remake is not None

    def set(self, name: str, value: Value) -> Any:
        if name in self.computed and isinstance(self.computed[name].kind, list):
            return self.computed[name].assign(value)
        is_parameter = isinstance(value, Node) and value in self.values.parameters
        is_known = name in self._parameters or name in self._deleted
        if is_known or is_parameter:
            if not is_known and name not in _USUAL:
                self._beside.add(name)
            self._set_parameter(name, value)
        elif name == "training":
            self.training = self.values.truth(value)
        elif name in WEIGHTS and value is None:
            self.statistics.pop(name, None)
        elif name in self.statistics or (name in WEIGHTS and name in self.settings):
            self.statistics[name] = self.values.tensor(value, name)
        elif self.has_setting(name) and self.remake is not None:
            settings = {**self.settings, name: value}
            self.follow(self.remake({key: self.values.setting(e) for key, e in settings.items()}))
        else:
            super().set(name, value)
        return None

    def rule(self) -> LayerRule:
        """What it computes now."""
        return LayerRule(self._compute, self._details, self.settings)

    def follow(self, rule: LayerRule) -> Layer:
        """Compute that from now on; the layer."""
        self._compute, self._details, self.settings = rule
        return self

    def compute_by(self, compute: Compute) -> None:
        """Compute something else."""
        self._compute = compute

    def become(self, other: Layer) -> None:
        """Be what another is, with the parameters and buffers that it has itself."""
        self.title, self.remake = other.title, other.remake
        self._compute, self._details = other._compute, other._details
        self.settings = other.settings

    def _set_parameter(self, name: str, value: Value) -> None:
        if value is None:
            self._parameters.pop(name, None)
            self._deleted.add(name)
        else:
            self.check_same_kind(name, self._parameters.get(name), value)
            self._parameters[name] = self.values.tensor(value, name)

    def delete(self, name: str) -> None:
        if name not in self._parameters:
            raise self.has_no("attribute", name)
        del self._parameters[name]
        self._deleted.add(name)

    def made_with(self, settings: Given) -> Layer:
        """The layer, whose attributes say what it was made with."""
        self.settings = settings
        return self
