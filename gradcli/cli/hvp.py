"""`gradcli hvp`: the product of the Hessian and a vector."""

from __future__ import annotations

from gradcli.cli import options as flag
from gradcli.cli import streams

EXAMPLES = """\b
Examples:
  gradcli hvp "sum(x**4)" -s x=1,2,3 --vector 1,0,0
  gradcli hvp "a*exp(b)" -s a=2 -s b=1 --vector b=1 --json
"""


def command(
    program: flag.Program = None,
    file: flag.ProgramFile = None,
    set_: flag.Inputs = None,
    vector: flag.Vectors = None,
    gradient: flag.Gradients = None,
    output: flag.Outputs = None,
    wrt: flag.Wrt = None,
    dtype: flag.Dtype = "float64",
    device: flag.Device = "cpu",
    seed: flag.Seed = None,
    threads: flag.Threads = None,
    json: flag.Json = False,
    format_: flag.TextOrJson = "text",
    precision: flag.Precision = 6,
    color: flag.Color = "auto",
    save: flag.SaveMatrix = None,
    quiet: flag.Quiet = False,
    max_memory: flag.MaxMemory = None,
    max_steps: flag.MaxSteps = None,
    timeout: flag.Timeout = None,
    safe: flag.Safe = False,
) -> None:
    """Show H·u: how the gradient changes when the leaves move along a vector u.

    Leaves without a vector stay where they are.
    """
    from gradcli.analysis.jacobian import hessian_product
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
        vectors = posing.read_vectors("--vector", vector or (), problem, safe=safe)
        found = hessian_product(problem, vectors)
        if save:
            from gradcli.data.save import save as write_file
            from gradcli.report.matrices import vector_arrays

            write_file(save, vector_arrays(found.products, "hvp"))
    if quiet:
        return
    if json or format_ == "json":
        from gradcli.report.matrices import product_json

        posing.write([*product_json("hvp", found, problem.notes), "\n"])
    else:
        from gradcli.report.text_matrices import product_text

        text = product_text(
            "H·u", "u", found, problem.notes, posing.layout(precision),
            colour=streams.use_colour(color),
        )  # fmt: skip
        posing.write([text])
