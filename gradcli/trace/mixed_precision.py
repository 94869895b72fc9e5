"""`torch.amp`: gradients of losses that are scaled, and casts that a processor has no need of."""

from __future__ import annotations

from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.dtypes import ALIASES, HALVES, Dtypes
from gradcli.trace.items import Items, Unquoted
from gradcli.trace.modules import Method
from gradcli.trace.objects import BuiltIn, Given, Object, Recording
from gradcli.trace.rated import Rated
from gradcli.trace.special import Special
from gradcli.trace.trees import changed
from gradcli.trace.values import Value

_SCALE = 65536.0
"""PyTorch's first scale."""
_STATE = ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker")
_GROWTH = (2.0, 0.5, 2000)
"""How a scale grows in PyTorch after so many steps, or shrinks."""
_BY_PRODUCTS = ("cov", "corrcoef")
"""What PyTorch computes by products, which autocast rounds."""
_BITS = {"float16": 16, "bfloat16": 16, "float32": 32}


class Autocast(Recording):
    """`torch.autocast("cpu", dtype)`: what computes in which dtype in a block."""

    what = "a block's setting"

    def __init__(self, dtypes: Dtypes, dtype: str) -> None:
        """No `dtype` switches it off."""
        super().__init__(None)
        self._dtypes = dtypes
        self._dtype = dtype
        self._before: list[str] = []

    def begin(self) -> None:
        self._before.append(self._dtypes.autocast)
        self._dtypes.autocast = self._dtype

    def end(self) -> None:
        self._dtypes.autocast = self._before.pop()


def casting(
    autograd: Autograd, name: str, arguments: list[Value], keywords: Given
) -> tuple[list[Value], Given]:
    """The arguments of a function as autocast gives them to it. Raises `value` for layers that it
    has compute in 16 bits, and that have none here.
    """
    dtypes = autograd.dtypes
    assert dtypes is not None
    name = name.rpartition(".")[2]
    if name in _BY_PRODUCTS:
        raise GradcliError("value", f"autocast: {name} is not computed in 16 bits here",
                           hint="autocast('cpu', enabled=False) has it")  # fmt: skip
    function = FUNCTIONS.get("multi_dot" if name == "chain_matmul" else name)
    if function is None or not function.autocast:
        return arguments, keywords
    dtype = dtypes.autocast if function.autocast == "lower" else function.autocast

    def cast(value: Value) -> Value:
        if isinstance(value, Items | tuple):
            return Items([cast(each) for each in value]) if name != "tensordot" else value
        if not isinstance(value, Node) or not autograd.values.is_tensor(value):
            return value
        has = _BITS.get(dtypes.of(value), 0) if value.kind == "float" else 0
        return dtypes.as_dtype(value, dtype) if has and dtypes.of(value) != dtype else value

    return [*map(cast, arguments)], {key: cast(each) for key, each in keywords.items()}


class GradScaler(Object):
    """Scales losses, and the gradients of optimisers back; without a GPU, PyTorch's does nothing
    unless it is made for the processor.
    """

    what = "a scaler of gradients"

    def __init__(self, autograd: Autograd, scale: float, is_enabled: bool) -> None:
        self._autograd = autograd
        self._values = autograd.values
        self._scale = scale if is_enabled else 1.0
        self._is_enabled = is_enabled
        self._unscaled: set[Rated] = set()

    def methods(self) -> dict[str, Method]:
        constant = self._values.graph.constant
        return {
            "scale": self._scaled,
            "unscale_": self._unscale,
            "step": self._step,
            "update": self._update,
            "get_scale": lambda *_: self._values.plain(self._scale),
            "is_enabled": lambda *_: constant(self._is_enabled),
            "state_dict": lambda *_: Dictionary(self._values, self._state()),
            "load_state_dict": lambda *_: None,
        }

    def _state(self) -> list[tuple[Value, Value]]:
        """What another one goes on with: here the scale never grows."""
        plain = self._values.plain
        numbers = (self._scale, *_GROWTH, 0)
        return [*zip(_STATE, map(plain, numbers), strict=True)] if self._is_enabled else []

    def _scaled(self, arguments: list[Value], keywords: Given) -> Value:
        (outputs,) = bind_names("scale", ("outputs",), arguments, keywords).values()
        if not self._is_enabled:
            return outputs
        return changed(self._values, outputs, lambda each: self._values.tensor(each) * self._scale)

    def _optimiser(self, value: Value) -> Rated:
        if not isinstance(value, Rated):
            raise GradcliError("type", "a scaler takes an optimiser", hint="scaler.step(optimizer)")
        return value

    def _unscale(self, arguments: list[Value], keywords: Given) -> Value:
        (value,) = bind_names("unscale_", ("optimizer",), arguments, keywords).values()
        self._scale_back(self._optimiser(value))
        return None

    def _scale_back(self, optimiser: Rated) -> None:
        if not self._is_enabled or optimiser in self._unscaled:
            return
        self._unscaled.add(optimiser)
        for group in optimiser.groups:
            for node in optimiser.parameters(group):
                grad = self._autograd.grads.get(node)
                if grad is not None:
                    self._autograd.set_grad(node, grad / self._scale, in_place=True)

    def _step(self, arguments: list[Value], keywords: Given) -> Any:
        optimiser = self._optimiser(arguments[0] if arguments else None)
        self._scale_back(optimiser)
        return (yield optimiser.method("step")(arguments[1:], keywords))

    def _update(self, arguments: list[Value], keywords: Given) -> Value:
        bind_names("update", ("new_scale",), arguments, keywords, ("new_scale",))
        self._unscaled.clear()
        return None


class MixedPrecision:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self._values = autograd.values
        self.functions: dict[str, Special] = {
            "torch.amp.GradScaler": partial(self._scaler, None),
            "torch.cuda.amp.GradScaler": partial(self._scaler, "cuda"),
            "torch.autocast": partial(self._autocast, None),
            "torch.amp.autocast": partial(self._autocast, None),
            "torch.cuda.amp.autocast": partial(self._autocast, "cuda"),
            "torch.cpu.amp.autocast": partial(self._autocast, "cpu"),
            "torch.is_autocast_enabled": self._is_on,
            "torch.get_autocast_dtype": self._dtype,
            **{
                f"{module}.{name}": partial(self._custom, name, where)
                for module, where in (("torch.amp", None), ("torch.cuda.amp", "cuda"))
                for name in ("custom_fwd", "custom_bwd")
            },
        }
        self.methods: dict[str, Special] = {}

    def _given(
        self, name: str, device: str | None, names: tuple[str, ...], arguments: list[Value],
        keywords: Given,
    ) -> tuple[bool, dict[str, Value]]:  # fmt: skip
        """Whether it is for the processor and not switched off, and the arguments."""
        if device is not None:
            arguments = [device, *arguments]
        given = bind_names(name, names, arguments, keywords, names)
        is_on = "enabled" not in given or self._values.truth(given["enabled"])
        where = given.get("device", given.get("device_type", "cuda"))
        return is_on and str(where).startswith("cpu"), given

    def _scaler(self, device: str | None, arguments: list[Value], keywords: Given) -> Value:
        names = ("device", "init_scale", "growth_factor", "backoff_factor", "growth_interval",
                 "enabled")  # fmt: skip
        is_on, given = self._given("GradScaler", device, names, arguments, keywords)
        value = given.get("init_scale")
        scale = self._values.number(value, "init_scale") if isinstance(value, Node) else _SCALE
        return GradScaler(self._autograd, scale, is_on)

    def _autocast(self, device: str | None, arguments: list[Value], keywords: Given) -> Value:
        names = ("device_type", "dtype", "enabled", "cache_enabled")
        is_on, given = self._given("autocast", device, names, arguments, keywords)
        dtypes = self._autograd.dtypes
        where = given.get("device_type", "cuda")
        if dtypes is None or not str(where).startswith("cpu"):
            return Recording(None)
        dtype = str(given.get("dtype") or "bfloat16").rpartition(".")[2]
        dtype = ALIASES.get(dtype, dtype)
        if is_on and dtype not in HALVES:
            if dtype == "float32":  # PyTorch warns, and switches it off
                return Autocast(dtypes, "")
            raise GradcliError(
                "value",
                f"autocast: a processor computes in bfloat16 or float16, not {dtype}",
                hint="dtype=torch.bfloat16",
            )
        return Autocast(dtypes, dtype if is_on else "")

    def _custom(
        self, name: str, device: str | None, arguments: list[Value], keywords: Given
    ) -> Value:
        """`@custom_fwd(device_type="cuda")`: a function of `autograd.Function` as it is, where
        autocast is not on for that device.
        """
        names = ("fwd", "device_type", "cast_inputs")
        given = bind_names(name, names, arguments, keywords, names)
        where = str(given.get("device_type", device))
        if where.startswith("cpu") and given.get("cast_inputs") is not None:
            raise GradcliError("value", f"{name}: cast_inputs is for a GPU here",
                               hint="x.float() in forward casts")  # fmt: skip
        function = given.get("fwd")
        if function is not None:
            return function

        def decorated(_: str, found: list[Value], options: Given) -> Value:
            (value,) = bind_names(name, ("fwd",), found, options).values()
            return value

        return BuiltIn(name, decorated)

    def _is_on(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names(
            "is_autocast_enabled", ("device_type",), arguments, keywords, ("device_type",)
        )
        dtypes = self._autograd.dtypes
        is_here = str(given.get("device_type", "cuda")).startswith("cpu")
        return self._values.graph.constant(is_here and dtypes is not None and bool(dtypes.autocast))

    def _dtype(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("get_autocast_dtype", ("device_type",), arguments, keywords)
        is_here = str(given["device_type"]).startswith("cpu")
        dtypes = self._autograd.dtypes
        own = dtypes.autocast if dtypes is not None and is_here else ""
        return Unquoted(f"torch.{own or ('bfloat16' if is_here else 'float16')}")
