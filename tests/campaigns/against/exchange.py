"""PyTorch with some of its functions exchanged: what a convention is, and a run under some."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

MODULES = (torch, torch.Tensor, functional, torch.special, torch.linalg)
RETAINING: list[Any] = []
"""Tensors of the running program that retain their grads."""


class Convention(NamedTuple):
    """What is exchanged for one difference."""

    where: str
    """The `where` of the deviation or difference."""
    functions: Mapping[str, Callable[..., Any]] = {}
    """Functions and methods by name, wherever PyTorch has them: from the original and arguments."""
    aten: Mapping[str, Callable[..., Any]] = {}
    """Those below them, which derivatives call too: from PyTorch's result and the arguments."""


@contextmanager
def exchanged(conventions: Sequence[Convention]) -> Iterator[None]:
    """PyTorch with the functions of these conventions."""
    saved = []
    try:
        for convention in conventions:
            for name, function in convention.functions.items():
                for module in (torch.autograd,) if name == "grad" else MODULES:
                    if hasattr(module, name):
                        saved.append((module, name, getattr(module, name)))
                        setattr(module, name, _bound(function, getattr(module, name)))
        with Exchange(conventions):
            yield
    finally:
        RETAINING.clear()
        for module, name, original in reversed(saved):
            setattr(module, name, original)


def _bound(function: Callable[..., Any], original: Any) -> Callable[..., Any]:
    return lambda *args, **keywords: function(original, *args, **keywords)


def with_memory(value: Any) -> Any:
    """Zeros in the place of a ZeroTensor: functions under a mode end the process on one."""
    if torch.is_tensor(value) and value._is_zerotensor():
        return torch.zeros(value.shape, dtype=value.dtype)
    return value


class Exchange(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Gives the results of other functions for some of ATen's."""

    def __init__(self, conventions: Sequence[Convention]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.aten: dict[str, list[Callable[..., Any]]] = {}
        for convention in conventions:
            for name, function in convention.aten.items():
                self.aten.setdefault(name, []).append(function)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*map(with_memory, args), **(kwargs or {}))
        if torch.is_tensor(out) and out.is_meta:  # the shape of a product with a ZeroTensor
            return out
        name = func._schema.name.split("::")[1]
        for key in (name, "*"):
            for function in self.aten.get(key, ()):
                out = function(out, *args, **(kwargs or {}), **_named(key, name))
        return out


def _named(key: str, name: str) -> dict[str, str]:
    return {"called": name} if key == "*" else {}
