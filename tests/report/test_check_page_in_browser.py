"""The pages of checks and audits in a browser: filters, order, layout, and nothing that fails."""

from dataclasses import replace

import pytest

from harness.checks.check import check
from harness.checks.report import CheckReport
from harness.pages.check import MethodOnPage, check_page
from harness.report.page import render
from tests.checks.planted.textbook import wald
from tests.report.accessibility import violations
from tests.report.pages import IS_TOO_WIDE, START

HOSTILE = "<img src=x onerror=alert(1)>"
NAMES = (f"own.py:{HOSTILE}", "x" * 300, "שיטה של מישהו")
SHOWN = """
return [...document.querySelectorAll(".findings tbody tr")].filter((row) => row.offsetHeight > 0)
  .map((row) => [row.dataset.status, row.cells[2].textContent]);
"""


@pytest.fixture(scope="module")
def report() -> CheckReport:
    return check(wald, grid="n=10;alpha=0.05", counter_examples=True)


@pytest.fixture(scope="module")
def file(report, tmp_path_factory):
    words = ("python", "-m", "harness", "check", "own.py:wald")
    page = check_page([MethodOnPage(report, words)], "python -m harness check own.py:wald")
    target = tmp_path_factory.mktemp("page") / "check.html"
    target.write_text(render(page), "utf-8")
    return target


@pytest.fixture(scope="module")
def named(report, tmp_path_factory):
    """A page of three methods with names that test a layout."""
    methods = [MethodOnPage(replace(report, method=name)) for name in NAMES]
    target = tmp_path_factory.mktemp("page") / "names.html"
    target.write_text(render(check_page(methods, f"check {' '.join(NAMES)}")), "utf-8")
    return target


def test_a_page_opens_without_a_request_or_a_word_on_the_console(browser, file):
    browser.open(file)
    browser.run(START)
    assert browser.console() == []
    assert browser.requests() == []


def test_a_filter_leaves_the_findings_of_a_status(browser, file, report):
    browser.open(file)
    browser.run(START)
    assert len(browser.run(SHOWN)) == len(report.findings)
    browser.choose(".findings [data-filter=status]", "fail")
    failing = report.of_verdict("fail")
    assert browser.run(SHOWN) == [["fail", each.check] for each in failing]
    assert browser.text(".findings .shown") == (
        f"{len(failing)} of {len(report.findings)} findings"
    )
    browser.choose(".findings [data-filter=group]", "contract")
    wanted = [["fail", each.check] for each in failing if each.kind == "contract"]
    assert browser.run(SHOWN) == wanted


def test_keys_reach_the_filters_and_sort_the_table(browser, file, report):
    browser.open(file)
    browser.run(START)
    reached = []
    for _ in range(9):
        browser.press("Tab")
        reached.append(
            browser.run(
                "const at = document.activeElement;"
                "return at.dataset.filter ?? at.closest('th')?.textContent ?? at.className;"
            )
        )
        if reached[-1] == "Check":
            break
    assert {"status", "group", "Status", "Check"} <= set(reached)
    browser.press("Enter")
    names = [name for _, name in browser.run(SHOWN)]
    assert names == sorted(names, key=str.lower)
    assert len(names) == len(report.findings)


def test_a_mark_stands_at_its_place_whatever_the_width(browser, file):
    shares = []
    for width in (390, 1400):
        browser.emulate(width=width, offline=True)
        browser.open(file)
        shares.append(
            browser.run(
                "const box = (each) => each.getBoundingClientRect();"
                "const svg = document.querySelector('.drawing.intervals svg');"
                "const bar = svg.querySelector('.bar.fault .reach');"
                "return [(box(bar).left - box(svg).left) / box(svg).width,"
                "  box(bar).width / box(svg).width];"
            )
        )
    assert shares[0] == pytest.approx(shares[1], abs=0.01)


@pytest.mark.parametrize(
    ("width", "media"), [(390, "screen"), (1400, "screen"), (718, "print")]
)  # A4 with margins of a centimetre.
def test_names_stay_text_and_nothing_is_wider_than_the_window(browser, named, width, media):
    browser.emulate(width=width, media=media, offline=True)
    browser.open(named)
    assert browser.run("return document.images.length") == 0
    assert not browser.run(IS_TOO_WIDE)
    headings = browser.run("return [...document.querySelectorAll('h2')].map((h) => h.innerText)")
    assert headings == [f"{name}: ✗ FAIL" for name in NAMES]
    assert browser.console() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(browser, named, scheme):
    browser.emulate(scheme=scheme, offline=True)
    browser.open(named)
    browser.run(START)
    assert violations(browser) == []


def test_without_scripts_all_findings_and_pictures_are_there(browser, file, report):
    browser.without_scripts()
    browser.open(file)
    assert len(browser.run(SHOWN)) == len(report.findings)
    drawn = sum(each.counter_example is not None for each in report.findings)
    assert browser.run("return document.querySelectorAll('.drawing > svg').length") == drawn
    assert browser.run("return document.querySelector('.findings .controls').offsetHeight") == 0
