"""Pages that need nothing but themselves: one file, and a policy that lets no other part of the
world in, nor any script or style but the page's own.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from xml.etree.ElementTree import Element

from gradcli.report.elements import markup
from gradcli.report.sanitise import sanitise

_FRAME = "40em"
_ASSETS = Path(__file__).with_name("assets")


def page(title: str, content: Sequence[Element]) -> str:
    """A whole page. Without JavaScript it shows all that it has, one below the other."""
    style, script = (_asset(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    body = "\n".join(map(markup, content))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(sanitise(title))}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def frame(page: str) -> str:
    """A whole page inside another: it has its own policy, and reaches nothing of that around it."""
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="gradcli" '
        f'style="width: 100%; height: {_FRAME}; border: 0"></iframe>'
    )


def _asset(name: str) -> str:
    """The text of a file of this package; it must not hold the end of its own element."""
    return (_ASSETS / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """The hash by which a policy knows a script or a style."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
