"""`gradcli lsp`: a language server, which editors start."""

from __future__ import annotations

import gc
import sys

from gradcli.diagnostics import GradcliError

EXAMPLES = """\b
Examples:
  gradcli lsp --help

\b
An editor starts `gradcli lsp`, and speaks with it through pipes. It needs the
extra: pip install 'gradcli[lsp]'
"""


def command() -> None:
    """Tell an editor what is wrong as one types; values, shapes and gradients of names; complete
    names; lay programs out.
    """
    try:
        from gradcli.integrations.lsp import serve
    except ImportError:
        raise GradcliError(
            "usage", "gradcli lsp needs pygls", hint="pip install 'gradcli[lsp]'"
        ) from None
    from gradcli.cli import streams

    if not streams.input_is_piped():
        raise GradcliError(
            "usage",
            "a language server is started by an editor, not at a terminal",
            hint="name the command `gradcli lsp` in the editor's settings for .grad files",
        )
    sys.setswitchinterval(0.0005)  # an answer waits for a program that runs, several times over
    server = serve()
    gc.collect()
    gc.freeze()  # what is there now stays: to look through it again and again takes 0.1 s each time
    server.start_io()
    sys.stdout = None  # it is closed
