"""gradcli: differentiate tensor expressions, from the command line and from Python.

    from gradcli import check, compile, derive, evaluate, explain, grad

is explained in `gradcli.api`, which is imported when one of these names is asked for.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False  # the command line imports this file, and `typing` takes time
if TYPE_CHECKING:
    from gradcli.api import Answer as Answer
    from gradcli.api import Compiled as Compiled
    from gradcli.api import Judgement as Judgement
    from gradcli.api import Page as Page
    from gradcli.api import check as check
    from gradcli.api import compile as compile
    from gradcli.api import derive as derive
    from gradcli.api import evaluate as evaluate
    from gradcli.api import explain as explain
    from gradcli.api import grad as grad
    from gradcli.diagnostics import GradcliError as GradcliError

_OFFERED = (
    "Answer", "Compiled", "GradcliError", "Judgement", "Page",
    "check", "compile", "derive", "evaluate", "explain", "grad",
)  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gradcli import api

    return getattr(api, name)


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext gradcli` calls in a notebook."""
    from gradcli.integrations import notebook

    notebook.load(shell)


def __dir__() -> list[str]:
    return [*globals(), *_OFFERED]
