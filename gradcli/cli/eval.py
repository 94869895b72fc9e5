"""`gradcli eval`: values, gradients and the graph of one program."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradcli.cli import options as flag
from gradcli.cli import streams

if TYPE_CHECKING:
    from gradcli.graph import Array
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
"""A gradient with at least this many elements is written to its file as it is computed."""


def command(
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
    gradient: flag.Gradients = None,
    output: flag.Outputs = None,
    wrt: flag.Wrt = None,
    retain_grad: flag.RetainGrad = None,
    accumulate: flag.Accumulate = False,
    strict: flag.Strict = False,
    forward: flag.Forward = False,
    dtype: flag.Dtype = "float64",
    device: flag.Device = "cpu",
    seed: flag.Seed = None,
    threads: flag.Threads = None,
    values: flag.Values = "all",
    json: flag.Json = False,
    format_: flag.Format = "text",
    tree: flag.Tree = None,
    precision: flag.Precision = 6,
    color: flag.Color = "auto",
    save: flag.Save = None,
    quiet: flag.Quiet = False,
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> None:
    """Run a program: its values, and the gradient of its output for every input.

    An output of several elements needs --gradient, the vector v of the product v·J.
    """
    from gradcli.cli.deadline import confined
    from gradcli.cli.request import check_save, choose_format, limits, parse_names, read_request
    from gradcli.session import Options, prepare

    shown = choose_format(format_, json=json)
    check_save(save, file, set_, gradient, safe=safe)
    # One run makes one graph and hardly any garbage: looking for it takes a quarter of the time.
    gc.disable()
    options = Options(
        outputs=parse_names("--output", output or ()),
        wrt=parse_names("--wrt", wrt or ()),
        retain_grad=parse_names("--retain-grad", retain_grad or ()),
        forward_only=forward,
        accumulate=accumulate,
        strict=strict,
        values="outputs" if save and values == "none" else values,
        precision=dtype,
        device=device,
        threads=threads,
        seed=seed,
        grads_to_file=save is not None and save.lower().endswith(".npy"),
        trace_values=tree is not False and shown == "text" and not quiet,
        limits=limits(max_memory, max_steps, safe=safe),
    )
    with confined(timeout, options.limits.memory_bytes(), safe=safe):
        request = read_request(program, file, set_ or (), gradient or (), options, safe=safe)
        prepared = prepare(
            request.program, request.inputs, request.gradients, request.options, request.draws
        )
        with _streamed(save, prepared) as into:
            result = prepared.run(request.inputs, request.gradients, into)
        if save and not into:
            _save(save, result)
        if quiet:
            return
        if values == "none":
            result = result._replace(values={})
        if shown == "text":
            _print_text(result, tree=tree, precision=precision, color=color)
        else:
            _print_data(result, shown)


@contextmanager
def _streamed(path: str | None, prepared: Prepared) -> Iterator[dict[str, Array]]:
    """Where a large gradient goes as it is computed: into the `.npy` that it is saved to."""
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
    from gradcli.data.save import save

    save(path, result.grads if path.lower().endswith(".npy") else _saved(result))


def _saved(result: Result) -> dict[str, Array]:
    """Outputs under their names, and grads as `NAME.grad`, numbered where there are passes."""
    from gradcli.report.passes import final_grads, grads_of

    arrays = {name: result.values[name] for name in result.outputs}
    if len(result.passes) > 1:
        for number, backward in enumerate(result.passes, 1):
            for name, grad in grads_of(backward).items():
                arrays[f"{name}.grad.{number}"] = grad
    if len(result.passes) < 2 or result.accumulated:
        arrays |= {f"{name}.grad": grad for name, grad in final_grads(result).items()}
    return arrays


def _print_data(result: Result, shown: str) -> None:
    from gradcli.report import csv, json

    with streams.output() as stream:
        if shown == "json":
            json.write(result, stream)
            stream.write("\n")
        else:
            csv.write(result, stream)


def _print_text(result: Result, *, tree: bool | None, precision: int, color: str) -> None:
    from gradcli.report import text

    with streams.output() as stream:
        stream.write(
            text.render(
                result,
                width=streams.width(),
                colour=streams.use_colour(color),
                tree=tree is not False,
                tree_lines=None if tree else text.TREE_LINES,
                precision=precision,
                ascii_only=not streams.speaks_unicode(),
            )
        )
