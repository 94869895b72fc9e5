"""`gradcli test`: run scripts, and check the expectations in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.bundles import expanded
from gradcli.diagnostics import GradcliError, Source

if TYPE_CHECKING:
    from gradcli.analysis.expectations import Report
    from gradcli.session import Options

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

SUFFIX = ".grad"
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES...", help="Scripts, or folders with .grad files.", show_default=False
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
    str | None, typer.Option("--junit", metavar="FILE", help="Write a report as JUnit's XML.")
]


def _command(
    files: Files,
    show: flag.Show,
    bounds: flag.Bounds,
    update: Update = False,
    junit: Junit = None,
    dtype: flag.Dtype = "float64",
    seed: Seed = 0,
    strict: flag.Strict = False,
) -> int:
    """Run scripts and check their expectations: #= value, #= value ± tolerance, #! error.

    Exits with 1 if one does not hold. --timeout is for each script; --safe reads the scripts and
    nothing else, and writes nothing.
    """
    from gradcli.cli.deadline import deadline, enter_box
    from gradcli.data.replace import check_stream_target, require_regular, writing
    from gradcli.session import Options

    if bounds.safe and (update or junit is not None):
        raise GradcliError("usage", "--update and --junit write files, and --safe writes none")
    scripts = list(_scripts(files))
    for path in scripts:
        require_regular(path)
    if junit is not None:
        check_stream_target(junit, scripts)
    options = Options(
        precision=dtype,
        seed=seed,
        strict=strict,
        limits=bounds.limits(),
    )
    if bounds.safe:
        enter_box(options.limits.memory_bytes(), None)
    reports = []
    for path in scripts:
        with deadline(bounds.seconds()):
            report = _check(path, options)
            if update and not report.passed:
                report = _update(path, report, options)
        reports.append(report)
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
    scripts = [
        os.path.join(where, name)
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(SUFFIX) and not os.path.isdir(os.path.join(where, name))
    ]
    if not scripts:
        raise GradcliError(
            "file", f"there is no {SUFFIX} file in {folder!r}", hint="name a file, or its folder"
        )
    return sorted(scripts)


def _check(path: str, options: Options) -> Report:
    """Read and run one script; what is wrong with it is part of the report."""
    from gradcli.analysis.expectations import Report, check
    from gradcli.data.text import open_binary, read_text
    from gradcli.language.parser import parse_program

    limits = options.limits.parse
    with open_binary(path) as stream:
        try:
            source = Source(path, read_text(stream, path, limits.source_bytes))
            return check(parse_program(source, limits), options)
        except GradcliError as error:
            return Report(Source(path, ""), [], error.diagnostic)


def _update(path: str, report: Report, options: Options) -> Report:
    """Rewrite the script, and check it again."""
    from gradcli.data.replace import replacing
    from gradcli.report.expectations import updated

    text = updated(report)
    if text == report.source.text:
        return report
    with replacing(path) as stream:
        stream.write(text.encode())
        stream.flush()
        os.fsync(stream.fileno())  # it replaces the user's own text, which no run could restore
    return _check(path, options)
