"""Flags and arguments that commands share: each is declared once, here.

Only what `--help` needs is imported; numpy is not.
"""

from typing import Annotated, Literal

import typer

Program = Annotated[
    str | None,
    typer.Argument(
        metavar="[PROGRAM]",
        help="The program's text; - or nothing reads it from standard input.",
        show_default=False,
    ),
]
ProgramFile = Annotated[
    str | None,
    typer.Option("--file", "-f", metavar="FILE", help="Read the program from a file."),
]

Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="NAME=VALUE",
        help="Bind an input: [[1,2],[3,4]], 1,2, linspace(0,1,5), randn(2,2), or @FILE "
        "(.npy, .npz:KEY, .json, .csv, .txt), @- for standard input. Repeatable.",
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
    ),
]
Tangents = Annotated[
    list[str] | None,
    typer.Option(
        "--tangent",
        "-t",
        metavar="[NAME=]VALUE",
        help="How a leaf moves: 1,0 or @FILE. Repeatable, once a leaf.",
    ),
]
Vectors = Annotated[
    list[str] | None,
    typer.Option(
        "--vector",
        "-u",
        metavar="[NAME=]VALUE",
        help="How a leaf moves: 1,0 or @FILE. Repeatable, once a leaf.",
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="NAME",
        help="What is differentiated, instead of the last statement's value. Repeatable.",
    ),
]
Wrt = Annotated[
    list[str] | None,
    typer.Option("--wrt", "-w", metavar="NAMES", help="What to differentiate by: a or a,b."),
]
RetainGrad = Annotated[
    list[str] | None,
    typer.Option(
        "--retain-grad",
        metavar="NAMES|all",
        help="Keep the gradients of these intermediates too.",
    ),
]
Accumulate = Annotated[
    bool,
    typer.Option("--accumulate", help="Let passes add up, as .grad does in PyTorch."),
]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Refuse a gradient that has to be broadcast."),
]
Forward = Annotated[bool, typer.Option("--forward", help="Only values, no backward pass.")]

Dtype = Annotated[
    Literal["float64", "float32"],
    typer.Option("--dtype", help="The floating-point type of the run."),
]
Device = Annotated[
    Literal["cpu", "gpu", "auto"],
    typer.Option(
        "--device",
        help="Where to compute; auto is a GPU where there is one and arrays are large.",
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
Format = Annotated[Literal["text", "json", "csv"], typer.Option("--format", help="What to print.")]
TextOrJson = Annotated[Literal["text", "json"], typer.Option("--format", help="What to print.")]
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
        help="Write outputs and gradients (NAME.grad) to FILE.npz, or the only gradient to "
        "FILE.npy.",
    ),
]
SaveMatrix = Annotated[
    str | None,
    typer.Option("--save", metavar="FILE", help="Write the numbers to FILE.npz or FILE.npy."),
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
        help="Steps of loops and calls. [default: 100000]",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0.001, help="Stop after this time."),
]
Safe = Annotated[
    bool,
    typer.Option("--safe", help="For text from strangers: strict limits, and no files."),
]
