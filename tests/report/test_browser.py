"""The browser of the tests does what its functions say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import Browser, BrowserError

PAGE = """<!DOCTYPE html><title>A page</title><link rel="icon" href="data:,">
<label>Size <input id="size" type="range" min="0" max="9" value="3"></label>
<button id="more">More</button><p id="told"></p>
<script>
let told = 0;
const show = text => { document.querySelector("#told").textContent = text; };
document.querySelector("#more").addEventListener("click", () => { told += 1; show(told); });
document.querySelector("#size").addEventListener("input", each => show(each.target.value));
</script>"""


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Browser:
    file = tmp_path / "page.html"
    file.write_text(PAGE, "utf-8")
    browser.open(file)
    return browser


def test_a_click_and_keys_reach_the_page(page: Browser) -> None:
    page.click("#more")
    assert page.text("#told") == "1"
    page.press("Space", "Enter")
    assert page.text("#told") == "3"
    page.press("Shift+Tab", "ArrowRight", "ArrowRight")
    assert page.text("#told") == "5"
    page.choose("#size", 8)
    assert page.text("#told") == "8"


def test_a_script_has_arguments_and_is_waited_for(page: Browser) -> None:
    waits = "await new Promise(done => setTimeout(done, 20)); return arguments[0] + 1"
    assert page.run(waits, 41) == 42
    with pytest.raises(BrowserError, match="nowhere"):
        page.run("throw new Error('nowhere')")
    with pytest.raises(BrowserError, match="no such element"):
        page.click("#nothing")


def test_the_console_and_requests_are_seen(page: Browser, tmp_path: Path) -> None:
    assert page.console() == []
    assert page.requests() == []
    page.run("console.error('a fault'); setTimeout(() => { throw new Error('late'); });")
    page.run("await fetch('http://example.invalid/it').catch(() => null);")
    said = "\n".join(page.console())
    assert "a fault" in said
    assert "late" in said
    assert page.requests() == ["http://example.invalid/it"]


def test_widths_schemes_and_print_are_emulated(page: Browser, tmp_path: Path) -> None:
    matches = "return arguments[0].map(each => matchMedia(each).matches)"
    asked = ["(width: 390px)", "(prefers-color-scheme: dark)", "print"]
    assert page.run(matches, asked) == [False, False, False]
    page.emulate(width=390, scheme="dark", media="print")
    assert page.run(matches, asked) == [True, True, True]
    page.picture(tmp_path / "page.png", whole=True)
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_scripts_of_a_page_can_be_off(page: Browser, tmp_path: Path) -> None:
    page.without_scripts()
    page.open(tmp_path / "page.html")
    page.click("#more")
    assert page.text("#told") == ""
