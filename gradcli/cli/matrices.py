"""What `jacobian`, `hessian`, `jvp` and `hvp` share: their flags, and how they answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from gradcli.cli import options as flag
from gradcli.cli import streams

if TYPE_CHECKING:
    from gradcli.analysis.matrices import Answer
    from gradcli.analysis.problem import Problem

Vector: TypeAlias = Literal["gradient", "tangent", "vector"]


def answering(find: Callable[..., Answer], doc: str, *vectors: Vector) -> Callable[..., None]:
    """The command that shows what `find` does of a problem, and of the directions asked for.

    `doc` is its help, and `vectors` are the flags that it takes beside those of all.
    """
    from inspect import signature

    def command(
        program: flag.Program = None,
        file: flag.ProgramFile = None,
        set_: flag.Inputs = None,
        tangent: flag.Tangents = None,
        vector: flag.Vectors = None,
        gradient: flag.Gradients = None,
        output: flag.Outputs = None,
        wrt: flag.Wrt = None,
        dtype: flag.Dtype = "float64",
        device: flag.Device = "cpu",
        seed: flag.Seed = None,
        threads: flag.Threads = None,
        json: flag.Json = False,
        format_: flag.Format = "text",
        precision: flag.Precision = 6,
        color: flag.Color = "auto",
        save: flag.SaveMatrix = None,
        quiet: flag.Quiet = False,
        max_memory: flag.MaxMemory = None,
        max_steps: flag.MaxSteps = None,
        timeout: flag.Timeout = None,
        safe: flag.Safe = False,
    ) -> None:
        from gradcli.cli import posing
        from gradcli.cli.deadline import confined
        from gradcli.cli.request import check_save, choose_format

        shown = choose_format(format_, json=json)
        check_save(save, file, set_, gradient, tangent, vector, safe=safe)
        options = posing.read_options(
            output, wrt, dtype, seed, max_memory, max_steps,
            safe=safe, device=device, threads=threads,
        )  # fmt: skip
        with confined(timeout, options.limits.memory_bytes(), safe=safe):
            later = {"--tangent": tangent, "--vector": vector}
            problem = posing.read_problem(
                program, file, set_, gradient, options, safe=safe, later=later
            )
            directions = [
                posing.read_vectors(f"--{name}", texts, problem, safe=safe)
                for name, texts in (("tangent", tangent), ("vector", vector))
                if name in vectors
            ]
            found = find(problem, *directions)
            if save:
                _save(save, found)
            if not quiet:
                _print(found, problem, shown, precision, color)

    flags = signature(command, eval_str=True)
    unused = {"gradient", "tangent", "vector"}.difference(vectors)
    kept = [each for each in flags.parameters.values() if each.name not in unused]
    command.__signature__ = flags.replace(parameters=kept)  # type: ignore[attr-defined]
    command.__doc__ = doc
    return command


def _save(path: str, found: Answer) -> None:
    from gradcli.data.save import save
    from gradcli.report.matrices import saved

    save(path, saved(found, whole=path.lower().endswith(".npy")))


def _print(found: Answer, problem: Problem, shown: str, precision: int, color: str) -> None:
    from gradcli.cli import posing
    from gradcli.report import matrices

    if shown == "json":
        posing.write_json(matrices.data(found, problem))
    elif shown == "csv":
        posing.write(matrices.to_csv(found))
    else:
        from gradcli.report.text_matrices import to_text

        layout = posing.layout(precision)
        posing.write([to_text(found, problem, layout, colour=streams.use_colour(color))])
