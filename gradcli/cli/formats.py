"""The formats that answers can be shown in, and what writes each.

A writer takes the answer and a `Layout`, and yields pieces of text. It is imported when its format
is asked for. To add a format, write its function and name it here.
"""

from __future__ import annotations

FORMATS: dict[str, dict[str, str]] = {
    "result": {
        "text": "gradcli.report.text:write",
        "json": "gradcli.report.json:write",
        "csv": "gradcli.report.csv:write",
    },
    "matrices": {
        "text": "gradcli.report.text_matrices:write",
        "json": "gradcli.report.matrices:write_json",
        "csv": "gradcli.report.matrices:write_csv",
    },
    "check": {
        "text": "gradcli.report.text_check:write",
        "json": "gradcli.report.check:write",
    },
    "explanation": {
        "text": "gradcli.report.text_explain:write",
        "markdown": "gradcli.report.explain:write_markdown",
        "latex": "gradcli.report.explain:write_latex",
        "json": "gradcli.report.explain_json:write",
        "html": "gradcli.report.page:write",
        "xlsx": "gradcli.report.workbook:write",
    },
    "message": {
        "text": "gradcli.report.messages:write_text",
        "json": "gradcli.report.messages:write_json",
    },
    "graph": {
        "tree": "gradcli.report.text_tree:write",
        "dot": "gradcli.report.picture:write_dot",
        "mermaid": "gradcli.report.picture:write_mermaid",
        "json": "gradcli.report.picture:write_json",
        "svg": "gradcli.report.picture:write_svg",
        "html": "gradcli.report.page_graph:write",
    },
    "costs": {
        "tree": "gradcli.report.text_costs:write",
        "json": "gradcli.report.costs:write",
    },
    "curve": {
        "text": "gradcli.report.plot_text:write_text",
        "svg": "gradcli.report.plot:write_svg",
        "png": "gradcli.report.plot:write_png",
        "csv": "gradcli.report.plot:write_csv",
        "json": "gradcli.report.plot:write_json",
    },
    "field": {
        "text": "gradcli.report.field:write_text",
        "svg": "gradcli.report.field:write_svg",
        "png": "gradcli.report.field:write_png",
        "csv": "gradcli.report.field:write_csv",
        "json": "gradcli.report.field:write_json",
    },
    "expectations": {
        "text": "gradcli.report.text_expectations:write",
        "github": "gradcli.report.expectations:write",
    },
}
UNASKED = frozenset(next(iter(formats)) for formats in FORMATS.values())
"""The formats that answers have where none is asked for."""
"""By kind of answer the names of its formats, the default first: `module:function`."""
