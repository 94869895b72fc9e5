"""Which gradients may be given for an output."""

from __future__ import annotations

import math

from gradcli.diagnostics import Advice, GradcliError, Note, Setting
from gradcli.graph import Shape
from gradcli.ops.shapes import show


def gradient_required(name: str, text: str, shape: Shape, *remedy: str | Setting) -> GradcliError:
    """The error for an output of several elements, or of none, without a gradient.

    `text` is the output as the program writes it; `remedy` says how to give a gradient.
    """
    why = (
        "with more than one element it needs a gradient vector v, a weight for each"
        if math.prod(shape)
        else "with no element it needs a gradient vector v without elements"
    )
    return GradcliError(
        "gradient-required",
        f"the output {name} has shape {show(shape)}: {why}",
        hint=Advice(
            *remedy,
            f", or end with sum({text}), or see the whole matrix with gradcli jacobian",
        ),
    )


def ones_text(shape: Shape) -> str:
    """A gradient of ones as a program writes it: `[1,1]`, or `ones(2, 2)`."""
    if len(shape) == 1 and 0 < shape[0] <= 8:
        return f"[{','.join('1' * shape[0])}]"
    return f"ones({', '.join(map(str, shape))})"


def unfit(name: str, given: Shape, shape: Shape, why: str = "") -> GradcliError:
    """The error for a gradient of another shape than the output's."""
    return GradcliError(
        "gradient-shape",
        f"the gradient has shape {show(given)}, the output {name} has {show(shape)}{why}",
        hint=f"the gradient needs one element for each of the output's: shape {show(shape)}",
    )


def fitted_shape(name: str, given: Shape, shape: Shape, strict: bool, notes: list[Note]) -> Shape:
    """The shape of a gradient: the output's, or one that broadcasts to it.

    Raises `gradient-shape`. A note says that it is broadcast; `strict` makes that an error.
    """
    if given == shape or math.prod(given) == math.prod(shape) == 1:
        return shape
    fits = len(given) <= len(shape) and all(
        a in (1, b) for a, b in zip(reversed(given), reversed(shape), strict=False)
    )
    if not fits or strict:
        raise unfit(name, given, shape, " (--strict allows no broadcasting)" if fits else "")
    note = Note(
        "broadcast",
        f"the gradient of shape {show(given)} was broadcast to the shape {show(shape)} of {name}",
    )
    if note not in notes:
        notes.append(note)
    return given
