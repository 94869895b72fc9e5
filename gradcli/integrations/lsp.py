"""A language server: what is wrong is told as it is typed, names tell their values and gradients,
names are completed, and programs are laid out.

A change of the text is parsed in a thread of its own, so that names are offered meanwhile, and of
changes that wait only the last. The program then runs in another thread, which gives up at its next
statement when the text changes again. The next change goes on from the statements before it, which
this thread runs once more where the run can not go back to there.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from threading import Lock, Timer
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from gradcli import __version__
from gradcli.analysis.live import LIMITS, OPTIONS, Ahead, Live, Seen
from gradcli.analysis.recall import Recall
from gradcli.analysis.recorder import SupersededError
from gradcli.analysis.vocabulary import completions, vocabulary
from gradcli.diagnostics import Advice, Diagnostic, GradcliError, Span
from gradcli.language.format import formatted
from gradcli.language.reparse import common
from gradcli.language.syntax import Program
from gradcli.ops import FUNCTIONS
from gradcli.report.arrays import excerpt, inline
from gradcli.report.expectations import found_text, shortened
from gradcli.report.sanitise import sanitise
from gradcli.trace.arguments import signature

SECONDS = 2.0
"""A program that runs longer is not run to its end while it is typed."""
PATIENCE = 0.05
"""Seconds in which a run should tell what is wrong; until it does, what surely stays is shown."""
MOST = 200
"""Names that are offered at a time."""
_DIGITS, _WIDTH = 6, 60
_LINE_END = re.compile(r"\r\n|\n|\r")
_KINDS = {
    "function": types.CompletionItemKind.Function,
    "method": types.CompletionItemKind.Method,
    "keyword": types.CompletionItemKind.Keyword,
    "constant": types.CompletionItemKind.Constant,
    "name": types.CompletionItemKind.Variable,
    "attribute": types.CompletionItemKind.Property,
}


class Ran(NamedTuple):
    """The last text of a document that has run, and what was wrong with it."""

    text: str
    diagnostics: list[types.Diagnostic]


class Editor(LanguageServer):
    """The server, and the documents that are open."""

    def __init__(self) -> None:
        super().__init__("gradcli", __version__)
        self.live: dict[str, Live] = {}
        """By document: the last text that was a program."""
        self._versions: dict[str, int] = {}
        self._numbers = count()
        self._parsed: dict[str, Program] = {}
        """By document: the last text that was a program, run or not."""
        self._ahead: dict[str, Ahead] = {}
        """By document: what has run before the next change; the runner's alone."""
        self._recalls: dict[str, Recall] = {}
        """By document: what its statements have given; the runner's alone."""
        self._told: dict[str, Ran] = {}
        self._parser, self._runner = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._telling = Lock()
        """Held from asking whether a text is still the last to telling what is wrong with it."""
        vocabulary()  # now rather than at the first key
        gc.freeze()  # what is there now stays: no collection looks at it

    def changed(self, uri: str) -> Future[Future[None] | None]:
        """Look at a text that is new; the result is its run, which there is if it is a program."""
        version = self._versions[uri] = next(self._numbers)
        text = self.workspace.get_text_document(uri).source
        return self._parser.submit(self._parse, uri, text, version)

    def _parse(self, uri: str, text: str, version: int) -> Future[None] | None:
        if self._versions.get(uri) != version:
            return None
        try:
            live = Live(text, self._superseded(uri, version), SECONDS, self._parsed.get(uri))
        except GradcliError as error:
            self._tell_of(version, uri, [_of_error(error.diagnostic, text)])
            self._runner.submit(self._run_ahead, uri, version)
            return None
        self._parsed[uri] = live.program
        run = self._runner.submit(self._run, uri, live, text, version)
        if uri in self._told:
            timer = Timer(PATIENCE, self._tell_what_stays, (uri, text, version, run))
            timer.daemon = True
            timer.start()
        return run

    def _superseded(self, uri: str, version: int) -> Callable[[], bool]:
        """Tells whether there is a later version of a document."""
        return lambda: self._versions.get(uri) != version

    def _go_on(self, uri: str, live: Live) -> None:
        """Keep what the next run of a document can go on from."""
        ahead = live.ahead()
        if ahead is not None:
            self._ahead[uri] = ahead

    def _run_ahead(self, uri: str, version: int) -> None:
        """Run what stands before the last change, while nothing else is to do."""
        ahead = self._ahead.get(uri)
        if ahead is not None:
            ahead.run(self._superseded(uri, version))

    def _tell_what_stays(self, uri: str, text: str, version: int, run: Future[None]) -> None:
        """While a run takes long, show what the one before has found above the change: programs
        run from the top, so it still holds.
        """
        before = self._told.get(uri)
        if run.done() or before is None:
            return
        kept = place(text, common(before.text, text))
        self._tell_of(version, uri, [each for each in before.diagnostics if each.range.end < kept])

    def _run(self, uri: str, live: Live, text: str, version: int) -> None:
        recall = self._recalls.get(uri)
        if recall is None or recall.is_large():
            recall = self._recalls[uri] = Recall(OPTIONS.graph(shares=False))
        try:
            live.run(self._ahead.pop(uri, None), recall)
        except SupersededError:
            self._go_on(uri, live)
            return
        diagnostics = found(live, text)
        self._go_on(uri, live)
        self._runner.submit(self._run_ahead, uri, version)
        with self._telling:
            if self._versions.get(uri) == version:
                self.live[uri], self._told[uri] = live, Ran(text, diagnostics)
                self.tell(uri, diagnostics)
        if not live.recalls:
            self._runner.submit(gc.collect)  # its graph has circles: many at once would take long

    def _tell_of(self, version: int, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        """Show what is wrong with a version of a document, if it is still the last one."""
        with self._telling:
            if self._versions.get(uri) == version:
                self.tell(uri, diagnostics)

    def tell(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        """Show what is wrong with a document."""
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics)
        )

    def closed(self, uri: str) -> None:
        """Forget a document."""
        with self._telling:
            self._versions.pop(uri, None)
            self.live.pop(uri, None)
            self._told.pop(uri, None)
            self.tell(uri, [])
        self._parser.submit(self._parsed.pop, uri, None)
        self._runner.submit(self._ahead.pop, uri, None)
        self._runner.submit(self._recalls.pop, uri, None)

    def hover(self, uri: str, position: types.Position) -> types.Hover | None:
        """What a name stands for: shape, value and gradient, or what a function does."""
        live = self.live.get(uri)
        if live is None:
            return None
        text = self.workspace.get_text_document(uri).source
        if text != live.program.source.text:  # it is broken now: places may have moved
            return None
        seen = live.seen(offset(text, position))
        if seen is None:
            return None
        told = _of_tensor(seen) if isinstance(seen, Seen) else f"{signature(seen)}\n\n{seen.doc}"
        content = types.MarkupContent(types.MarkupKind.Markdown, f"```text\n{sanitise(told)}\n```")
        return types.Hover(content)

    def complete(self, uri: str, position: types.Position) -> types.CompletionList:
        """The names that can stand at a place."""
        text = self.workspace.get_text_document(uri).source
        offers = completions(text, offset(text, position))
        items = [_item(name, kind) for name, kind in offers[:MOST]]
        return types.CompletionList(is_incomplete=len(offers) > MOST, items=items)

    def layout(self, uri: str) -> list[types.TextEdit] | None:
        """The edit that lays a document out; none where it is no program."""
        text = self.workspace.get_text_document(uri).source
        try:
            after = formatted(text, LIMITS.parse)
        except GradcliError:
            return None
        whole = types.Range(types.Position(0, 0), place(text, len(text)))
        return [] if after == text else [types.TextEdit(whole, after)]


def serve() -> Editor:
    """A server that is ready to be started."""
    server = Editor()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        return server.hover(params.text_document.uri, params.position)

    options = types.CompletionOptions(trigger_characters=["."])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def complete(params: types.CompletionParams) -> types.CompletionList:
        return server.complete(params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def layout(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        return server.layout(params.text_document.uri)

    return server


# --- what is wrong -------------------------------------------------------------------------


def found(live: Live, text: str) -> list[types.Diagnostic]:
    """What a run has shown: its error, expectations that do not hold, and odd places."""
    report, program = live.report, live.program
    assert report is not None
    told = []
    for each in report.outcomes:
        if each.problem and each.reached:
            message = f"expected {each.expectation.text}, got {shortened(found_text(each))}: "
            severity = types.DiagnosticSeverity.Error
            told.append(_marked(text, each.expectation.span, message + each.problem, severity))
    if report.error is not None:
        told.append(_of_error(report.error, text))
    information = types.DiagnosticSeverity.Information
    return told + [_marked(text, span, told_, information) for span, told_ in program.notes]


def _of_error(error: Diagnostic, text: str) -> types.Diagnostic:
    hint = error.hint.for_programs() if isinstance(error.hint, Advice) else error.hint
    message = f"{error.message}\n{hint}" if hint else error.message
    span = error.span or (0, 0)
    is_limit = error.code.startswith("limit-")
    severity = types.DiagnosticSeverity.Warning if is_limit else types.DiagnosticSeverity.Error
    return _marked(text, span, message, severity, error.code)


def _marked(
    text: str, span: Span, message: str, severity: types.DiagnosticSeverity, code: str = ""
) -> types.Diagnostic:
    start, end = span
    return types.Diagnostic(
        range=types.Range(place(text, start), place(text, end)),
        message=sanitise(message),
        severity=severity,
        code=code or None,
        source="gradcli",
    )


# --- places: offsets in code points here, lines and UTF-16 units there -------------------------


def place(text: str, at: int) -> types.Position:
    """The position of a place in a text."""
    line, start = 0, 0
    for match in _LINE_END.finditer(text, 0, min(at, len(text))):
        line, start = line + 1, match.end()
    return types.Position(line, len(text[start:at].encode("utf-16-le", "surrogatepass")) // 2)


def offset(text: str, position: types.Position) -> int:
    """The place in a text of a position; the nearest one where there is none."""
    start = 0
    for _ in range(position.line):
        match = _LINE_END.search(text, start)
        if match is None:
            return len(text)
        start = match.end()
    end = _LINE_END.search(text, start)
    line = text[start : end.start() if end else len(text)]
    units = line.encode("utf-16-le", "surrogatepass")[: 2 * position.character]
    return start + len(units.decode("utf-16-le", "ignore"))


# --- names ---------------------------------------------------------------------------------


def _of_tensor(seen: Seen) -> str:
    shape = "a single value" if seen.value.ndim == 0 else f"shape {seen.value.shape}"
    rows = [f"{seen.name}: {shape}", f"value       {_short(seen.value)}"]
    if seen.derivative is not None:
        rows.append(f"derivative  {_short(seen.derivative)}  of {seen.by}")
    return "\n".join(rows)


def _short(array: Any) -> str:
    return inline(excerpt(array), _DIGITS, _WIDTH)


def _item(name: str, kind: str) -> types.CompletionItem:
    function = FUNCTIONS.get(name) if kind in ("function", "method") else None
    return types.CompletionItem(
        name,
        kind=_KINDS[kind],
        detail=signature(function) if function else None,
        documentation=function.doc if function else None,
    )
