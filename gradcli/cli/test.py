"""`gradcli test`: run scripts, and check the expectations in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli import shell
from gradcli.cli.bundles import expanded
from gradcli.diagnostics import GradcliError

EXAMPLES = """\b
A comment after a statement says what its value is, or which error it raises:
  x = tensor([1, 2], requires_grad=True)
  sum(x**2)          #= 5
  x / 3              #= [0.333, 0.667] ± 0.001
  x.backward()       #! gradient-required

\b
Examples:
  gradcli test samples
  gradcli test a.grad b.grad --update
  gradcli test samples --format github --junit report.xml
"""

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES...",
        help="Scripts, or folders with .grad files.",
        show_default=False,
        autocompletion=shell.scripts,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="N", min=0, help="Seed of random numbers, so that they can be expected."
    ),
]
Update = Annotated[
    bool,
    typer.Option("--update", help="Rewrite expectations that fail to what the scripts do."),
]
Junit = Annotated[
    str | None,
    typer.Option("--junit", metavar="FILE", help="Write a report as JUnit's XML, with times."),
]
Chosen = Annotated[
    str | None,
    typer.Option(
        "-k",
        metavar="TEXT",
        help="Check only expectations behind statements with this text, or in files whose path "
        "has it; other files do not run.",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", metavar="N", min=1, max=1024, help="How many scripts run at a time."
    ),
]


def _command(
    files: Files,
    show: flag.Show,
    bounds: flag.Bounds,
    update: Update = False,
    junit: Junit = None,
    chosen: Chosen = None,
    jobs: Jobs = 1,
    dtype: flag.Dtype = "float64",
    seed: Seed = 0,
    strict: flag.Strict = False,
) -> int:
    """Run scripts and check their expectations: #= value, #= value ± tolerance, #! error.

    Exits with 1 if one does not hold. --timeout is for each script; --safe reads the scripts and
    nothing else, and writes nothing.
    """
    from gradcli.cli.meter import metered
    from gradcli.cli.scripts import Errand
    from gradcli.data.replace import check_stream_target, require_regular, writing
    from gradcli.data.text import open_binary
    from gradcli.options import Options

    if bounds.safe and (update or junit is not None):
        raise GradcliError("usage", "--update and --junit write files, and --safe writes none")
    scripts = list(_scripts(files))
    for path in scripts:
        require_regular(path)
        open_binary(path).close()
    if junit is not None:
        check_stream_target(junit, scripts)
    options = Options(
        precision=dtype,
        seed=seed,
        strict=strict,
        limits=bounds.limits().shared(jobs),
    )
    with metered(show.quiet) as meter:
        errand = Errand(options, chosen, update, bounds.seconds(), bounds.safe, meter)
        found = errand.in_processes(scripts, jobs) if jobs > 1 else errand.here(scripts)
        reports = [report for report in found if report is not None]
    if chosen is not None and not reports:
        raise GradcliError(
            "usage", f"-k {chosen}: no path and no statement has this text", hint="leave -k out"
        )
    if junit is not None:
        from gradcli.report import expectations

        with writing(junit) as stream:
            stream.write(expectations.junit(reports).encode())
    show.write("expectations", reports)
    return 0 if all(report.passed for report in reports) else 1


command = expanded(_command, shows="expectations")


def _scripts(paths: Sequence[str]) -> Iterator[str]:
    """The files, and those inside folders in the order of their names; each once."""
    seen: set[str] = set()
    for path in paths:
        for script in _inside(path) if os.path.isdir(path) else [path]:
            if script not in seen:
                seen.add(script)
                yield script


def _inside(folder: str) -> list[str]:
    """The scripts in a folder. GitHub knows files by their paths from the top, without a `./`."""
    from gradcli.data.text import SCRIPT

    scripts = [
        os.path.join(where, name).removeprefix("./")
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(SCRIPT) and not os.path.isdir(os.path.join(where, name))
    ]
    if not scripts:
        raise GradcliError(
            "file", f"there is no {SCRIPT} file in {folder!r}", hint="name a file, or its folder"
        )
    return sorted(scripts)
