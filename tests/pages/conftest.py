"""The browser of these tests: Chromium of the system, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests.cli.conftest import Runner, gradcli
from tests.pages.programs import page

__all__ = ["Opened", "browser", "gradcli", "opened"]
Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium; skips where it or Playwright is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
    found = which("chromium") or which("chromium-browser") or which("google-chrome")
    if found is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, gradcli: Runner, tmp_path: Path) -> Iterator[Opened]:
    """Open the page that a command prints. At the end no request may have left the file, and
    nothing been said on the console.
    """
    contexts: list[Any] = []
    said: list[str] = []
    asked: list[str] = []

    def call(command: str, *arguments: str, **context: Any) -> Any:
        file = tmp_path / f"{len(contexts)}.html"
        file.write_text(page(gradcli, command, *arguments), encoding="utf-8")
        contexts.append(browser.new_context(**context))
        tab = contexts[-1].new_page()
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(file.as_uri())
        return tab

    yield call
    for each in contexts:
        each.close()
    assert not said
    assert not [url for url in asked if not url.startswith(tmp_path.as_uri())]
