"""Backward passes: which values are outputs, which nodes get grads, and which gradient goes in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple, TypeAlias

import numpy as np

from gradcli.diagnostics import Advice, GradcliError, Note, Setting, Source, nearest
from gradcli.differentiate import fitted_shape, gradient_required, ones_text, vjp
from gradcli.graph import INPUT, Array, Node, Shape, ancestors, upstream
from gradcli.ops.control import LEAF
from gradcli.ops.kinds import zeros_like
from gradcli.trace import Binding, Tracer
from gradcli.trace.values import Value


class Gradient(NamedTuple):
    """One gradient vector: v for the output `output` (None: the only output)."""

    value: Array
    output: str | None = None


class Backward(NamedTuple):
    """One pass as graph: what goes in, and the nodes of what comes out."""

    cotangents: dict[str, Node]
    """By output: a constant 1, or an input that stands for a gradient that was given."""
    given: dict[Node, int]
    """The inputs among them, and which of the given gradients is fed to each."""
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
        """What was used for each output, in the output's shape."""
        used = {}
        for name, node in self.cotangents.items():
            value = feeds[node] if node in self.given else np.asarray(node.known)
            shape = self.outputs[name].shape
            used[name] = value if value.shape == shape else np.broadcast_to(value, shape)
        return used


# --- outputs -------------------------------------------------------------------------------


def choose_outputs(tracer: Tracer, names: Sequence[str]) -> dict[str, Node]:
    """The output values by name: those asked for, or what the program ended on."""
    if names:
        return {name: lookup(tracer, name, "--output") for name in names}
    if tracer.last is None:
        if tracer.special.printed or tracer.autograd.roots:
            return {}
        raise GradcliError(
            "value",
            "the program has no value: nothing was assigned or computed",
            hint="end it with the expression to differentiate",
            source=tracer.source,
        )
    outputs: dict[str, Node] = {}
    free_names = _free_names(tracer, outputs)
    for binding in tracer.last:
        tracer.graph.span = binding.span  # for a list, which becomes a node only now
        try:
            node = _tensor(tracer, binding)
        except GradcliError as error:
            raise error.located(tracer.source, binding.span) from None
        outputs[binding.name or next(free_names)] = node
    tracer.graph.span = None
    return outputs


def newest_outputs(tracer: Tracer, since: int) -> tuple[dict[str, Node], list[Value]]:
    """What the program ended on from that place in its text on: tensors by name, and all else."""
    outputs: dict[str, Node] = {}
    others: list[Value] = []
    free_names = _free_names(tracer, outputs)
    for binding in tracer.last or ():
        if binding.span is None or binding.span[0] < since:
            continue
        try:
            node = _tensor(tracer, binding)
        except GradcliError as error:
            if error.diagnostic.code not in ("type", "shape"):
                raise error.located(tracer.source, binding.span) from None
            others.append(binding.value)
        else:
            outputs[binding.name or next(free_names)] = node
    return outputs, others


def lookup(tracer: Tracer, name: str, flag: str) -> Node:
    """The tensor that a name was last bound to."""
    if name not in tracer.globals.values:
        guess = nearest(name, tracer.globals.values)
        raise GradcliError(
            "name",
            f"{flag} {name}: the program binds no such name",
            hint=f"did you mean {guess!r}?" if guess else "use a name that the program binds",
            source=Source(flag, name),
            span=(0, len(name)),
        )
    return _tensor(tracer, Binding(name, tracer.globals.values[name]))


def _tensor(tracer: Tracer, binding: Binding) -> Node:
    return tracer.values.tensor(binding.value, binding.name or "the program's value")


def _free_names(tracer: Tracer, taken: Mapping[str, Node]) -> Iterator[str]:
    """Names for values without one, as they are wanted: those of `out`, `out_1` … that are free."""
    for name in chain(["out"], map("out_{}".format, count(1))):
        if name not in taken and name not in tracer.globals.values:
            yield name


# --- leaves --------------------------------------------------------------------------------


def choose_leaves(
    tracer: Tracer, inputs: Mapping[str, Node], outputs: Sequence[Node], wrt: Sequence[str]
) -> dict[str, Node]:
    """The nodes that get grads, by name (contract: inputs, marked leaves, else literals)."""
    if wrt:
        chosen = {name: lookup(tracer, name, "--wrt") for name in wrt}
        for name, node in chosen.items():
            if node.kind != "float":
                raise GradcliError("no-grad", f"--wrt {name}: {_kind(node)} have no gradient")
        return chosen
    leaves = {name: node for name, node in inputs.items() if node.kind == "float"}
    marked = {node: name for node, name in tracer.leaves.items() if node.attributes[0]}
    linked = set(upstream(outputs))
    if not inputs and not marked:
        marked = {node: name for node, name in tracer.leaves.items() if node in linked}
    last = {name: node for node, name in marked.items()}
    numbers: dict[str, int] = {}
    for node, name in marked.items():
        if node in linked or node is last[name]:
            unique = name
            while unique in leaves:  # two leaves of one name: x, x_2, x_3 …
                numbers[name] = numbers.get(name, 1) + 1
                unique = f"{name}_{numbers[name]}"
            leaves[unique] = node
    return leaves


def newest(tracer: Tracer, leaves: Mapping[str, Node]) -> dict[str, Node]:
    """Leaves by the names that a program calls them, the last where it bound one name to several:
    a loop that steps along the gradient makes a leaf each time.
    """
    return {tracer.leaves.get(node, name): node for name, node in leaves.items()}


def program_grads(tracer: Tracer, leaves: Mapping[str, Node], notes: list[Note]) -> dict[str, Node]:
    """The `.grad`s that a program left: of leaves, and of what it retained.

    A leaf that no backward has reached has 0, and a note.
    """
    autograd = tracer.autograd
    found: dict[str, Node] = {}
    for name, node in leaves.items():
        if node not in autograd.grads:
            if not autograd.is_leaf(node):
                raise GradcliError(
                    "no-grad",
                    f"{name} is an intermediate, whose grad is not retained",
                    hint=f"call {name}.retain_grad() before backward",
                )
            notes.append(Note("unused", f"unused: no backward reached {name}, so its grad is 0"))
        found[name] = autograd.grads.get(node) or zeros_like(node)
    retained = {
        name: autograd.grads[node]
        for name, node in tracer.globals.values.items()
        if isinstance(node, Node) and node in autograd.retained and node in autograd.grads
    }
    return found | retained


def _kind(node: Node) -> str:
    return "integers" if node.kind == "int" else "truth values"


# --- gradients -----------------------------------------------------------------------------


Given: TypeAlias = "dict[str | None, tuple[int, Shape]]"
"""The gradients of one pass by output: the number of each, and its shape."""


def group(gradients: Sequence[Gradient]) -> list[Given]:
    """Gradients as passes: named ones belong to one pass until a name repeats."""
    passes: list[Given] = []
    for number, gradient in enumerate(gradients):
        if not passes or None in (gradient.output, *passes[-1]) or gradient.output in passes[-1]:
            passes.append({})
        passes[-1][gradient.output] = number, np.shape(gradient.value)
    return passes or [{}]


def backward(
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
    """An output without a name as it stands in the program, if that is short."""
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


# --- notes ---------------------------------------------------------------------------------


def unused(outputs: Sequence[Node], leaves: Mapping[str, Node]) -> list[Note]:
    """Notes on leaves that no output depends on, or none in a way that a gradient goes back."""
    linked, reached = set(ancestors(outputs)), set(upstream(outputs))
    notes = []
    for name, node in leaves.items():
        if node not in linked:
            message = f"unused: the output does not depend on {name}, so its grad is 0"
            notes.append(Note("unused", message))
        elif node not in reached:
            notes.append(
                Note(
                    "detached",
                    f"detached: the output depends on {name} only through what no gradient passes "
                    "(detach or .data, truth values, whole numbers), so its grad is 0",
                )
            )
    return notes


def retained_names(tracer: Tracer, wanted: Sequence[str]) -> dict[str, Node]:
    """The intermediates whose gradient is kept: those named, or with `all` every named one."""
    if "all" in wanted:
        return {
            name: value
            for name, value in tracer.globals.values.items()
            if isinstance(value, Node)
            and value.kind == "float"
            and value.op is not INPUT
            and value.op is not LEAF
        }
    return {name: lookup(tracer, name, "--retain-grad") for name in wanted}
