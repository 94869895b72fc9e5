"""`gradcli help`: what the language understands, and other things too long for `--help`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from gradcli.cli import options as flag
from gradcli.cli.streams import output, use_colour, width
from gradcli.diagnostics import GradcliError, nearest
from gradcli.report import paint

EXAMPLES = """\b
Examples:
  gradcli help language
  gradcli help gradient
  gradcli help man > gradcli.1
"""

TOPICS = {
    "examples": "what one can ask, by example",
    "language": "every construct, with an example",
    "gradient": "the vector v, passes, and which names get a grad",
    "sessions": "backward and .grad in programs, as in PyTorch",
    "kinks": "where a derivative does not exist, and NaN",
    "formats": "how data and programs come in, and answers go out",
    "data": "the files and stores that values come from and go to",
    "cluster": "many machines: how workers start, with lines to paste",
    "command": "check the gradient of a program in any language",
    "compiler": "large arrays faster, with a C++ compiler",
    "exit-codes": "what the exit code tells",
    "man": "the manual page: gradcli help man > ~/.local/share/man/man1/gradcli.1",
}

Topic = Annotated[
    str | None,
    typer.Argument(
        metavar="[TOPIC]",
        help=", ".join(TOPICS),
        show_default=False,
        autocompletion=lambda incomplete: [name for name in TOPICS if name.startswith(incomplete)],
    ),
]


def command(topic: Topic = None, color: flag.Color = "auto") -> None:
    """Explain a topic; without one, list them."""
    if topic is not None and topic not in TOPICS:
        raise _no_topic(topic)
    with output() as stream:
        text = topics() if topic is None else GUIDES[topic]()
        if topic != "man":
            from gradcli.report.prose import narrowed

            text = narrowed(text, width())
        plain = topic in (None, "man") or not use_colour(color)
        stream.write(text if plain else paint.guide(text))


def _no_topic(word: str) -> GradcliError:
    """The error that says where a word is explained, if not here."""
    from gradcli.cli.app import COMMANDS
    from gradcli.ops import FUNCTIONS

    if word in COMMANDS:
        hint = f"gradcli {word} --help explains it"
        return GradcliError("usage", f"{word!r} is a command", hint=hint)
    if word in FUNCTIONS:
        hint = f"gradcli ops {word} explains it"
        return GradcliError("usage", f"{word!r} is a function", hint=hint)
    near = nearest(word, TOPICS)
    hint = f"did you mean {near}?" if near else f"there are: {', '.join(TOPICS)}"
    return GradcliError("usage", f"there is no topic {word!r}", hint=hint)


def topics() -> str:
    """What there is, a line each."""
    lines = [f"gradcli help {name}: {told}\n" for name, told in TOPICS.items()]
    return "".join([*lines, "gradcli --help lists the commands, gradcli ops the functions\n"])


def language() -> str:
    """The guide to the language."""
    from textwrap import indent

    from gradcli.language.guide import GUIDE, OUTSIDE

    parts = []
    for subject, constructs in GUIDE.items():
        parts.append(f"{subject}\n")
        for each in constructs:
            parts.append(f"  {each.title}: {each.meaning}\n")
            parts.append(indent(each.example, "      ") + "\n")
        parts.append("\n")
    parts.append("Not in the language\n")
    parts += [f"  {what}: {instead}\n" for what, instead in OUTSIDE]
    return "".join(parts)


def command_protocol() -> str:
    """The guide to `check --command`."""
    from gradcli.cli.command_guide import guide

    return guide()


def data() -> str:
    """The guide to `@` values and `--save`."""
    from gradcli.cli.data_guide import DATA

    return DATA


def cluster() -> str:
    """The guide to `--cluster`."""
    from gradcli.cli.cluster_guide import CLUSTER

    return CLUSTER


def _topic(name: str) -> Callable[[], str]:
    """The guide that `gradcli.cli.topics` holds under a name."""

    def text() -> str:
        from gradcli.cli import topics

        told: str = getattr(topics, name)
        return told

    return text


def man() -> str:
    """The manual page."""
    from gradcli.cli.app import COMMANDS
    from gradcli.cli.manual import manual

    return manual(COMMANDS, {name: guide() for name, guide in GUIDES.items() if guide is not man})


GUIDES = {
    "examples": _topic("EXAMPLES"),
    "language": language,
    "gradient": _topic("GRADIENT"),
    "sessions": _topic("SESSIONS"),
    "kinks": _topic("KINKS"),
    "formats": _topic("FORMATS"),
    "data": data,
    "cluster": cluster,
    "command": command_protocol,
    "compiler": _topic("COMPILER"),
    "exit-codes": _topic("EXIT_CODES"),
    "man": man,
}
"""By topic: what writes its text."""
