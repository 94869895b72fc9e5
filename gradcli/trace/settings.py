"""PyTorch's settings as functions: those that mean something here, and those that do not."""

from __future__ import annotations

from functools import partial

from gradcli.diagnostics import GradcliError, Note
from gradcli.ops import FUNCTIONS
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.objects import Recording
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_IGNORED = (
    "torch.set_printoptions", "torch.set_default_device", "torch.use_deterministic_algorithms",
    "torch.set_num_threads", "np.set_printoptions", "torch.set_default_dtype",
    "torch.set_default_tensor_type",
)  # fmt: skip


class SettingCalls:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.autograd = autograd
        self.values = autograd.values
        self.functions: dict[str, Special] = {
            "torch.manual_seed": self._seed,
            "torch.random.manual_seed": self._seed,
            "numpy.random.seed": self._seed,
            "random.seed": self._seed,
            "random.random": partial(self._random, 0.0, 1.0),
            "random.uniform": self._uniform,
            "torch.no_grad": partial(self._recording, False),
            "torch.inference_mode": partial(self._recording, False),
            "torch.enable_grad": partial(self._recording, True),
            "torch.set_grad_enabled": self._set_recording,
            "torch.autograd.set_detect_anomaly": self._nothing,
            "torch.autograd.detect_anomaly": self._nothing,
            "torch.cuda.is_available": self._no_device,
            "torch.backends.mps.is_available": self._no_device,
            "torch.cuda.device_count": self._no_device,
            "torch.accelerator.is_available": self._no_device,
            "torch.cuda.manual_seed": self._seed,
            "torch.cuda.manual_seed_all": self._seed,
            "torch.get_default_dtype": self._dtype,
            "torch.is_grad_enabled": self._is_recording,
            **dict.fromkeys(_IGNORED, self._ignored),
        }

    def _seed(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The seed of what is drawn from now on, unless `--seed` has set one."""
        given = bind_names("manual_seed", ("seed",), arguments, keywords)["seed"]
        seed = self.values.integer(given, "a seed")
        if seed < 0:
            raise GradcliError("value", "a seed is 0 or more")
        self.values.graph.reseed(seed)
        return None

    def _recording(
        self, enabled: bool, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        return Recording(enabled)

    def _set_recording(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("set_grad_enabled", ("mode",), arguments, keywords)
        return Recording(self.values.truth(given["mode"]))

    def _random(
        self, low: float, high: float, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """A number that is drawn now."""
        bind_names("random", (), arguments, keywords)
        drawn = FUNCTIONS["rand"].build(self.values.graph)
        self.note_random()
        found = float(self.values.evaluator.value(drawn))
        return self.values.graph.constant(low + (high - low) * found)

    def note_random(self) -> None:
        """Note once that random numbers are not Python's."""
        note = Note("random", "random numbers are gradcli's own: the same seed gives others there")
        if note not in self.autograd.notes:
            self.autograd.notes.append(note)

    def _uniform(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("uniform", ("a", "b"), arguments, keywords)
        low, high = (self.values.number(given[each], each) for each in given)
        return self._random(low, high, [], {})

    def _no_device(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A run computes where `--device` says, and programs need not know."""
        return self.values.graph.constant(False)

    def _dtype(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return f"torch.{self.values.graph.precision}"

    def _is_recording(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return self.values.graph.constant(self.autograd.records())

    def _nothing(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        return Recording(None)

    def _ignored(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        note = Note(
            "ignored",
            "settings of PyTorch for dtypes, devices and printing are the flags' business",
        )
        if note not in self.autograd.notes:
            self.autograd.notes.append(note)
        return None
