"""The page of results in a browser: alone, safe, readable and for every reader."""

from pathlib import Path
from typing import Any

import pytest

import harness
from harness.pages.results_page import results_page
from harness.report.page import render
from harness.tables.results import Results
from tests.browser import Browser
from tests.report.accessibility import violations
from tests.report.pages import IS_TOO_WIDE, START

HOSTILE = "<img src=x onerror=document.title='run'>"
SORTED = """
const rows = [...document.querySelector(".answer table").tBodies[0].rows];
return rows.map(row => row.cells[arguments[0]].dataset.value);
"""


def page_of(file: Path, *results: Results) -> Path:
    file.write_text(render(results_page(results, "python -m harness report DIR")), "utf-8")
    return file


@pytest.fixture(scope="session")
def written(three_methods: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three methods."""
    return page_of(tmp_path_factory.mktemp("page") / "report.html", three_methods)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A result with a long title and labels that are no plain text."""
    config = {
        "name": "hostile",
        "title": f"{HOSTILE} </script> {'very long title, ' * 20}"[:300],
        "family": "proportion",
        "n": [3, 6],
        "methods": [
            {"name": "wald", "label": HOSTILE},
            {"name": "wilson", "label": "שיטה מימין לשמאל"},
            {"name": "clopper_pearson", "label": "</script><script>document.title='run'</script>"},
        ],
        "truth": {"uniform": [0, 1]},
        "engines": ["enumeration"],
        "figures": [],
    }
    return harness.run(config, out=tmp_path_factory.mktemp("results"))


def test_a_page_opens_without_a_network_and_without_a_word_in_the_console(
    browser: Browser, written: Path
) -> None:
    browser.open(written)
    browser.run(START)
    assert browser.console() == []
    assert browser.requests() == []


def test_a_heading_sorts_the_table_up_and_down(browser: Browser, written: Path) -> None:
    browser.open(written)
    column = 2
    values = browser.run(SORTED, column)
    button = browser.find(f".answer thead th:nth-child({column + 1}) button")
    browser.click(button)
    assert [float(each) for each in browser.run(SORTED, column)] == sorted(map(float, values))
    assert browser.run("return document.querySelector('[aria-sort]').ariaSort") == "ascending"
    browser.run("arguments[0].focus()", button)
    browser.press("Enter")
    down = [float(each) for each in browser.run(SORTED, column)]
    assert down == sorted(map(float, values), reverse=True)
    assert browser.run("return document.querySelector('[aria-sort]').ariaSort") == "descending"


def test_labels_and_titles_stay_text(browser: Browser, hostile: Results, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path / "report.html", hostile))
    browser.run(START)
    assert browser.run("return document.images.length") == 0
    assert browser.run("return document.title") == hostile.manifest["title"]
    assert HOSTILE in browser.text(".answer table")
    assert browser.console() == []
    assert browser.requests() == []


@pytest.mark.parametrize(("media", "width"), [("screen", 390), ("screen", 1400), ("print", 720)])
def test_nothing_is_wider_than_the_window(
    browser: Browser, hostile: Results, tmp_path: Path, media: str, width: int
) -> None:
    browser.emulate(width=width, media=media)
    browser.open(page_of(tmp_path / "report.html", hostile))
    browser.run(START)
    assert not browser.run(IS_TOO_WIDE)


def test_the_answer_is_seen_whole_in_a_narrow_window(browser: Browser, written: Path) -> None:
    browser.emulate(width=390)
    browser.open(written)
    cut = """
    const frame = document.querySelector(".answer .scroll");
    const label = getComputedStyle(document.querySelector(".answer td.number"), "::before").content;
    const caption = document.querySelector(".answer caption").getBoundingClientRect().bottom;
    const head = document.querySelector(".answer thead button").getBoundingClientRect().top;
    return [frame.scrollWidth - frame.clientWidth, label, head - caption];
    """
    more, label, gap = browser.run(cut)
    assert (more, label) == (0, '"Worst-case coverage"')
    assert 0 <= gap < 20
    assert violations(browser) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_a_reader_out(
    browser: Browser, three_methods: Results, hostile: Results, tmp_path: Path, scheme: str
) -> None:
    browser.emulate(scheme=scheme)
    browser.open(page_of(tmp_path / "report.html", three_methods, hostile))
    browser.run(START)
    assert violations(browser) == []


def test_starting_a_section_twice_waits_for_the_same_end(browser: Browser, written: Path) -> None:
    browser.open(written)
    ready = browser.run(
        "const section = document.querySelector('.curves');"
        "report.start(section); await report.start(section); return 'ready' in section.dataset"
    )
    assert ready


def test_of_what_is_not_ready_a_print_has_the_still_pictures(
    browser: Browser, written: Path
) -> None:
    browser.open(written)
    shown = (
        "const section = document.querySelector('.curves');"
        "return [...section.querySelectorAll('.stills, .live')].map(each => each.clientHeight > 0)"
    )
    browser.run(START)
    browser.emulate(media="print")
    live, stills = browser.run(shown)
    assert (live, stills) == (True, False)
    browser.run("delete document.querySelector('.curves').dataset.ready")
    assert browser.run(shown) == [False, True]


def test_all_sections_of_one_part_are_ready_without_scrolling(
    browser: Browser, written: Path
) -> None:
    browser.emulate(height=300)
    browser.open(written)
    waits = """
    const undone = ".curves:not([data-ready])";
    const left = () => document.querySelectorAll(undone).length;
    const until = performance.now() + 20000;
    while (left() && performance.now() < until) await new Promise((go) => setTimeout(go, 20));
    return left();
    """
    assert browser.run(waits) == 0


def test_without_scripts_the_answer_is_there(browser: Browser, written: Path) -> None:
    browser.without_scripts()
    browser.open(written)
    assert "never covers less than 95 %" in browser.text(".answer")
    assert browser.run("return document.querySelectorAll('.answer button').length") == 0


def test_the_keyboard_reaches_every_control(browser: Browser, written: Path) -> None:
    browser.open(written)
    browser.run(START)
    controls = "a[href], button, input, select, summary, [tabindex='0']"
    reachable: Any = browser.run(
        "return [...document.querySelectorAll(arguments[0])].filter(each => !each.disabled"
        " && each.checkVisibility() && each.tabIndex >= 0).length",
        controls,
    )
    hidden = browser.run(
        "return [...document.querySelectorAll('button, input, select, summary')].filter(each =>"
        " each.checkVisibility() && !each.disabled && each.tabIndex < 0).length"
    )
    assert hidden == 0
    browser.run(
        "window.met = new Set(); const controls = arguments[0];"
        "addEventListener('focusin', ({ target }) => target.matches(controls) && met.add(target));",
        controls,
    )
    browser.press(*["Tab"] * (reachable + 5))
    assert browser.run("return met.size") >= reachable - radios_left_out(browser)


def radios_left_out(browser: Browser) -> int:
    """Radio buttons that one stop of the keyboard stands for."""
    names = browser.run(
        "return [...document.querySelectorAll('input[type=radio]')].filter(each =>"
        " each.checkVisibility()).map(each => each.name)"
    )
    return len(names) - len(set(names))
