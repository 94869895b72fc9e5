"""What PyTorch says of layers that cannot be made, or are called with other tensors."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence

from gradcli.diagnostics import RefusedError
from gradcli.ops import FUNCTIONS
from gradcli.trace.arguments import parameters_of
from gradcli.trace.given_tensors import no_tensor
from gradcli.trace.plain_layers import PLAIN
from gradcli.trace.values import Value


def check_count(
    title: str, function: str, count: int, own: Collection[str], given: Collection[str]
) -> None:
    """Raise `type` where a layer that calls a function with what is its `own` gets too few tensors
    or too many; others are `given` by name.
    """
    parameters = parameters_of(FUNCTIONS[function]) if function in FUNCTIONS else ()
    needed = [each.name for each in parameters if each.required and each.name not in own]
    settled = {*own, *(PLAIN[title].options if title in PLAIN else ())}
    surplus = [each.name for each in parameters[:count] if each.name in settled]
    missing = [each for each in needed[count:] if each not in given]
    if not surplus and not missing:
        return
    names = " and ".join(f"'{'input' if each == 'x' else each}'" for each in missing)
    plural = "s" if len(missing) > 1 else ""
    said = (
        f"takes {len(needed) + 1} positional arguments but {count + 1} were given"
        if surplus
        else f"missing {len(missing)} required positional argument{plural}: {names}"
    )
    told = f"{title} takes {len(needed)} tensors, not {count}"
    raise RefusedError(("TypeError", f"{title}.forward() {said}"), "type", told)


_FUNCTIONS = {"CrossEntropyLoss": "cross_entropy_loss"}
"""What PyTorch's errors call what layers compute, where that is not the name in small letters."""
_OPERANDS = {"Embedding": ("indices", 2)}
"""What they call the operand, where that is not the input, and its place."""


def check_tensors(title: str, arrays: Container[Value], given: Sequence[Value]) -> None:
    """Raise `type` where a layer or loss is given an array of NumPy's for a tensor."""
    for place, each in enumerate(given, 1):
        if each in arrays:
            called, seen = _OPERANDS.get(title, ("input" if place == 1 else "target", place))
            raise no_tensor(_FUNCTIONS.get(title, title.lower()), called, seen, "numpy.ndarray")


def check_padding(padding: str, steps: tuple[int, ...]) -> None:
    """Raise `value` where a convolution has no such padding."""
    if padding not in ("same", "valid"):
        said = f"Invalid padding string '{padding}', should be one of {{'same', 'valid'}}"
    elif padding == "same" and any(each != 1 for each in steps):
        said = "padding='same' is not supported for strided convolutions"
    else:
        return
    told = "padding is 'valid', 'same' or a number, and 'same' for a stride of 1 only"
    raise RefusedError(("ValueError", said), "value", told, hint="padding=kernel_size // 2")


def uneven_groups(title: str, inputs: int, outputs: int, groups: int) -> RefusedError:
    """The error for channels that make no such groups."""
    uneven = "in_channels" if inputs % max(1, groups) else "out_channels"
    said = f"{uneven} must be divisible by groups"
    if groups < 1:
        said = "groups must be a positive integer"
    return RefusedError(
        ("ValueError", said),
        "value",
        f"{title}: in_channels and out_channels must be divisible by groups; {inputs} and "
        f"{outputs} are not by {groups}",
    )


def no_parameter(kind: str) -> RefusedError:
    """The error for a parameter of what is no tensor, but of this class."""
    said = f"'{kind}' object has no attribute 'detach'"
    return RefusedError(("AttributeError", said), "type", "a parameter is made of a tensor",
                        hint="nn.Parameter(torch.tensor(1.))")  # fmt: skip
