"""Pages in a real browser: stepping, opening, choosing, by mouse and by keyboard."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli import explain
from tests.pages.conftest import Opened
from tests.pages.programs import CUBES, HOSTILE, OPENED, PASSES, told, written_out

pytestmark = pytest.mark.browser


def status(tab: Any) -> str:
    return str(tab.locator("[role=status]").inner_text())


def card(tab: Any) -> Any:
    """The only step that is shown."""
    shown = tab.locator(".step:visible")
    assert shown.count() == 1
    return shown


def test_stepping(opened: Opened) -> None:
    tab = opened("explain", *CUBES)
    assert status(tab).startswith("Step 1 of 8, forward: x")
    tab.keyboard.press("ArrowRight")
    assert status(tab) == "Step 2 of 8, forward: t1 = 2 * x"
    assert card(tab).locator(".in td").all_inner_texts() == ["1", "2", "3", "4"]
    tab.keyboard.press("End")
    assert status(tab).startswith("Step 8 of 8, backward: x.grad = ")
    tab.get_by_role("button", name="Back").click()
    assert status(tab).startswith("Step 7 of 8, backward: t1.grad")
    tab.get_by_role("slider").fill("4")
    assert status(tab).startswith("Step 5 of 8, backward: out.grad")
    tab.get_by_role("slider").press("ArrowRight")
    assert status(tab).startswith("Step 6 of 8, backward: z.grad")
    tab.keyboard.press("Home")
    assert status(tab).startswith("Step 1 of 8")
    assert tab.get_by_role("button", name="First step").is_disabled()


def test_stepping_in_the_frame_of_a_notebook(browser: Any) -> None:
    tab = browser.new_page()
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    page = explain("z = (2*x)**3; out = mean(z)", {"x": [[1, 2], [3, 4]]})
    tab.set_content(page._repr_html_())
    inside = tab.frame_locator("iframe")
    inside.get_by_role("button", name="Last step").click()
    assert inside.locator("[role=status]").inner_text().startswith("Step 8 of 8, backward: x.grad")
    assert not said
    tab.close()


def test_values_and_grads_appear_when_they_are_reached(opened: Opened) -> None:
    tab = opened("explain", *CUBES)
    value, grad = (tab.locator(f".box .{kind}").nth(0) for kind in ("value", "grad"))
    assert value.is_visible()
    assert not grad.is_visible()
    tab.get_by_role("button", name="Last step").click()
    assert grad.is_visible()


def test_a_box_shows_its_local_jacobian(opened: Opened) -> None:
    """By hand: the derivative of t1**3 is 3·t1², at 2, 4, 6 and 8."""
    tab = opened("explain", *CUBES)
    tab.locator(".box").nth(2).click()
    assert status(tab) == "Step 3 of 8, forward: z = t1**3"
    numbers = card(tab).locator(".jacobian td").all_inner_texts()
    assert [numbers[5 * place] for place in range(4)] == ["12", "48", "108", "192"]
    assert sum(each == "0" for each in numbers) == 12
    box = tab.locator(".box").nth(1)
    box.focus()
    tab.keyboard.press("Enter")
    assert status(tab) == "Step 2 of 8, forward: t1 = 2 * x"


def test_an_entry_shows_its_paths(opened: Opened) -> None:
    tab = opened("explain", *CUBES)
    tab.keyboard.press("End")
    paths = card(tab).locator(".paths[open]")
    assert paths.count() == 0
    card(tab).get_by_role("button", name="paths to x.grad[0, 1]").click()
    assert paths.count() == 1
    assert "x[0, 1] → t1[0, 1] → z[0, 1] → out: 2 · 48 · 0.25 · v" in paths.inner_text()


def test_an_entry_of_an_intermediate_shows_its_paths(opened: Opened) -> None:
    tab = opened("explain", *CUBES)
    tab.keyboard.press("End")
    tab.keyboard.press("ArrowLeft")
    card(tab).get_by_role("button", name="paths to t1.grad[0, 1]").click()
    paths = card(tab).locator(".paths[open]")
    assert "t1[0, 1] → z[0, 1] → out: 48 · 0.25 · v" in paths.inner_text()


def test_functions_and_loops_open_and_close(opened: Opened) -> None:
    tab = opened("explain", *OPENED)
    closed = tab.locator(".level:visible .box").count()
    while "h = f(x)" not in status(tab):
        tab.keyboard.press("ArrowRight")
    tab.get_by_role("button", name="Open f").click()
    assert "tanh(x)" in status(tab)
    assert tab.locator(".level:visible .box").count() > closed
    tab.get_by_role("button", name="Close f").click()
    assert "h = f(x)" in status(tab)
    tab.get_by_role("combobox").select_option(label="Opened")
    assert tab.locator(".level:visible .box").count() > closed


@pytest.mark.parametrize("width", [320, 1100])
def test_numbers_stay_in_one_line(opened: Opened, width: int) -> None:
    """Wide tables are scrolled, and so can be reached by the keyboard."""
    program = (
        "y = inv(A)\nsum(y**3)",
        "-s",
        "A=[[1.23456,2,1e-3],[3,4.55555,1e-7],[.1,.2,-12345]]",
    )
    tab = opened("explain", *program, "--precision", "12", viewport={"width": width, "height": 900})
    tab.keyboard.press("End")
    cells = card(tab).locator(".heat td").all()
    assert len(cells) > 18
    assert max(cell.bounding_box()["height"] for cell in cells) < 40
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    wide = card(tab).locator(".heat div.wide[tabindex='0']")
    assert wide.count() == 2


def test_passes(opened: Opened) -> None:
    tab = opened("explain", *PASSES)
    tab.keyboard.press("End")
    shown = card(tab).locator(".sum figure")
    assert [each.locator("td").all_inner_texts() for each in shown.all()] == [
        ["2", "4"], ["3", "30"], ["5", "34"],
    ]  # fmt: skip


def test_a_box_shows_the_grad_of_the_pass(opened: Opened) -> None:
    """By hand: x @ [[1,2],[3,4]] has the rows [1, 3] and [2, 4] for v = [1, 0] and [0, 1]."""
    program = ("y = x @ [[1,2],[3,4]]", "-s", "x=2,1", "-g", "1,0", "-g", "0,1")
    tab = opened("explain", *program)
    seen = []
    for _ in range(6):
        seen.append(tab.locator(".box .grad:visible").all_text_contents())
        tab.keyboard.press("ArrowRight")
    first, second = ["grad [1, 3]", "grad [1, 0]"], ["grad [2, 4]", "grad [0, 1]"]
    half = [first[0], second[1]]  # the grad of x is that of pass 1 until pass 2 is there
    assert seen == [[], [], first[1:], first, half, second]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1100])
@pytest.mark.parametrize(
    ("command", "program"), [("explain", CUBES), ("explain", OPENED), ("graph", OPENED)]
)
def test_no_serious_barrier(
    opened: Opened, command: str, program: tuple[str, ...], width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="extra `browser`")
    size = {"width": width, "height": 700}
    tab = opened(command, *program, viewport=size, color_scheme=scheme, bypass_csp=True)
    for key in ("Home", "End"):
        tab.keyboard.press(key)
        found = axe.Axe().run(tab).response["violations"]
        assert not [each["id"] for each in found if each["impact"] in ("serious", "critical")]
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_and_light_differ(opened: Opened) -> None:
    colours = [
        opened("explain", *CUBES, color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert colours == ["rgb(253, 253, 252)", "rgb(22, 24, 27)"]


def test_without_javascript_everything_is_shown(opened: Opened) -> None:
    tab = opened("explain", *CUBES, java_script_enabled=False)
    assert tab.locator(".step:visible").count() == 8
    assert not tab.locator(".controls").is_visible()
    assert tab.locator("math").count() > 8


def test_strings_stay_text(opened: Opened) -> None:
    """All hostile strings: nothing of them runs, and the page has the elements that it has for a
    harmless one.
    """
    count = "document.querySelectorAll('*').length"
    plain = opened("explain", told("plain"), "-s", "x=1,2").evaluate(count)
    for hostile in HOSTILE:
        tab = opened("explain", told(hostile), "-s", "x=1,2")
        tab.keyboard.press("End")
        assert tab.evaluate("window.broken") is None, hostile
        tab.keyboard.press("Home")
        assert tab.evaluate(count) == plain + copied(tab), hostile
        tab.context.close()


def copied(tab: Any) -> int:
    """How many elements the script has copied to where they go in."""
    return int(tab.evaluate("document.querySelectorAll('.in *').length"))


def test_300_nodes_are_drawn_at_once(opened: Opened) -> None:
    """By the work that the browser says it had: not the time that passed."""
    tab = opened("explain", written_out(300), "-s", "x=1,2,3", "--inside", "all")
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable")
    tab.reload()
    found = session.send("Performance.getMetrics")["metrics"]
    work = {each["name"]: each["value"] for each in found}
    assert tab.locator(".box").count() >= 300
    assert work["ScriptDuration"] + work["LayoutDuration"] + work["RecalcStyleDuration"] < 1
