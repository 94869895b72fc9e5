"""What functions that `vmap` calls may not do: look at the numbers of the rows they are given.

PyTorch calls such a function once, with all rows at once; here it is called for each row.
"""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.walks import ancestors

_SAID = {
    "condition": "vmap: It looks like you're attempting to use a Tensor in some data-dependent "
    "control flow. We don't support that yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues .",
    "item": "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over "
    "calling .item() on a Tensor, please try to rewrite what you're doing with other operations. "
    "If error is occurring somewhere inside PyTorch internals, please file a bug report.",
    "storage": "Cannot access data pointer of Tensor that doesn't have storage",
}
"""PyTorch's words, by what is done."""


def refuse_rows(rows: set[Node], value: Any, done: str) -> None:
    """Raise `value` where a tensor is computed from rows that vmap gives a function."""
    if not isinstance(value, Node) or rows.isdisjoint(ancestors([value])):
        return
    if done == "print":
        raise GradcliError(
            "value", "print shows no row of a function under vmap: PyTorch has all rows at once",
            hint="print(x.shape) is there; print what vmap(f)(x) returns",
        )  # fmt: skip
    raise RefusedError(
        ("RuntimeError", _SAID[done]),
        "value",
        "a function under vmap looks at the numbers of its rows, which PyTorch refuses",
        hint="torch.where(condition, a, b) chooses for each row, or a loop calls the function",
    )
