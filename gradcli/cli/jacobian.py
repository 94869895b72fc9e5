"""`gradcli jacobian`: all derivatives of outputs by leaves, as a matrix."""

from __future__ import annotations

from gradcli.cli import options as flag
from gradcli.cli import streams

EXAMPLES = """\b
Examples:
  gradcli jacobian "z = (2*x)**3" --set x="[[1,2],[3,4]]"
  gradcli jacobian "y = x**2" -s x=1,2,3 -g 1,0.1,0.01
  gradcli jacobian "y = A @ x" -s A=@weights.npy -s x=1,2 --wrt x --save J.npy
"""


def command(
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
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
    """Show the Jacobian: a row for each element of the outputs, a column for each of the leaves.

    With --gradient also v, the product vᵀ·J, and that it is what backward gives.
    """
    from gradcli.analysis.jacobian import jacobian
    from gradcli.cli import posing
    from gradcli.cli.deadline import deadline, seconds_allowed
    from gradcli.cli.request import check_save, limits, parse_names
    from gradcli.session import Options

    check_save(save, safe=safe)
    options = Options(
        outputs=parse_names("--output", output or ()),
        wrt=parse_names("--wrt", wrt or ()),
        precision=dtype,
        device=device,
        threads=threads,
        seed=seed,
        limits=limits(max_memory, max_steps, safe=safe),
    )
    with deadline(seconds_allowed(timeout, safe=safe)):
        problem = posing.read_problem(program, file, set_ or (), gradient or (), options, safe=safe)
        found = jacobian(problem)
        if save:
            from gradcli.data.save import save as write_file
            from gradcli.report.matrices import blocks

            flat = save.lower().endswith(".npy")
            write_file(save, {"jacobian": found.matrix.values} if flat else blocks(found.matrix))
    if quiet:
        return
    from gradcli.report import matrices

    if json or format_ == "json":
        posing.write([*matrices.jacobian_json(found, problem.notes), "\n"])
    elif format_ == "csv":
        posing.write(matrices.matrix_csv(found.matrix))
    else:
        from gradcli.report.text_matrices import jacobian_text

        text = jacobian_text(
            found, problem.notes, posing.layout(precision), colour=streams.use_colour(color)
        )
        posing.write([text])
