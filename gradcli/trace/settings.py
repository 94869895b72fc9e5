"""PyTorch's settings as functions: those that mean something here, and those that do not."""

from __future__ import annotations

from functools import partial

from gradcli.diagnostics import GradcliError, Note
from gradcli.language import syntax
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import TENSORS
from gradcli.trace.dtypes import ALIASES, FLOATS
from gradcli.trace.frames import UserFunction
from gradcli.trace.items import Unquoted
from gradcli.trace.objects import BuiltIn, Recording
from gradcli.trace.special import Special
from gradcli.trace.values import Value

SETTINGS = (
    "torch.set_default_device", "torch.use_deterministic_algorithms",
    "torch.set_num_threads", "torch.multiprocessing.set_sharing_strategy",
    "torch.multiprocessing.set_start_method",
)  # fmt: skip
"""Functions that set how PyTorch computes and not what."""

MOST = 1_000_000
"""What settings of printing are at most."""
_LONGEST = 20
"""The most characters of a text that is one."""
_STYLE = {"precision": "precision", "threshold": "threshold", "edgeitems": "edge",
          "linewidth": "width"}  # fmt: skip
"""What PyTorch's settings of printing are called here."""


_SEEDS_OF_CARDS = (
    "torch.mps.manual_seed", "torch.cuda.manual_seed", "torch.cuda.manual_seed_all",
)  # fmt: skip
_WITHOUT_MEANING = ("torch.autograd.graph.save_on_cpu",
                    "torch.autograd.graph.disable_saved_tensors_hooks",
                    "torch.nn.attention.sdpa_kernel")  # fmt: skip
"""Settings of a block that are about memory and speed alone."""


_ARRAY_TEXTS: dict[str, tuple[str, ...]] = {
    "nanstr": (), "infstr": (), "sign": ("-", "+", " "),
    "floatmode": ("fixed", "unique", "maxprec", "maxprec_equal"),
}  # fmt: skip
"""Options of `np.set_printoptions` that are texts, and which ones they may be."""


def _text_option(name: str, value: Value) -> str:
    allowed = _ARRAY_TEXTS[name]
    if not isinstance(value, str) or (allowed and value not in allowed) or len(value) > _LONGEST:
        said = " or ".join(map(repr, allowed)) or "a short text"
        raise GradcliError("value", f"set_printoptions: {name} is {said}")
    return value


_KEEPING = ("cpu", "cuda", "clone", "detach", "contiguous")
"""Methods that keep the elements of a tensor."""


def _gives_its_argument(function: Value) -> bool:
    """Whether a function does nothing but give what it is given, or a copy."""
    if not isinstance(function, UserFunction):
        return False
    body, parameters = function.definition.body, function.definition.parameters
    last = body[-1] if body else None
    value = last.value if isinstance(last, syntax.Return) and len(body) == 1 else None
    while isinstance(value, syntax.Call) and isinstance(value.callee, syntax.Attribute):
        if value.arguments or value.keywords or value.callee.name not in _KEEPING:
            return False
        value = value.callee.value
    names = [each.name for each in parameters]
    return isinstance(value, syntax.Name) and names == [value.id]


class LookingForNan(Recording):
    """`detect_anomaly()`: whether backward stops where a gradient is NaN, until a block ends."""

    def __init__(self, autograd: Autograd, is_on: bool) -> None:
        super().__init__(None)
        self._autograd = autograd
        self._is_on = is_on
        self._before = autograd.looks_for_nan

    def begin(self) -> None:
        self._autograd.looks_for_nan = self._is_on

    def end(self) -> None:
        self._autograd.looks_for_nan = self._before


class SettingCalls:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self._source: Value = None
        """The generator that all draw from who name none, once the program has asked for it."""
        self.methods: dict[str, Special] = {"is_inference": self._is_inference}
        self.functions: dict[str, Special] = {
            "torch.manual_seed": self._seed,
            "torch.random.manual_seed": self._seed,
            "torch.no_grad": partial(self._recording, False),
            "torch.inference_mode": self._infer,
            "torch.is_inference": self._is_inference,
            **dict.fromkeys(_WITHOUT_MEANING, lambda *_: Recording(None)),
            "torch.autograd.graph.saved_tensors_hooks": self._keep_saved,
            "torch.enable_grad": partial(self._recording, True),
            "torch.autograd.no_grad": partial(self._recording, False),
            "torch.autograd.enable_grad": partial(self._recording, True),
            "torch.autograd.inference_mode": self._infer,
            "torch.autograd.set_grad_enabled": self._set_recording,
            "torch.autograd.once_differentiable": self._once_differentiable,
            "torch.set_grad_enabled": self._set_recording,
            "torch.autograd.set_detect_anomaly": self._set_looking_for_nan,
            "torch.autograd.detect_anomaly": self._look_for_nan,
            "torch.is_anomaly_enabled": self._looks_for_nan,
            "torch.cuda.is_available": self._no_device,
            "torch.backends.mps.is_available": self._no_device,
            "torch.mps.is_available": self._no_device,
            "torch.xpu.is_available": self._no_device,
            "torch.cuda.device_count": self._no_devices,
            "torch.mps.device_count": self._no_devices,
            "torch.accelerator.is_available": self._no_device,
            **dict.fromkeys(_SEEDS_OF_CARDS, self._seed_card),
            "torch.get_default_dtype": self._dtype,
            "torch.is_grad_enabled": self._is_recording,
            "torch.set_printoptions": self._print_options,
            "np.set_printoptions": self._array_options,
            "torch.set_default_dtype": self._set_dtype,
            "torch.set_default_tensor_type": self._set_dtype,
            **dict.fromkeys(SETTINGS, self._ignored),
        }

    def _seed(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The seed of what is drawn from now on; `--seed` is for what is drawn before."""
        given = bind_names("manual_seed", ("seed",), arguments, keywords)["seed"]
        seed = self.values.integer(given, "a seed")
        if seed < 0:
            raise GradcliError("value", "a seed is 0 or more")
        self.values.graph.reseed(seed)
        if self._source is None:
            from gradcli.trace.generator import DefaultSource

            self._source = DefaultSource(self.values)
        return self._source

    def _seed_card(self, arguments: list[Value], keywords: dict[str, Value]) -> None:
        self._seed(arguments, keywords)

    def _recording(
        self, enabled: bool, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        return Recording(enabled)

    def _infer(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("inference_mode", ("mode",), arguments, keywords, ("mode",))
        is_on = "mode" not in given or self.values.truth(given["mode"])
        if not is_on:
            return Recording(None)
        from gradcli.trace.inference import Inference, InferredTensors  # few programs infer

        if self.autograd.inferred is None:
            self.autograd.inferred = InferredTensors(self.values, self.autograd.requires_grad)
        return Inference(self.autograd.inferred)

    def _is_inference(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Whether a tensor was made in a block `with torch.inference_mode():`."""
        given = bind_names("is_inference", ("self",), arguments, keywords)
        node = self.values.tensor(given["self"])
        inferred = self.autograd.inferred
        return self.values.graph.constant(inferred is not None and node in inferred)

    def _set_recording(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Set it from now on; a block with it ends that."""
        given = bind_names("set_grad_enabled", ("mode",), arguments, keywords)
        enabled = self.values.truth(given["mode"])
        self.autograd.set_records(enabled)
        text = f"torch.autograd.grad_mode.set_grad_enabled(mode={enabled})"
        return Recording(enabled, text)

    def note_random(self) -> None:
        """Note once that random numbers are not Python's."""
        note = Note("random", "random numbers are gradcli's own: the same seed gives others there")
        if note not in self.autograd.notes:
            self.autograd.notes.append(note)

    def _no_device(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A run computes where `--device` says, and programs need not know."""
        return self.values.graph.constant(False)

    def _no_devices(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self.values.graph.constant(0.0)

    def _dtype(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        dtypes = self.autograd.dtypes
        return Unquoted(
            f"torch.{self.values.graph.precision if dtypes is None else dtypes.default}"
        )

    def _set_dtype(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """What floats are called whose dtype is not named; what they are computed in is `--dtype`'s
        business.
        """
        given = bind_names("set_default_dtype", ("d",), arguments, keywords)["d"]
        if isinstance(given, BuiltIn):
            given = given.name  # torch.DoubleTensor
        is_dtype = isinstance(given, str) and (given.startswith("torch.") or type(given) is not str)
        name = given.removeprefix("torch.") if isinstance(given, str) else ""
        if self.values.is_pytorch and not is_dtype and given not in TENSORS:
            name = ""  # which is a text, or a class of Python's
        dtype = TENSORS.get(name, name)
        dtype = ALIASES.get(dtype, dtype)
        if dtype not in FLOATS or self.autograd.dtypes is None:
            raise GradcliError("type", "the default dtype is one of floats, as torch.float64")
        self.autograd.dtypes.set_default(dtype)
        return None

    def _print_options(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """How tensors are printed from now on, as in PyTorch; `profile` comes first."""
        from gradcli.trace.tensor_text import PLAIN, PROFILES

        names = ("precision", "threshold", "edgeitems", "linewidth", "profile", "sci_mode")
        given = bind_names("set_printoptions", names, arguments, keywords, names)
        style = self.values.style or PLAIN
        if given.get("profile") is not None:
            profile = given["profile"]
            if not isinstance(profile, str) or profile not in PROFILES:
                raise GradcliError("value", f"a profile is one of {', '.join(PROFILES)}")
            style = PROFILES[profile]
        numbers = {name: self.values.integer(given[name], name)
                   for name in names[:4] if given.get(name) is not None}  # fmt: skip
        if any(not 0 <= number <= MOST for number in numbers.values()):
            raise GradcliError("value", f"set_printoptions takes numbers from 0 to {MOST}")
        exponents = given.get("sci_mode")
        self.values.style = style._replace(
            **{_STYLE[name]: number for name, number in numbers.items()},
            exponents=None if exponents is None else self.values.truth(exponents),
        )
        return None

    def _array_options(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """How arrays are printed from now on, as in NumPy."""
        names = ("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr",
                 "infstr", "sign", "floatmode")  # fmt: skip
        given = bind_names("set_printoptions", names, arguments, keywords, names)
        options = dict(self.values.array_options)
        for name, value in given.items():
            if name == "suppress":
                options[name] = self.values.truth(value)
            elif name in _ARRAY_TEXTS:
                options[name] = _text_option(name, value)
            elif value is not None:
                options[name] = min(MOST, max(0, self.values.integer(value, name)))
        self.values.array_options = options
        return None

    def _is_recording(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self.values.graph.constant(self.autograd.records())

    def _look_for_nan(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Have backward stop where a gradient is NaN, in a block."""
        given = bind_names("detect_anomaly", ("check_nan",), arguments, keywords, ("check_nan",))
        return LookingForNan(self.autograd, all(map(self.values.truth, given.values())))

    def _set_looking_for_nan(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The same from now on; a block with it ends that."""
        names = ("mode", "check_nan")
        given = bind_names("set_detect_anomaly", names, arguments, keywords, names[1:])
        setting = LookingForNan(self.autograd, all(map(self.values.truth, given.values())))
        setting.begin()
        return setting

    def _looks_for_nan(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self.values.graph.constant(self.autograd.looks_for_nan)

    def _once_differentiable(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A decorator: the derivative that a function gives is not differentiated again."""
        (function,) = bind_names("once_differentiable", ("fn",), arguments, keywords).values()
        if isinstance(function, UserFunction):
            function.records = False
        return function

    def _keep_saved(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`saved_tensors_hooks(pack, unpack)`, where these give what they are given: what backward
        needs is known to the run alone. Raises `value` for others.
        """
        names = ("pack_hook", "unpack_hook")
        given = bind_names("saved_tensors_hooks", names, arguments, keywords)
        if not all(map(_gives_its_argument, given.values())):
            raise GradcliError(
                "value", "saved_tensors_hooks: what backward needs is packed by no function here",
                hint="leave the block out, or give it lambda x: x twice",
            )  # fmt: skip
        return Recording(None)

    def _ignored(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        note = Note(
            "ignored",
            "settings of PyTorch for dtypes, devices and printing are the flags' business",
        )
        if note not in self.autograd.notes:
            self.autograd.notes.append(note)
        return None
