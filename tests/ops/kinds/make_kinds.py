"""Which kind PyTorch gives for every mixture of kinds: `python -m tests.ops.kinds.make_kinds`.

It needs PyTorch 2.13 (the extra `oracle`). The calls are those of the goldens, on their first small
input: each floating-point operand in turn as floats, integers and truth values.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from tests.ops.goldens.golden import Array, Golden, View, encode
from tests.ops.goldens.inputs import draw
from tests.ops.goldens.make_goldens import GROUPS, goldens_of
from tests.ops.kinds.kinds import KINDS, LETTERS, PATH, as_kind

ONCE = ("networks", "further")
"""Groups whose functions have many settings that change no kind: one call of each is enough."""
LARGEST = 24
"""Elements of an operand, at most."""


def _conv2d(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.conv2d(x[None], y[None, None])


X, Y = draw((2, 3), seed=1), draw((2, 3), seed=2)
ALONE, BOTH = [{"x": X}], [{"x": X, "y": Y}]
MORE = [
    Golden("zeros_like", "zeros_like(x)", torch.zeros_like, ALONE),
    Golden("ones_like", "ones_like(x)", torch.ones_like, ALONE),
    Golden("full_like", "full_like(x, 3)", lambda x: torch.full_like(x, 3), ALONE),
    Golden("float", "x.float()", lambda x: x.double(), ALONE),
    Golden("float", "x.double()", lambda x: x.double(), ALONE),
    Golden("long", "x.long()", lambda x: x.long(), ALONE),
    Golden("long", "x.int()", lambda x: x.long(), ALONE),
    Golden("bool", "x.bool()", lambda x: x.bool(), ALONE),
    Golden("mul", "x * y", lambda x, y: x * y, BOTH),
    Golden("add", "x + y", lambda x, y: x + y, BOTH),
    Golden("sub", "x - y", lambda x, y: x - y, BOTH),
    Golden("div", "x / y", lambda x, y: x / y, BOTH),
    Golden("masked_fill", "masked_fill(x, y > 0, 0)", lambda x, y: x.masked_fill(y > 0, 0), BOTH),
    Golden("pad", "pad(x, (1, 2))", lambda x: F.pad(x, (1, 2)), ALONE),
    Golden("cat", "cat([x, y])", lambda x, y: torch.cat([x, y]), BOTH),
    Golden("bitwise_and", "x & y", lambda x, y: x & y, BOTH),
    Golden("bitwise_or", "x | y", lambda x, y: x | y, BOTH),
    Golden("bitwise_xor", "bitwise_xor(x, y)", torch.bitwise_xor, BOTH),
    Golden("bitwise_not", "~x", lambda x: ~x, ALONE),
    Golden("detach", "detach(x)", torch.detach, ALONE),
    Golden("tensor", "tensor(x)", torch.clone, ALONE),
    Golden("as_tensor", "as_tensor(x)", torch.clone, ALONE),
    Golden("full", "full((2,), x[0, 0])", lambda x: x[0, 0].expand(2), ALONE),
    Golden("sum_to", "sum_to(x, 3)", lambda x: x.sum_to_size(3), ALONE),
    Golden("conv2d", "conv2d(x[None], y[None, None])", _conv2d, BOTH),
    Golden("max_pool2d", "max_pool2d(x[None], 2)", lambda x: F.max_pool2d(x[None], 2), ALONE),
    Golden("avg_pool2d", "avg_pool2d(x[None], 2)", lambda x: F.avg_pool2d(x[None], 2), ALONE),
    Golden("outer", "outer(x[0], y[0])", lambda x, y: torch.outer(x[0], y[0]), BOTH),
]
"""Calls that the goldens lack, or have with a number among the operands."""


def cases() -> Iterator[tuple[Golden, dict[str, Array]]]:
    """Each call of the goldens once, with inputs that say enough."""
    seen: set[tuple[str, str]] = set()
    whole = itertools.chain(MORE, *(goldens_of(each) for each in GROUPS if each not in ONCE))
    varied = ((golden, golden.program) for golden in whole)
    single = ((golden, "any") for each in ONCE for golden in goldens_of(each))
    for golden, call in itertools.chain(varied, single):
        if (golden.function, call) in seen:
            continue
        for inputs in golden.inputs:
            if any(isinstance(value, View) for value in inputs.values()):
                continue
            arrays = {name: np.asarray(value) for name, value in inputs.items()}
            sizes = [array.size for array in arrays.values()]
            floats = [array for array in arrays.values() if array.dtype.kind == "f"]
            plain = all(np.all(np.abs(array) < 1e3) for array in floats)
            if floats and plain and 1 < max(sizes) <= LARGEST:
                seen.add((golden.function, call))
                yield golden, arrays
                break


def pytorch_side(golden: Golden, operands: list[Array]) -> dict[str, Any]:
    """The result, or nothing where PyTorch refuses these kinds."""
    try:
        result = golden.torch(*map(torch.tensor, operands))
    except (RuntimeError, TypeError, NotImplementedError, ValueError):
        return {}
    array = result.detach().numpy()
    if array.dtype.kind not in LETTERS:
        return {}
    return {"result": encode(array)}


def records() -> Iterator[dict[str, Any]]:
    """A record for each call: the operands as floats, and what comes out for each mixture."""
    for golden, arrays in cases():
        varied = [name for name, array in arrays.items() if array.dtype.kind == "f"]
        found = {}
        for kinds in itertools.product(KINDS, repeat=len(varied)):
            chosen = dict(zip(varied, kinds, strict=True))
            operands = [
                as_kind(array, chosen[name]) if name in chosen else array
                for name, array in arrays.items()
            ]
            found[" ".join(kinds)] = pytorch_side(golden, operands)
        yield {
            "function": golden.function,
            "program": golden.program,
            "inputs": {name: encode(array) for name, array in arrays.items()},
            "varied": varied,
            "found": found,
        }


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    lines = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records())
    PATH.write_text(f"[\n{lines}]\n")
