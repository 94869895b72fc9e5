"""`gradcli help`: what the language understands, and other things too long for `--help`."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.cli.streams import output
from gradcli.diagnostics import GradcliError, nearest

EXAMPLES = """\b
Examples:
  gradcli help language
"""

TOPICS = {
    "language": "every construct, with an example",
    "data": "the files and stores that values come from and go to",
    "command": "check the gradient of a program in any language",
}

Topic = Annotated[
    str | None, typer.Argument(metavar="[TOPIC]", help=", ".join(TOPICS), show_default=False)
]


def command(topic: Topic = None) -> None:
    """Explain a topic; without one, list them."""
    if topic is not None and topic not in TOPICS:
        near = nearest(topic, TOPICS)
        raise GradcliError(
            "usage",
            f"there is no topic {topic!r}",
            hint=f"did you mean {near}?" if near else f"there are: {', '.join(TOPICS)}",
        )
    with output() as stream:
        if topic is None:
            stream.writelines(f"gradcli help {name}: {told}\n" for name, told in TOPICS.items())
            stream.write("gradcli --help lists the commands, gradcli ops the functions\n")
        else:
            stream.write(GUIDES[topic]())


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


GUIDES = {"language": language, "data": data, "command": command_protocol}
"""By topic: what writes its text."""
