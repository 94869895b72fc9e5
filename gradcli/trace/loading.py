"""What `load_state_dict` says of a dictionary that is not a model's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.collections_calls import record
from gradcli.trace.items import Items
from gradcli.trace.values import Value, Values

NOT_LOADED = "Error(s) in loading state_dict for "
"""How PyTorch's message begins."""


def misfits(
    values: Values, own: Mapping[str, Node], given: Mapping[str, Value]
) -> tuple[list[str], list[str], list[str]]:
    """The names that a dictionary lacks, those that the model has not, and sentences about tensors
    of another shape.
    """
    missing = [name for name in own if name not in given]
    unexpected = [name for name in given if name not in own]
    wrong = []
    for name, node in own.items():
        shape = values.tensor(given[name], name).shape if name in given else node.shape
        if shape != node.shape:
            wrong.append(
                f"size mismatch for {name}: copying a param with shape {_size(shape)} from "
                f"checkpoint, the shape in current model is {_size(node.shape)}."
            )
    return missing, unexpected, wrong


def not_loaded(
    title: str, missing: Sequence[str], unexpected: Sequence[str], wrong: Sequence[str]
) -> GradcliError:
    """The error, in PyTorch's words."""
    lines = [NOT_LOADED + f"{title}:"]
    for names, what in ((missing, "Missing"), (unexpected, "Unexpected")):
        if names:
            listed = ", ".join(f'"{name}"' for name in names)
            lines.append(f"\t{what} key(s) in state_dict: {listed}. ")
    lines += [f"\t{sentence}" for sentence in wrong]
    return GradcliError("shape", "\n".join(lines), hint="strict=False ignores other names")


def loaded(missing: Sequence[str], unexpected: Sequence[str]) -> Value:
    """What `load_state_dict` returns."""
    if missing or unexpected:
        fields = ("missing_keys", "unexpected_keys")
        return record("_IncompatibleKeys", fields, (Items(list(missing)), Items(list(unexpected))))
    return "<All keys matched successfully>"


def _size(shape: tuple[int, ...]) -> str:
    return f"torch.Size({list(shape)})"
