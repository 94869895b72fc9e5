"""The outputs and leaves of a traced program, and all its named values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count

from gradcli.diagnostics import GradcliError, Source, nearest
from gradcli.graph import INPUT, Node
from gradcli.language.parser import parse_expression
from gradcli.ops.control import LEAF
from gradcli.options import Options
from gradcli.trace import Binding, Tracer
from gradcli.trace.items import Items
from gradcli.trace.values import Value
from gradcli.walks import upstream


def choose_outputs(tracer: Tracer, options: Options) -> tuple[dict[str, Node], list[Value]]:
    """The output values by name: those asked for, or the values that the program ended on.

    Also values at the end that are not tensors, where `options.since` allows that.
    """
    if options.since is not None:
        return _newest_outputs(tracer, options.since)
    if options.outputs:
        return {text: _output(tracer, text, options) for text in options.outputs}, []
    if tracer.last is None:
        if tracer.special.printed or tracer.autograd.roots or tracer.values.is_python:
            return {}, []
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
            is_cell = tracer.values.is_python or tracer.special.printed
            if is_cell and error.diagnostic.code in ("type", "shape"):
                continue  # a cell may end on anything
            raise error.located(tracer.source, binding.span) from None
        outputs[binding.name or next(free_names)] = node
    tracer.graph.span = None
    return outputs, []


def _newest_outputs(tracer: Tracer, since: int) -> tuple[dict[str, Node], list[Value]]:
    """The last values bound from that place in the text on: tensors by name, then other values."""
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


def _output(tracer: Tracer, text: str, options: Options) -> Node:
    """The value of a name that the program binds, or of an expression over its names."""
    if text in tracer.globals.values or text.isidentifier():
        return _lookup(tracer, text, "--output")
    source = Source("--output", text)
    try:
        value = tracer.run(tracer.visit(parse_expression(source, options.limits.parse)))
        return _tensor(tracer, Binding(text, value))
    except GradcliError as error:
        raise error.located(source, tracer.graph.span) from None
    finally:
        tracer.graph.span = None


def _lookup(tracer: Tracer, name: str, flag: str) -> Node:
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
    """Names for values without one: those of `out`, `out_1` … that are not used."""
    for name in chain(["out"], map("out_{}".format, count(1))):
        if name not in taken and name not in tracer.globals.values:
            yield name


def choose_leaves(tracer: Tracer, outputs: Sequence[Node], wrt: Sequence[str]) -> dict[str, Node]:
    """The nodes that get grads, by name (contract: inputs, marked leaves, else literals)."""
    if wrt:
        chosen = {name: _chosen(tracer, name) for name in wrt}
        for name, node in chosen.items():
            if node.kind != "float":
                raise GradcliError("no-grad", f"--wrt {name}: {_kind(node)} have no gradient")
        return chosen
    leaves = {name: node for name, node in tracer.inputs.items() if node.kind == "float"}
    marked = {
        node: name for node, name in tracer.leaves.items() if node.op is LEAF and node.attributes[0]
    }
    linked = set(upstream(outputs)) if tracer.leaves else set()
    if not tracer.inputs and not marked and not tracer.values.explicit:
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


def _chosen(tracer: Tracer, name: str) -> Node:
    """What `--wrt` names: an input is one also where the program binds its name again, for a grad
    belongs to the leaf. What a program marks as a leaf stands for the input.
    """
    given, bound = tracer.inputs.get(name), tracer.globals.values.get(name)
    is_marked = isinstance(bound, Node) and bound.op is LEAF and bound.inputs[0] is given
    return _lookup(tracer, name, "--wrt") if given is None or is_marked else given


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
    return {name: _lookup(tracer, name, "--retain-grad") for name in wanted}


def named_tensors(tracer: Tracer, outputs: Mapping[str, Node]) -> dict[str, Node]:
    """Every named tensor, also lists of equal shapes, then outputs without a name."""
    names = {}
    for name, value in tracer.globals.values.items():
        if isinstance(value, Node):
            names[name] = value
        elif value is not None and isinstance(value, Items):
            shapes = value.shapes()
            if len(shapes) == 1 and None not in shapes:
                names[name] = tracer.values.tensor(value)
    return names | {name: node for name, node in outputs.items() if name not in names}


def _kind(node: Node) -> str:
    return "integers" if node.kind == "int" else "truth values"
