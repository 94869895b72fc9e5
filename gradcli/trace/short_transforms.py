"""`torch.stft` and `torch.istft`: the transforms of frames that follow one another, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_FORWARD = ("input", "n_fft", "hop_length", "win_length", "window", "center", "pad_mode",
            "normalized", "onesided", "return_complex", "align_to_window")  # fmt: skip
_BACK = ("input", "n_fft", "hop_length", "win_length", "window", "center", "normalized",
         "onesided", "length", "return_complex")  # fmt: skip
Call = Callable[[str, list[Any], dict[str, Any]], Any]


class Frames:
    """How a signal is cut into frames."""

    def __init__(self, values: Values, call: Call, given: Given) -> None:
        self.values = values
        self._call = call
        self.size = values.integer(given["n_fft"], "n_fft")
        hop, wide = given.get("hop_length"), given.get("win_length")
        self.step = self.size // 4 if hop is None else values.integer(hop, "hop_length")
        width = self.size if wide is None else values.integer(wide, "win_length")
        values.graph.ledger.require(8 * max(0, self.size), "a frame")
        if not (self.step > 0 and 0 < width <= self.size):
            said = "a frame moves by 1 or more, and its window is as long as the frame at most"
            raise RefusedError(("RuntimeError", said), "value", said, hint="n_fft=16, hop_length=4")
        self.is_centred = self._flag(given, "center", default=True)
        self.scale = math.sqrt(self.size) if self._flag(given, "normalized", default=False) else 1.0
        self.window = self._window(given.get("window"), width)
        self.length = 0
        """That of the signals that were put together of frames."""

    def _flag(self, given: Given, name: str, *, default: bool) -> bool:
        value = given.get(name)
        return default if value is None else self.values.truth(value)

    def _window(self, window: Value, width: int) -> Node:
        """The window in the middle of a frame."""
        if window is None:
            shown: Node = self.values.graph.constant(np.ones(width))
        else:
            shown = self.values.tensor(window, "window")
        if shown.shape != (width,):
            said = f"stft: expected a 1D window tensor of size equal to win_length={width}"
            raise RefusedError(("RuntimeError", said), "shape", said)
        before = (self.size - width) // 2
        around = self._integers(before, self.size - width - before)
        found: Node = self._call("pad", [shown, around], {})
        return found

    def _integers(self, *numbers: int) -> tuple[Value, ...]:
        return tuple(map(self.values.plain, numbers))

    def of(self, signal: Node, mode: Value) -> Node:
        """The frames of signals as rows, times the window."""
        if self.is_centred:
            half = self.size // 2
            row = self._call("reshape", [signal, *self._integers(-1, 1, signal.shape[-1])], {})
            padded = self._call("pad", [row, self._integers(half, half)], {"mode": mode})
            lengths = self._integers(*signal.shape[:-1], -1)
            signal = self._call("reshape", [padded, *lengths], {})
        if signal.shape[-1] < self.size:
            said = f"stft: expected 0 < n_fft < {signal.shape[-1]}, but got n_fft={self.size}"
            raise RefusedError(("RuntimeError", said), "shape", said)
        rows: Node = self._call("unfold", [signal, *self._integers(-1, self.size, self.step)], {})
        return rows * self.window

    def together(self, rows: Node) -> Node:
        """The signals of frames that lie one over the other, times the window once again."""
        count = rows.shape[-2]
        self.length = (count - 1) * self.step + self.size
        square = self._call("expand", [self.window**2.0, *self._integers(count, self.size)], {})
        return self._overlaid(rows * self.window) / self._overlaid(square)

    def _overlaid(self, rows: Node) -> Node:
        """The sum of all frames, each at its place."""
        lengths = self._integers(-1, *rows.shape[-2:])
        columns = self._call("transpose", [self._call("reshape", [rows, *lengths], {}),
                                           *self._integers(-2, -1)], {})  # fmt: skip
        sizes = [self._integers(1, each) for each in (self.length, self.size)]
        found = self._call("fold", [columns, *sizes], {"stride": self._integers(1, self.step)})
        lengths = self._integers(*rows.shape[:-2], self.length)
        summed: Node = self._call("reshape", [found, *lengths], {})
        return summed


class ShortTransforms:
    """The functions by name."""

    def __init__(self, values: Values, call: Call) -> None:
        """`call` calls a function by its name."""
        self.values = values
        self._call = call
        self.functions: dict[str, Special] = {"torch.stft": self._stft, "torch.istft": self._istft}
        self.methods: dict[str, Special] = {"stft": self._stft, "istft": self._istft}

    def _stft(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("stft", _FORWARD, arguments, keywords, _FORWARD[2:])
        if given.get("return_complex") is None:
            said = (
                "stft requires the return_complex parameter be given for real inputs, and will "
                "further require that return_complex=True in a future PyTorch release."
            )
            raise RefusedError(("RuntimeError", said), "value", "stft needs return_complex=True")
        frames = Frames(self.values, self._call, given)
        signal = self.values.tensor(given["input"], "a signal")
        rows = frames.of(signal, given.get("pad_mode", "reflect")) * (1 / frames.scale)
        whole = given.get("onesided")
        is_half = whole is None or self.values.truth(whole)
        found = self._call(f"torch.fft.{'rfft' if is_half else 'fft'}", [rows], {})
        turned = self._call("transpose", [found, *map(self.values.plain, (-2, -1))], {})
        if self.values.truth(given["return_complex"]):
            return turned  # type: ignore[no-any-return]
        return self._call("torch.view_as_real", [turned], {})  # type: ignore[no-any-return]

    def _istft(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("istft", _BACK, arguments, keywords, _BACK[2:])
        if isinstance(given["input"], Node):
            said = "istft expects a complex-valued input tensor"
            raise RefusedError(("RuntimeError", said), "type", said, hint="torch.stft gives one")
        frames = Frames(self.values, self._call, given)
        turned = self._call("transpose", [given["input"], *map(self.values.plain, (-2, -1))], {})
        size = self.values.plain(frames.size)
        rows = self._call("torch.fft.irfft", [turned], {"n": size}) * frames.scale
        found = frames.together(rows)
        start = frames.size // 2 if frames.is_centred else 0
        length = frames.length - 2 * start
        if given.get("length") is not None:
            length = self.values.integer(given["length"], "length")
        if start + length > frames.length:
            raise GradcliError("value", f"istft: the frames have {frames.length - start} elements")
        return self._call("narrow", [found, *map(self.values.plain, (-1, start, length))], {})  # type: ignore[no-any-return]
