"""Elements of HTML, SVG and MathML: what they hold is text or other elements, never markup, so no
name, number or string of a program can become part of a page's structure.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, tostring

from gradcli.report.sanitise import sanitise


def element(tag: str, *content: str | Element, **attributes: str | float | bool) -> Element:
    """An element with text and elements in it.

    Of the attributes' names a last `_` is left out and others are hyphens; True is an attribute
    without a value, and False is none.
    """
    found = Element(tag)
    for name, value in attributes.items():
        if value is not False:
            title = name.removesuffix("_").replace("_", "-")
            found.set(title, "" if value is True else sanitise(str(value)))
    for each in content:
        if isinstance(each, Element):
            found.append(each)
        elif len(found):
            found[-1].tail = (found[-1].tail or "") + sanitise(each)
        else:
            found.text = (found.text or "") + sanitise(each)
    return found


def markup(found: Element) -> str:
    """As HTML."""
    return tostring(found, encoding="unicode", method="html")
