"""Names of devices. A run has one device: names of others have no effect."""

from __future__ import annotations

import re

from gradcli.diagnostics import RefusedError
from gradcli.trace.values import Value

DEVICES = ("cpu", "cuda", "gpu", "mps", "meta", "xpu")


def check_device(name: Value) -> None:
    """Raise `value` for a text that PyTorch knows no device by, and for one without elements."""
    if not isinstance(name, str):
        return
    kind = name.partition(":")[0]
    if kind == "meta":
        said = "tensors on the meta device have no elements"
        raise RefusedError(("NotImplementedError", said), "value", said,
                           hint="leave device=… out: the shapes are the same")  # fmt: skip
    if kind not in DEVICES or kind == "gpu":
        raise no_device(name)


def no_device(name: str) -> RefusedError:
    """The error for a kind of device that PyTorch does not know."""
    said = (
        "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, "
        "xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device "
        f"string: {name}"
    )
    if not re.fullmatch(r"[a-z_]+(:\d+)?", name):
        said = f"Invalid device string: {name!r}"
    return RefusedError(("RuntimeError", said), "value", f"PyTorch has no device {name!r}",
                        hint="a GPU is called 'cuda' there")  # fmt: skip


def is_device(value: Value) -> bool:
    """Whether it is a string such as 'cpu' or 'cuda:0'."""
    return isinstance(value, str) and value.partition(":")[0] in DEVICES
