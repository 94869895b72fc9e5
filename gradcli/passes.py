"""Backward passes: the gradients that are given, and the nodes of the grads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from gradcli.choices import choose_leaves
from gradcli.diagnostics import Advice, GradcliError, Note, Setting, Source, Span
from gradcli.differentiate import fitted_shape, gradient_required, ones_text, vjp
from gradcli.graph import Array, Node, Shape
from gradcli.ops.kinds import zeros_like
from gradcli.ops.loops import behind
from gradcli.ops.shaping import EXPAND
from gradcli.options import Options
from gradcli.result import Pass
from gradcli.trace import Tracer
from gradcli.tuples import NamedTuple
from gradcli.walks import ancestors, descendants, reached

TEXT = 40
"""A longer expression is not quoted."""
SHOWN = 3
"""How many places are named at most."""


class Gradient(NamedTuple):
    """One gradient vector: v for the output `output` (None: the only output)."""

    value: Array
    output: str | None = None


class Backward(NamedTuple):
    """One pass as part of the graph: the gradients that are given, and the nodes of the grads."""

    cotangents: dict[str, Node]
    """By output: a constant 1, or an input whose value is the given gradient."""
    given: dict[Node, int]
    """The inputs among them, and the index of the given gradient that each gets."""
    outputs: Mapping[str, Node]
    grads: dict[str, Node]
    """By leaf (or name in `--wrt`)."""
    retained: dict[str, Node]
    """By intermediate."""

    def feed(self, feeds: dict[Node, Array], gradients: Sequence[Gradient]) -> None:
        """Add the given gradients to the values of inputs."""
        for node, number in self.given.items():
            value = np.asarray(gradients[number].value, node.graph.dtype("float"))
            feeds[node] = value.reshape(node.shape)

    def gradient(self, feeds: Mapping[Node, Array]) -> dict[str, Array]:
        """The gradient of each output, in the output's shape."""
        used = {}
        for name, node in self.cotangents.items():
            value = feeds[node] if node in self.given else np.asarray(node.known)
            shape = self.outputs[name].shape
            used[name] = value if value.shape == shape else np.broadcast_to(value, shape)
        return used

    @property
    def results(self) -> list[Node]:
        """The nodes of the grads."""
        return [*self.grads.values(), *self.retained.values()]

    def answer(self, feeds: Mapping[Node, Array], found: Mapping[Node, Array]) -> Pass:
        """The pass as arrays; `found` holds those of `results`."""
        return Pass(
            self.gradient(feeds),
            {name: found[node] for name, node in self.grads.items()},
            {name: found[node] for name, node in self.retained.items()},
        )


class Derivatives(NamedTuple):
    """The passes of a run, or the `.grad`s that the program's own backward calls have made."""

    leaves: dict[str, Node]
    backwards: list[Backward]
    grads: dict[str, Node]
    notes: list[Note]


def differentiate(
    tracer: Tracer,
    outputs: Mapping[str, Node],
    retained: Mapping[str, Node],
    gradients: Sequence[Gradient],
    options: Options,
) -> Derivatives:
    """A backward pass for each gradient, or for 1 where none is given.

    Where nothing can be differentiated there is no pass but a note, or an error if one was asked
    for. Raises `gradient-required`, `gradient-shape`, `name`, `no-grad`, `usage`.
    """
    leaves = choose_leaves(tracer, list(outputs.values()), options.wrt)
    found = Derivatives(leaves, [], {}, [])
    floats = {name: node for name, node in outputs.items() if node.kind == "float"}
    if options.forward_only or (not gradients and tracer.autograd.is_cut(floats.values())):
        return found
    if not floats:
        asked = bool(gradients or options.wrt)
        found.notes.append(_no_derivative(tracer, outputs, leaves, asked=asked))
    elif not leaves:
        found.notes.append(_no_leaf(tracer))
    elif _is_cell(tracer) and not gradients and any(o.size != 1 for o in floats.values()):
        found.notes.append(NO_GRADIENT)
    else:
        for given in _grouped(gradients):
            found.backwards.append(
                _backward(tracer, floats, leaves, retained, given, options.strict, found.notes)
            )
        doubtful = {
            name: node
            for name, node in leaves.items()
            if all(_is_zero(each.grads[name]) for each in found.backwards)
        }
        found.notes.extend(_unused(tracer, list(floats.values()), doubtful) if doubtful else ())
    return found


def _is_zero(grad: Node) -> bool:
    """Whether a grad is known to be 0, as it is where no gradient comes back."""
    while grad.op is EXPAND:
        (grad,) = grad.inputs
    return grad.known is not None and not grad.known.any()


def _is_cell(tracer: Tracer) -> bool:
    """Whether the program was pasted to see what it prints, and may end on anything."""
    return tracer.values.is_python or bool(tracer.special.printed)


NO_GRADIENT = Note(
    "gradient-required",
    "the output has several elements and nothing was differentiated: --gradient gives a weight for "
    "each",
)
NO_LEAF = Note(
    "no-grad",
    "there is no leaf to differentiate by: --set NAME=… makes one, and so does a name bound to a "
    "number",
)


def _no_leaf(tracer: Tracer) -> Note:
    """The note where there is nothing to differentiate by: inputs of whole numbers are named."""
    kinds = {"int": "whole numbers", "bool": "truth values"}
    held = [f"{name} holds {kinds[n.kind]}" for name, n in tracer.inputs.items() if n.kind in kinds]
    if not held:
        return NO_LEAF
    told = f"there is no leaf to differentiate by: {', '.join(held)}, which have no gradient"
    return Note("no-grad", f"{told}; floats do, as 1.0, or a file of floats")


def _no_derivative(
    tracer: Tracer, outputs: Mapping[str, Node], leaves: Mapping[str, Node], *, asked: bool
) -> Note:
    """The note where no output has a derivative; an error if a derivative was asked for."""
    kinds = ", ".join(f"{name} holds {node.kind} values" for name, node in outputs.items())
    reason = kinds or "the program ends on no value"
    if asked:
        raise GradcliError("not-differentiable", f"{reason}: there is no derivative")
    from gradcli.differentiate.losses import losses  # few programs have them

    found = [each for leaf in leaves.values() for each in losses([*outputs.values()], leaf)]
    more = ""
    if found:
        more = f"; gradients are lost at {_places(tracer, found)}"
    elif any(node.kind == "int" for node in outputs.values()):
        more = "; whole numbers have no gradient: write 1. for 1, or dtype=float"
    return Note("no-grad", f"{reason}: nothing was differentiated{more}")


def left_by_program(tracer: Tracer, wrt: Sequence[str]) -> Derivatives:
    """The `.grad`s that a program's own backward calls made: of leaves and retained intermediates.

    A leaf that no backward has reached has the grad 0, and a note. Of several leaves with one
    name, the last counts: a loop of gradient steps makes a leaf in each step.
    """
    autograd = tracer.autograd
    chosen = choose_leaves(tracer, autograd.roots, wrt)
    leaves = {tracer.leaves.get(node, name): node for name, node in chosen.items()}
    found = Derivatives(leaves, [], {}, [])
    for name, node in leaves.items():
        if node not in autograd.grads:
            if not autograd.is_leaf(node):
                raise GradcliError(
                    "no-grad",
                    f"{name} is an intermediate, whose grad is not retained",
                    hint=f"call {name}.retain_grad() before backward",
                )
            since = f" after {name} or {name}.grad was set" if _was_reached(tracer, node) else ""
            text = f"unused: no backward reached {name}{since}, so {name}.grad is None, shown as 0"
            found.notes.append(Note("unused", text))
        found.grads[name] = autograd.grads.get(node) or zeros_like(node)
    for name, value in tracer.globals.values.items():
        if isinstance(value, Node) and value in autograd.retained and value in autograd.grads:
            found.grads[name] = autograd.grads[value]
    return found


def _was_reached(tracer: Tracer, leaf: Node) -> bool:
    """Whether a backward reached what a leaf without a grad was before it changed."""
    first, names = tracer.values.first, tracer.autograd.names
    earlier = {node for call in tracer.autograd.calls for node in call.grads}
    return any(
        first.get(node, node) is first.get(leaf, leaf)
        or (node in names and names[node] == names.get(leaf))
        for node in earlier
    )


Given: TypeAlias = "dict[str | None, tuple[int, Shape]]"
"""The gradients of one pass by output: the number of each, and its shape."""


def _grouped(gradients: Sequence[Gradient]) -> list[Given]:
    """Gradients as passes: named ones belong to one pass until a name repeats."""
    passes: list[Given] = []
    for number, gradient in enumerate(gradients):
        if not passes or None in (gradient.output, *passes[-1]) or gradient.output in passes[-1]:
            passes.append({})
        passes[-1][gradient.output] = number, np.shape(gradient.value)
    return passes or [{}]


def _backward(
    tracer: Tracer,
    outputs: Mapping[str, Node],
    leaves: Mapping[str, Node],
    retained: Mapping[str, Node],
    given: Given,
    strict: bool,
    notes: list[Note],
) -> Backward:
    """Build one backward pass; raises `gradient-required`, `gradient-shape`, `name`, `usage`."""
    _check_names(outputs, given)
    cotangents: dict[str, Node] = {}
    fed: dict[Node, int] = {}
    for name, output in outputs.items():
        found = given.get(name) or given.get(None)
        if found is not None:
            number, shape = found
            try:
                fitted = fitted_shape(name, shape, output.shape, strict, notes)
            except GradcliError as error:
                raise error.located(Source("--gradient", ""), None) from None
            cotangents[name] = tracer.graph.input(f"gradient of {name}", fitted, "float")
            fed[cotangents[name]] = number
        elif output.size == 1:
            cotangents[name] = tracer.graph.constant(1.0)
        else:
            text = name if name in tracer.globals.values else _text(tracer, output)
            required = gradient_required(name, text, output.shape, "add ", _of_ones(output.shape))
            raise required.located(tracer.source, output.span)
    wanted = {**leaves, **retained}
    found_grads = vjp(list(outputs.values()), list(cotangents.values()), list(wanted.values()))
    grads = {
        name: zeros_like(node) if grad is None else grad
        for (name, node), grad in zip(wanted.items(), found_grads, strict=True)
    }
    return Backward(
        cotangents,
        fed,
        outputs,
        {name: grads[name] for name in leaves},
        {name: grads[name] for name in retained},
    )


def _of_ones(shape: Shape) -> Setting:
    """A gradient of ones."""
    ones = ones_text(shape)
    if ones.startswith("["):
        return Setting("gradient", f"'{ones.strip('[]')}' (v of ones)", f"{ones} (v of ones)")
    return Setting(
        "gradient", f"'{ones}' (v of ones)", f"ones in lists, {ones.removeprefix('ones')}"
    )


def _text(tracer: Tracer, output: Node) -> str:
    """The text of an output without a name in the program, if it is short."""
    text = tracer.source.text[slice(*output.span)] if output.span else ""
    return text if 0 < len(text) <= 40 else "…"


def _check_names(outputs: Mapping[str, Node], given: Given) -> None:
    if None in given and len(outputs) > 1:
        raise GradcliError(
            "usage",
            f"there are {len(outputs)} outputs: say which one the gradient is for",
            hint=Advice(_for_name("gradient", next(iter(outputs)))),
        )
    for name in given:
        if name is not None and name not in outputs:
            raise GradcliError(
                "name",
                f"--gradient {name}: that is not an output; the outputs are {', '.join(outputs)}",
                hint=Advice(Setting("output", name, f'"{name}"'), " makes it one"),
            )


def _for_name(key: str, name: str) -> Setting:
    return Setting(key, f"{name}=…", f'{{"{name}": …}}')


def _unused(tracer: Tracer, outputs: Sequence[Node], leaves: Mapping[str, Node]) -> list[Note]:
    """Notes on leaves that no output depends on, or that no gradient can flow back to."""
    alive = reached(outputs)
    unused = {name: node for name, node in leaves.items() if node not in alive}
    linked = behind(outputs) if unused else alive
    looked = tracer.values.evaluator.looked if unused else []
    before = ancestors(looked)
    notes = []
    for name, node in unused.items():
        if node not in linked:
            message = f"unused: the output does not depend on {name}, so its grad is 0"
            after = descendants(node, before)
            read = [each for each in looked if each in after]
            if read:
                places = {tracer.source.locate(each.span[0]) for each in read if each.span}
                told = [f"line {line}, column {column}" for line, column in sorted(places)]
                more = f" and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
                message += f"; its value was only read{', at ' * bool(told)}"
                message += f"{', '.join(told[:SHOWN])}{more}"
            notes.append(Note("unused", message))
        else:
            from gradcli.differentiate.losses import losses  # few programs have them

            where = _places(tracer, losses(outputs, node))
            message = f"detached: no gradient comes back to {name}, it is lost at {where}"
            notes.append(Note("detached", f"{message}, so its grad is 0"))
    return notes


def _places(tracer: Tracer, lost: Sequence[Node]) -> str:
    """`x.detach() (line 1, column 5: it stops gradients)`, for the first few places."""
    told: dict[Span | None, str] = {}
    for node in lost:
        line, column = tracer.source.locate(node.span[0] if node.span else 0)
        text = tracer.source.text[slice(*node.span)] if node.span else node.op.name
        what = text if 0 < len(text) <= TEXT and "\n" not in text else node.op.name
        told.setdefault(node.span, f"{what} (line {line}, column {column}: {_why(node)})")
    shown = ", ".join([*told.values()][:SHOWN])
    return shown + (f" and {len(told) - SHOWN} more" if len(told) > SHOWN else "")


def _why(node: Node) -> str:
    """How an op loses a gradient."""
    if node.kind == "bool":
        return "truth values have none"
    if node.kind == "int":
        return "whole numbers have none"
    return "it changes in steps" if node.op.flat else "it stops gradients"
