"""Flags and arguments that several commands have: each is declared once, here, and so are the
bundles in which they arrive (see `gradcli.cli.bundles`).

Only what `--help` needs is imported; numpy is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from gradcli.cli import shell, streams
from gradcli.cli.bundles import Bundle
from gradcli.cli.formats import FORMATS, UNASKED
from gradcli.diagnostics import GradcliError

if TYPE_CHECKING:
    from gradcli.analysis.near import KinksWanted
    from gradcli.cli.request import Invocation, Load
    from gradcli.diagnostics import Note
    from gradcli.options import Limits, Options
    from gradcli.report.layout import Layout

Piece: TypeAlias = "str | bytes"
"""A part of an answer; only files that are no text are bytes."""

Program = Annotated[
    str | None,
    typer.Argument(
        metavar="[PROGRAM]",
        help="The program's text, or a file FILE.grad; - or nothing reads standard input.",
        show_default=False,
        autocompletion=shell.scripts,
    ),
]
ProgramFile = Annotated[
    str | None,
    typer.Option(
        "--file",
        "-f",
        metavar="FILE",
        help="Read the program from a file.",
        autocompletion=shell.scripts,
    ),
]

Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="NAME=VALUE",
        help="Bind an input: [[1,2],[3,4]], 1,2, linspace(0,1,5), randn(2,2), or @FILE "
        "(.npy, .npz:KEY, .csv:COLUMN, .json:KEY, .safetensors:KEY, .zarr/NAME, .h5:/NAME; "
        "gradcli help data), @- for standard input. Repeatable.",
        autocompletion=shell.bindings,
    ),
]
Gradients = Annotated[
    list[str] | None,
    typer.Option(
        "--gradient",
        "-g",
        metavar="[NAME=]VALUE",
        help="The gradient of the output, or of output NAME: 1,0 or @FILE. Each repeat is one "
        "more backward pass.",
        autocompletion=shell.bindings,
    ),
]
Tangents = Annotated[
    list[str] | None,
    typer.Option(
        "--tangent",
        "-t",
        metavar="[NAME=]VALUE",
        help="How a leaf moves: 1,0 or @FILE. Repeatable, once a leaf.",
        autocompletion=shell.bindings,
    ),
]
Vectors = Annotated[
    list[str] | None,
    typer.Option(
        "--vector",
        "-u",
        metavar="[NAME=]VALUE",
        help="How a leaf moves: 1,0 or @FILE. Repeatable, once a leaf.",
        autocompletion=shell.bindings,
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="EXPR",
        help="What is differentiated, instead of the last value: a name, or y[1]. Repeatable.",
        autocompletion=shell.names,
    ),
]
Wrt = Annotated[
    list[str] | None,
    typer.Option(
        "--wrt",
        "-w",
        metavar="NAMES",
        help="What to differentiate by: a or a,b.",
        autocompletion=shell.names,
    ),
]
RetainGrad = Annotated[
    list[str] | None,
    typer.Option(
        "--retain-grad",
        metavar="NAMES|all",
        help="Keep the gradients of these intermediates too.",
        autocompletion=shell.names,
    ),
]
Accumulate = Annotated[
    bool,
    typer.Option("--accumulate", help="Let passes add up, as .grad does in PyTorch."),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Refuse to broadcast a gradient, operands that both grow, and what check leaves open.",
    ),
]
Forward = Annotated[bool, typer.Option("--forward", help="Only values, no backward pass.")]

Dtype = Annotated[
    Literal["float64", "float32"],
    typer.Option("--dtype", help="The floating-point type of the run."),
]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="<cpu|gpu|gpu:N|auto>",
        help="Where to compute; gpu:1 is the second GPU, and auto takes the first if there is one "
        "and arrays are large.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="Seed of random numbers; without one it is drawn and shown.",
        show_default=False,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=1,
        help="Threads to use, at most; results do not depend on it.",
        show_default=False,
    ),
]

Values = Annotated[
    Literal["all", "outputs", "none"],
    typer.Option("--values", help="Which values are kept and shown."),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object; the same as --format json.")
]
Format = Annotated[str, typer.Option("--format", help="What to print.")]
Tree = Annotated[
    bool | None,
    typer.Option(
        "--tree/--no-tree",
        help="Show all of the graph as a tree, or nothing of it. [default: the first lines]",
        show_default=False,
    ),
]
Precision = Annotated[
    int,
    typer.Option("--precision", metavar="N", min=1, max=17, help="Digits of numbers in text."),
]
Color = Annotated[
    Literal["auto", "always", "never"], typer.Option("--color", help="Colour in text.")
]
Save = Annotated[
    str | None,
    typer.Option(
        "--save",
        metavar="FILE",
        help="Write outputs and gradients (NAME.grad) to FILE.npz, .json, .zarr or .h5, or the "
        "only gradient to FILE.npy or .csv.",
    ),
]
SaveMatrix = Annotated[
    str | None,
    typer.Option(
        "--save",
        metavar="FILE",
        help="Write the numbers to FILE.npz, .npy, .csv, .json, .zarr or .h5.",
    ),
]
Sparsity = Annotated[
    bool,
    typer.Option("--sparsity", help="Show where entries may differ from 0, not the numbers."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]

MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        help="Memory for values: 2G, 512M, or bytes. [default: three quarters of the machine's]",
    ),
]
MaxSteps = Annotated[
    int | None,
    typer.Option(
        "--max-steps",
        metavar="N",
        min=1,
        help="Steps of loops and calls. [default: 1000000]",
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        "--timeout",
        metavar="TIME",
        help="Stop after this time: 30 (seconds), 500ms, 5m, 2h; batch and test limit each record "
        "or script.",
    ),
]
Unroll = Annotated[
    bool,
    typer.Option(
        "--unroll", help="Trace every pass of a loop, also where passes could be one node."
    ),
]
Safe = Annotated[
    bool,
    typer.Option("--safe", help="For untrusted programs: strict limits, and no files."),
]


# --- bundles -------------------------------------------------------------------------------


class Bounds(Bundle):
    """The limits of a run."""

    max_memory: MaxMemory = None
    max_steps: MaxSteps = None
    timeout: Timeout = None
    safe: Safe = False

    def limits(self) -> Limits:
        """The limits that flags give; for the others the defaults, or the strict ones if `safe`."""
        from gradcli.cli.request import parse_size
        from gradcli.options import SAFE, Limits

        chosen = SAFE if self.safe else Limits()
        if self.max_memory is not None:
            chosen = chosen._replace(memory=parse_size(self.max_memory))
        if self.max_steps is not None:
            chosen = chosen._replace(trace=chosen.trace._replace(steps=self.max_steps))
        return chosen

    def seconds(self) -> float | None:
        """The most seconds that a run may take."""
        from gradcli.cli.deadline import SAFE_SECONDS
        from gradcli.cli.request import parse_seconds

        if self.timeout is None:
            return SAFE_SECONDS if self.safe else None
        return parse_seconds("--timeout", self.timeout)

    def confined(self) -> AbstractContextManager[None]:
        """The deadline of a command and, if it is `safe`, its sandbox."""
        from gradcli.cli.deadline import confined

        return confined(self.seconds(), self.limits().memory_bytes(), safe=self.safe)


class Run(Bundle):
    """A program, what its inputs are bound to, and how it is run."""

    program: Program = None
    file: ProgramFile = None
    set_: Inputs = None
    output: Outputs = None
    wrt: Wrt = None
    dtype: Dtype = "float64"
    device: Device = "cpu"
    seed: Seed = None
    threads: Threads = None
    unroll: Unroll = False
    strict: Strict = False
    bounds: Bounds

    def options(self, **more: Any) -> Options:
        """The options for `gradcli.session`; `more` is for the flags of one command."""
        from gradcli.cli.request import parse_device, parse_names, parse_outputs
        from gradcli.options import Options

        return Options(
            outputs=parse_outputs(self.output or ()),
            wrt=parse_names("--wrt", self.wrt or ()),
            precision=self.dtype,
            device=parse_device(self.device, safe=self.bounds.safe),
            threads=self.threads,
            seed=self.seed,
            limits=self.bounds.limits(),
            **({"unroll": self.unroll, "strict": self.strict} | more),
        )

    def request(
        self,
        gradients: Sequence[str] | None,
        options: Options,
        later: Sequence[tuple[str, str]] = (),
        load: Load | None = None,
    ) -> Invocation:
        """The program and all values, read: see `gradcli.cli.request.read_request`."""
        from gradcli.cli.request import read_request

        return read_request(
            self.program,
            self.file,
            self.set_ or (),
            gradients or (),
            options,
            safe=self.bounds.safe,
            later=later,
            load=load,
        )


class Kinks(Bundle):
    """What is told of kinks and ties."""

    kinks: Annotated[
        bool,
        typer.Option(
            "--kinks", help="List kinks and ties with how far the values are from the nearest one."
        ),
    ] = False
    as_: Annotated[
        Literal["torch", "jax", "numpy", "tensorflow"] | None,
        typer.Option(
            "--as",
            help="Tell what the derivative at a kink or tie is in this framework.",
            show_default=False,
        ),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether anything is asked that is not told anyway."""
        return self.kinks or self.as_ is not None

    def wanted(self) -> KinksWanted:
        """The same for `gradcli.analysis.near`."""
        from gradcli.analysis.near import KinksWanted

        return KinksWanted(self.kinks, self.as_ or "")


class Show(Bundle):
    """How an answer is shown. `--format` offers what `gradcli.cli.formats` has."""

    json: Json = False
    format_: Format = "text"
    precision: Precision = 6
    color: Color = "auto"
    quiet: Quiet = False

    def format(self) -> str:
        """What `--format` names, or JSON. Raises `usage` for `--json` with another format."""
        if self.json and self.format_ not in {"json", *UNASKED}:
            raise GradcliError(
                "usage", f"--json and --format {self.format_} are two formats", hint="give one"
            )
        return "json" if self.json else self.format_

    def layout(self, tree: bool | None = False) -> Layout:
        """The size of what text is laid out for."""
        from gradcli.report.layout import Layout

        return Layout(
            streams.width(),
            self.precision,
            not streams.speaks_unicode(),
            streams.use_colour(self.color),
            tree,
        )

    def written(self, kind: str, answer: Any, tree: bool | None = False) -> Iterable[Piece]:
        """The text of an answer of some kind, in pieces. Raises `usage` where it has no such
        format.
        """
        if self.format() not in FORMATS[kind]:
            offered = ", ".join(FORMATS[kind])
            raise GradcliError("usage", f"{kind} are shown as {offered}, not {self.format()}")
        module, _, name = FORMATS[kind][self.format()].partition(":")
        pieces: Iterator[Piece] = getattr(import_module(module), name)(answer, self.layout(tree))
        return pieces

    def write(self, kind: str, answer: Any, tree: bool | None = False) -> None:
        """Print an answer, unless nothing is to be printed."""
        if not self.quiet:
            pieces = self.written(kind, answer, tree)
            with streams.output() as stream:
                for piece in pieces:
                    streams.write(stream, piece)

    def remark(self, notes: Iterable[Note]) -> None:
        """Print notes on standard error, where the answer is a picture and has no room for them."""
        if not self.quiet:
            from gradcli.report.sanitise import sanitise

            for message in dict.fromkeys(note.message for note in notes):
                streams.write_error(f"note: {sanitise(message)}\n")
