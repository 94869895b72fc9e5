"""`gradcli batch`: many programs in, one line of JSON each out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from gradcli import __version__
from gradcli.cli import options as flag
from gradcli.cli import shell, streams
from gradcli.cli.bundles import expanded
from gradcli.cli.cluster import Many
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.batch.answer import Settings
    from gradcli.batch.items import Item
    from gradcli.batch.progress import Progress
    from gradcli.batch.reader import Reader

EXAMPLES = """\b
Examples:
  echo '{"id": 1, "program": "x**2", "set": {"x": 3}}' | gradcli batch
  gradcli batch records.jsonl --jobs 4 > answers.jsonl
  gradcli batch records.jsonl --out run.jsonl
  gradcli batch records.jsonl --out run.jsonl --resume
  gradcli batch --program "mean((2*x)**3)" < inputs.jsonl | jq .grads.x
  gradcli batch samples/euler.grad samples/newton.grad --values all
"""

DONE, FINDING = 0, 1

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILES]",
        help="Files of JSON lines or of one program a line, .grad files (one record each), or - "
        "for standard input.",
        show_default=False,
        autocompletion=shell.paths,
    ),
]
DefaultProgram = Annotated[
    str | None,
    typer.Option("--program", metavar="TEXT", help="The program of records that have none."),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", metavar="N", min=1, max=1024, help="Processes; results do not depend on it."
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write to FILE, with a journal (FILE.journal) from which a run can be resumed.",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue a run with --out that was interrupted.")
]
Portion = Annotated[
    int,
    typer.Option(
        "--portion",
        metavar="N",
        min=1,
        max=1_000_000,
        help="With --cluster: records that a worker gets at a time; results do not depend on it.",
    ),
]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="Stop at the first error.")]
AllowFiles = Annotated[
    bool, typer.Option("--allow-files", help='Let records name files: {"set": {"x": "@x.npy"}}.')
]
RunSeed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="Seed for records without one: each gets its own from this and its index.",
    ),
]


def _command(
    bounds: flag.Bounds,
    many: Many,
    files: Files = None,
    program: DefaultProgram = None,
    file: flag.ProgramFile = None,
    jobs: Jobs = 1,
    out: Out = None,
    resume: Resume = False,
    fail_fast: FailFast = False,
    portion: Portion = 1000,
    allow_files: AllowFiles = False,
    strict: flag.Strict = False,
    dtype: flag.Dtype = "float64",
    device: flag.Device = "cpu",
    seed: RunSeed = 0,
    values: flag.Values = "outputs",
    quiet: flag.Quiet = False,
) -> int:
    """Run many programs: for each line read, one line of JSON is written, in the same order.

    A record is {"program", "set", "gradient", "output", "wrt", "seed", "id"}. A record with an
    error is answered with the error, and the run goes on with the next. What is noted of a program,
    as operands that both grow by broadcasting, stands in "notes" of its answers.
    """
    from gradcli.batch.answer import Settings
    from gradcli.batch.journal import SUFFIX, Journal
    from gradcli.batch.progress import Progress
    from gradcli.batch.reader import Reader
    from gradcli.batch.supervisor import Supervisor
    from gradcli.session import Options

    many.require_nothing()
    if resume and not out:
        raise GradcliError("usage", "--resume continues a run with --out: name its file")
    if allow_files and bounds.safe:
        raise GradcliError("usage", "--allow-files opens files, and --safe opens none")
    allowed = bounds.limits()
    settings = Settings(
        Options(
            values=values,
            strict=strict,
            precision=dtype,
            device=device,
            # The same on all machines: a limit stands in messages, and decides about plans.
            limits=allowed.shared(jobs if many.cluster is None else 1),
        ),
        program=_default_program(program, file, allowed.parse.source_bytes),
        seed=seed,
        allow_files=allow_files,
        written=(out, out + SUFFIX) if out else (),
        timeout=bounds.seconds(),
        safe=bounds.safe,
    )
    sources = _sources(files or [])
    reader = Reader(sources, allowed.parse.source_bytes)

    def on_cluster(sink: ProgressSink) -> bool:
        from gradcli.batch.cluster import ClusterSupervisor

        with many.connected("gradcli.batch.remote", jobs) as found:
            supervisor = ClusterSupervisor(
                settings, reader, sink, found, portion=portion, fail_fast=fail_fast,
                mixed=many.mixed,
            )  # fmt: skip
            sink.count_workers(supervisor.crew.workers)
            done = supervisor.run()
        if supervisor.mixture.differences and not quiet:
            differing = "; ".join(supervisor.mixture.differences)
            streams.write_error(f"gradcli batch: machines were mixed: {differing}\n")
        return done

    def supervise(sink: ProgressSink) -> bool:
        if many.cluster is not None:
            return on_cluster(sink)
        supervisor = Supervisor(settings, reader, sink, jobs, fail_fast=fail_fast)
        done = supervisor.run()
        if supervisor.shortage and not quiet:
            streams.write_error(f"gradcli batch: {supervisor.shortage}\n")
        return done

    if out is None:
        progress = Progress()
        with (
            streams.output() as stream,
            ProgressSink(_writer(stream), progress, reader, quiet) as sink,
        ):
            supervise(sink)
        return FINDING if progress.failed else DONE
    inputs = [*sources, file] if file else sources
    configuration = _configuration(settings, allowed.memory)
    with closing(Journal(out, configuration, resume=resume, inputs=inputs)) as journal:
        if allow_files:
            journal.require_results()
        journal.skip(reader)
        progress = Progress(journal.done, journal.failed)
        with ProgressSink(journal.write, progress, reader, quiet) as sink:
            if not (journal.finished or (fail_fast and journal.last_failed)):
                journal.start()
                if supervise(sink):
                    journal.finish(progress.done)
    return FINDING if progress.failed else DONE


command = expanded(_command)


class ProgressSink:
    """Writes the answers; shows a progress bar on standard error, and a summary line at the end."""

    def __init__(
        self,
        keep: Callable[[Sequence[Item]], None],
        progress: Progress,
        reader: Reader,
        quiet: bool,
    ) -> None:
        self._keep = keep
        self._progress = progress
        self._reader = reader
        self._quiet = quiet
        self._bar = not quiet and streams.errors_are_seen()
        self._shares = self._bar and sys.stdout is not None and sys.stdout.isatty()
        """Whether answers come to the same screen."""
        self._shown = ""
        """The bar, as it was drawn last."""

    def __enter__(self) -> ProgressSink:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._clear()
        if not self._quiet and kind is not BrokenPipeError:
            streams.write_error(self._progress.summary("" if kind is None else "ended early,"))

    def count_workers(self, workers: Callable[[], int]) -> None:
        """Show how many workers there are."""
        self._progress.workers = workers

    def write(self, items: Sequence[Item]) -> None:
        """Keep some answers."""
        if self._shares:
            self._clear()
        self._keep(items)
        self._progress.add(items)
        if self._shares:
            streams.write_error(self._shown)

    def tick(self) -> None:
        """Draw the bar, if it is time to."""
        if self._bar and self._progress.is_due():
            total = self._reader.total_bytes
            self._shown = self._progress.bar(self._reader.bytes_read / total if total else None)
            streams.write_error(self._shown)

    def _clear(self) -> None:
        """Remove the bar, so that a line can be written in its place."""
        if self._bar:
            streams.write_error(streams.CLEAR)


def _writer(stream: TextIO) -> Callable[[Sequence[Item]], None]:
    def write(items: Sequence[Item]) -> None:
        stream.buffer.write(b"".join(item.result() for item in items))
        stream.buffer.flush()

    return write


def _default_program(program: str | None, file: str | None, limit: int) -> str | None:
    """The program of records that have none."""
    if file is None:
        return program
    if program is not None:
        raise GradcliError(
            "usage", "there are two programs: --program and --file", hint="give one of them"
        )
    from gradcli.data.text import open_binary, read_text

    with open_binary(file) as stream:
        return read_text(stream, file, limit)


def _sources(files: Sequence[str]) -> list[str]:
    """The files or streams of records. Raises `usage` at a terminal, rather than wait for input."""
    if not files and not streams.input_is_piped():
        raise GradcliError(
            "usage",
            "there are no records: usage is gradcli batch FILES, or a pipe",
            hint='echo \'{"program": "x**2", "set": {"x": 3}}\' | gradcli batch',
        )
    if list(files).count("-") > 1:
        raise GradcliError("usage", "standard input can be read once", hint="give one -")
    return list(files) or ["-"]


def _configuration(settings: Settings, memory: int) -> dict[str, object]:
    """What must be the same when a run is resumed, under the names of the flags."""
    from hashlib import blake2b

    options, program = settings.options, settings.program
    digest = None if program is None else blake2b(program.encode(), digest_size=16).hexdigest()
    return {
        "version of gradcli": __version__,
        "--program": digest,
        "--dtype": options.precision,
        "--values": options.values,
        "--seed": settings.seed,
        "--strict": options.strict,
        "--allow-files": settings.allow_files,
        "--max-memory": memory,
        "--max-steps": options.limits.trace.steps,
        "--safe": options.limits.parse.source_bytes,
    }
