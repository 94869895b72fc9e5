"""`gradcli eval`: values, gradients and the graph of one program."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradcli.cli import options as flag
from gradcli.cli import streams
from gradcli.cli.bundles import expanded
from gradcli.cli.cluster import Sweeping
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.cli.request import Invocation
    from gradcli.diagnostics import Note
    from gradcli.graph import Array, Node
    from gradcli.result import Result
    from gradcli.session import Prepared

EXAMPLES = """\b
Examples:
  gradcli eval "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli eval "y = x**2" -s x=1,2,3 -g 1,0.1,0.01
  gradcli eval "y = A @ x" -s A=@weights.npy -s x=@x.csv -g 1,0 --wrt A
  gradcli eval -f program.grad --json | jq .grads
  gradcli eval -s x=3 -- "-x**2"
"""

STREAMED = 1 << 20
"""A gradient with at least this many elements is written to its file while it is computed."""


def _command(
    run: flag.Run,
    show: flag.Show,
    kinks: flag.Kinks,
    sweeping: Sweeping,
    gradient: flag.Gradients = None,
    retain_grad: flag.RetainGrad = None,
    accumulate: flag.Accumulate = False,
    forward: flag.Forward = False,
    values: flag.Values = "all",
    tree: flag.Tree = None,
    save: flag.Save = None,
) -> None:
    """Run a program: its values, and the gradient of its output for every input.

    An output of several elements needs --gradient, the vector v of the product v·J.
    """
    from gradcli.cli.request import check_save, parse_names

    as_text = show.format() == "text"
    check_save(save, run.file, run.set_, gradient, safe=run.bounds.safe)
    # One run makes one graph and hardly any garbage: looking for it takes a quarter of the time.
    gc.disable()
    options = run.options(
        retain_grad=parse_names("--retain-grad", retain_grad or ()),
        forward_only=forward,
        accumulate=accumulate,
        values="outputs" if save and values == "none" else values,
        grads_to_file=save is not None and save.lower().endswith(".npy"),
        trace_values=tree is not False and as_text and not show.quiet,
        unroll=run.unroll or kinks.asked,
    )
    if sweeping.asked:
        from gradcli.cli.sweep import evaluate

        if kinks.asked:
            raise GradcliError("usage", "--kinks and --as look at all values, which no worker has")
        result = evaluate(run, options, gradient, save, sweeping, quiet=show.quiet)
        if save and not any(note.code == "saved" for note in result.notes):
            _save(save, result)
        show.write("result", result)
        return
    with run.bounds.confined():
        request = run.request(gradient, options._replace(gathers=not options.trace_values))
        try:
            with _told(show.quiet):
                result, is_saved = _answer(request, kinks, save)
        except GradcliError as error:
            if as_text and not show.quiet:
                _print(error.printed)
            raise
        if save and not is_saved:
            _save(save, result)
        if values == "none":
            result = result._replace(values={})
        show.write("result", result, tree)


command = expanded(_command, shows="result")


def _answer(request: Invocation, kinks: flag.Kinks, save: str | None) -> tuple[Result, bool]:
    """The answer, and whether its gradient is in the file already."""
    from gradcli.session import prepare

    program, inputs, gradients, options = request
    prepared = prepare(program, inputs, gradients, options)
    try:
        feeds = prepared.feeds(inputs, gradients)
        prepared.notes += _kinks(request, prepared, feeds, kinks)
        if any(op.branches for op in prepared.graph.ops):
            from gradcli.analysis.unselected import unselected_notes

            prepared.notes += unselected_notes(prepared, feeds)
        with _streamed(save, prepared) as into:
            result = prepared.answer(feeds, into)
    except GradcliError:
        if not prepared.rows:
            raise
    else:
        if not prepared.rows or all(each.code != "nonfinite" for each in result.notes):
            return result, bool(into)
    # What went wrong is told of the statement where it did.
    return _answer(request._replace(options=options._replace(gathers=False)), kinks, save)


def _kinks(
    request: Invocation, prepared: Prepared, feeds: dict[Node, Array], kinks: flag.Kinks
) -> list[Note]:
    """What there is to say of kinks and ties, also in the passes of loops."""
    from gradcli.walks import ancestors

    if not (kinks.asked or any(op.edge for op in prepared.graph.ops)):
        return []
    order = ancestors(prepared.outputs.values())
    if not (kinks.asked or any(node.op.edge and node.op.has_edge(node) for node in order)):
        return []
    from gradcli.analysis.edges import rolled, suspicious

    if not kinks.asked and not suspicious(prepared, feeds):
        return []
    from gradcli.analysis.near import kink_notes
    from gradcli.analysis.problem import View
    from gradcli.session import prepare, unrolled

    if rolled(prepared):
        options = unrolled(request.options)._replace(seed=prepared.graph.seed)
        prepared = prepare(request.program, request.inputs, request.gradients, options)
        feeds = prepared.feeds(request.inputs, request.gradients)
    return kink_notes(View(prepared, feeds), kinks.wanted())


def _print(lines: Sequence[str]) -> None:
    """Print what a program has printed before an error."""
    if lines:
        from gradcli.report.text import spoken

        with streams.output() as stream:
            for line in spoken(lines):
                streams.write(stream, line)


_STEPS = "steps of loops and calls"


@contextmanager
def _told(quiet: bool) -> Iterator[None]:
    """Show at a terminal how far the run has come, if it takes long."""
    if quiet or not streams.errors_are_seen():
        yield
        return
    from gradcli.cli.meter import metered
    from gradcli.engine.telling import told_to

    with (
        metered(quiet) as meter,
        told_to(lambda part: meter("computed", part), lambda steps: meter.count(steps, _STEPS)),
    ):
        yield


@contextmanager
def _streamed(path: str | None, prepared: Prepared) -> Iterator[dict[str, Array]]:
    """Large gradients are computed into the `.npy` file that they are saved to."""
    leaves = [(name, node) for name, node in prepared.leaves.items() if node.size >= STREAMED]
    fits = path is not None and path.lower().endswith(".npy") and len(prepared.backwards) == 1
    if not fits or not leaves or len(prepared.leaves) != 1 or prepared.backwards[0].retained:
        yield {}
        return
    from gradcli.data.save import streamed

    ((name, node),) = leaves
    assert path is not None
    with streamed(path, node.shape, node.graph.dtype("float")) as array:
        yield {name: array}


def _save(path: str, result: Result) -> None:
    from gradcli.data.save import holds_one, save

    save(path, result.grads if holds_one(path) else _saved(result))


def _saved(result: Result) -> dict[str, Array]:
    """Outputs under their names, and grads as `NAME.grad`, numbered where there are passes."""
    from gradcli.result import final_grads, grads_of

    arrays = {name: result.values[name] for name in result.outputs}
    if len(result.passes) > 1:
        for number, backward in enumerate(result.passes, 1):
            for name, grad in grads_of(backward).items():
                arrays[f"{name}.grad.{number}"] = grad
    if len(result.passes) < 2 or result.accumulated:
        arrays |= {f"{name}.grad": grad for name, grad in final_grads(result).items()}
    return arrays
