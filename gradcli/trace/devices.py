"""What programs ask of devices: there is one, and it is no GPU of theirs."""

from __future__ import annotations

from functools import partial
from typing import NoReturn

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.trace.autograd import Autograd
from gradcli.trace.constructors import TENSORS
from gradcli.trace.special import Special

_DONE = ("empty_cache", "synchronize", "reset_peak_memory_stats", "ipc_collect",
         "reset_max_memory_allocated", "manual_seed_all", "set_device")  # fmt: skip
"""What has nothing to do."""
_NONE = ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved",
         "memory_cached", "max_memory_cached")  # fmt: skip
"""How much of the memory that is not there is taken."""
_NEVER = ("cuda.is_initialized", "cuda.is_bf16_supported", "backends.mps.is_built",
          "backends.cudnn.is_available", "distributed.is_available", "distributed.is_initialized",
          "backends.cuda.is_built")  # fmt: skip
_OF_A_GPU = ("get_device_name", "get_device_properties", "get_device_capability",
             "current_device", "current_stream", "Stream", "mem_get_info",
             "memory_summary")  # fmt: skip


class Devices:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        constant = autograd.values.graph.constant
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            **{f"torch.cuda.{name}": lambda *_: None for name in _DONE},
            **{f"torch.cuda.{name}": lambda *_: constant(0.0) for name in _NONE},
            **{f"torch.{name}": lambda *_: constant(False) for name in _NEVER},
            **{f"torch.cuda.{name}": _no_gpu for name in _OF_A_GPU},
            **{f"torch.cuda.{name}": partial(_no_tensors, name) for name in TENSORS},
            "torch.accelerator.current_accelerator": lambda *_: None,
            "torch.backends.cudnn.version": lambda *_: None,
        }


def _no_gpu(*_: object) -> NoReturn:
    raise GradcliError(
        "value",
        "Torch not compiled with CUDA enabled",
        hint="a program sees no GPU: ask torch.cuda.is_available() before; --device is gradcli's",
    )


def _no_tensors(name: str, *_: object) -> NoReturn:
    """What makes tensors on a GPU."""
    said = f"type torch.cuda.{name} not available. Torch not compiled with CUDA enabled."
    raise RefusedError(
        ("TypeError", said), "type", f"there is no GPU: torch.cuda.{name} makes no tensor",
        hint=f"torch.{name}",
    )  # fmt: skip
