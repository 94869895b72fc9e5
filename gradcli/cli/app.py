"""The typer application: the list of commands, and how the one that is called is found."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from importlib import import_module
from inspect import cleandoc  # noqa: TID253 (typer imports it)
from typing import Annotated

import typer

from gradcli import __version__
from gradcli.cli.streams import output, use_colour, width
from gradcli.diagnostics import GradcliError, nearest

COMMANDS = {
    "eval": ("gradcli.cli.eval", "Values and gradients of a program."),
    "test": ("gradcli.cli.test", "Run scripts, and check the expectations in them."),
    "check": ("gradcli.cli.check", "Is this gradient right? Against differences and complex step."),
    "explain": ("gradcli.cli.explain", "The chain rule, step by step, with this run's numbers."),
    "derive": ("gradcli.cli.derive", "The gradient as a program, simplified."),
    "graph": ("gradcli.cli.graph", "The graph as a tree, DOT, Mermaid, JSON, SVG or a page."),
    "plot": ("gradcli.cli.plot", "A curve and its derivative over a range of one input."),
    "repl": ("gradcli.cli.repl", "An interactive session."),
    "quiz": ("gradcli.cli.quiz", "Exercises on gradients, and worksheets of them."),
    "batch": ("gradcli.cli.batch", "Many programs in, one line of JSON each out."),
    "ops": ("gradcli.cli.ops", "List all functions, or explain one."),
    "jacobian": ("gradcli.cli.jacobian", "The Jacobian, with labelled rows and columns."),
    "hessian": ("gradcli.cli.hessian", "The Hessian, its symmetry and definiteness."),
    "jvp": ("gradcli.cli.jvp", "The Jacobian times a tangent."),
    "help": ("gradcli.cli.help", "What the language understands."),
    "hvp": ("gradcli.cli.hvp", "The Hessian times a vector."),
    "lsp": ("gradcli.cli.lsp", "A language server, for editors."),
}
"""By name: the module with `command` and `EXAMPLES`, and the line in `gradcli --help`."""

EXAMPLES = """\b
Examples:
  gradcli eval "z = (2*x)**3; out = mean(z)" --set x="[[1,2],[3,4]]"
  gradcli eval "y = x**2" --set x=1,2,3 --gradient 1,0.1,0.01 --json
  gradcli eval --help
"""

_SHORT_WITH_EQUALS = re.compile(r"(-[A-Za-z])=(.*)", re.DOTALL)


def invoke(arguments: Sequence[str]) -> int:
    """Run the command that `arguments` ask for and return its exit code.

    Raises GradcliError, and typer's TyperException for mistakes in the command line.
    """
    if "_GRADCLI_COMPLETE" in os.environ:  # the shell asks for completions
        _complete()
        return 0
    name = next((text for text in arguments if not text.startswith("-")), "")
    if name and name not in COMMANDS:
        raise _unknown_command(name)
    application = _application([name], [name]) if name else _application(COMMANDS, [])
    command = typer.main.get_command(application)
    context = command.make_context("gradcli", _split_equals(arguments))
    with context, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's; notes say what overflowed
        status = command.invoke(context)
    return status if isinstance(status, int) else 0


def _complete() -> None:
    from gradcli.cli import completion

    def application(name: str) -> typer.core.TyperGroup:
        loaded = [name] if name in COMMANDS else []
        command = typer.main.get_command(_application(COMMANDS, loaded))
        assert isinstance(command, typer.core.TyperGroup)
        return command

    with output() as stream:
        stream.write(completion.answer(application))


class _Group(typer.core.TyperGroup):
    """The whole, whose `--help` fits the terminal, and has colour."""

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        return _shown(super().get_help(ctx))


class _Command(typer.core.TyperCommand):
    """A command whose `--help` fits the terminal, and has colour."""

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        return _shown(super().get_help(ctx))


def _shown(text: str) -> str:
    """The text of `--help` for this terminal: typer folds its prose, but not the examples."""
    from gradcli.report import paint
    from gradcli.report.prose import narrowed

    narrow = narrowed(text, width())
    return paint.usage(narrow) if use_colour("auto") else narrow


def _application(names: Iterable[str], loaded: Collection[str]) -> typer.Typer:
    """The application with the commands of these names, but only those in `loaded` imported."""
    app = typer.Typer(
        cls=_Group,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, help=_help(EXAMPLES, _root))(_root)
    for name in names:
        module, summary = COMMANDS[name]
        if name in loaded:
            imported = import_module(module)
            told = _help(imported.EXAMPLES, imported.command)
            app.command(name, cls=_Command, short_help=summary, help=told)(imported.command)
        else:
            app.command(name, short_help=summary)(_not_loaded)
    return app


def _help(examples: str, command: Callable[..., object]) -> str:
    """What `--help` says above the flags: examples first, as most people look for one."""
    return f"{examples}\n{cleandoc(command.__doc__ or '')}"


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="With --version: those of packages and extras, too.")
    ] = False,
    install_completion: Annotated[
        bool,
        typer.Option("--install-completion", help="Let this shell complete what you type, by Tab."),
    ] = False,
    show_completion: Annotated[
        bool, typer.Option("--show-completion", help="Show the script that does so.")
    ] = False,
) -> None:
    """Differentiate tensor expressions: values, gradients, the graph, and why."""
    if install_completion or show_completion:
        from gradcli.cli import completion

        with output() as stream:
            stream.write(completion.install() if install_completion else completion.shown())
        raise typer.Exit
    if version:
        with output() as stream:
            stream.write(f"gradcli {__version__}\n")
            if verbose:
                stream.writelines(_versions())
        raise typer.Exit
    if context.invoked_subcommand is None:
        raise GradcliError(
            "usage",
            "no command is given",
            hint='gradcli eval "y = x**2" --set x=3, or gradcli --help',
        )


def _versions() -> Iterator[str]:
    """What gradcli runs on, and which extras are there, in lines."""
    from platform import python_version

    from gradcli.extras import EXTRAS, installed

    found = installed()
    yield f"Python {python_version()}\n"
    extras = {extra.package: (name, extra.what) for name, extra in EXTRAS.items()}
    for package, number in found.items():
        name, what = extras.get(package, ("", ""))
        missing = f"not installed: pip install 'gradcli[{name}]'"
        yield f"{package} {number or missing}{f'  ({what})' if what else ''}\n"


def _not_loaded() -> None:
    """The command function of commands that are listed but not imported."""


def _split_equals(arguments: Sequence[str]) -> list[str]:
    """`-g=1,2` as `-g 1,2`; what comes after `--` stays."""
    split: list[str] = []
    for position, argument in enumerate(arguments):
        if argument == "--":
            return [*split, *arguments[position:]]
        short = _SHORT_WITH_EQUALS.fullmatch(argument)
        split.extend(short.groups() if short else (argument,))
    return split


def _unknown_command(name: str) -> GradcliError:
    near = nearest(name, COMMANDS)
    if near:
        hint = f"did you mean {near}?"
    elif name.isidentifier():
        hint = "gradcli --help lists the commands"
    else:
        hint = "a program goes behind the command: gradcli eval PROGRAM"
    return GradcliError("usage", f"there is no command {name!r}", hint=hint)
