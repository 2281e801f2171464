"""The maps in a browser: drawn, chosen, and read by keys and by the pointer."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from harness.report.maps.section import maps
from harness.tables.results import Results
from tests.browser import Browser
from tests.report.accessibility import violations
from tests.report.pages import IS_TOO_WIDE, START
from tests.report.some_runs import page_of, results_of

READ = """
const output = document.querySelector(".maps output");
return [output.textContent, Number(output.querySelector("data").value)];
"""


def opened(browser: Browser, name: str, folder: Path) -> Results:
    """Open the page with the maps of a run."""
    results = results_of(name)
    file = folder / "page.html"
    file.write_text(page_of(*maps(results)), "utf-8")
    browser.open(file)
    browser.run(START)
    return results


def read(browser: Browser) -> tuple[str, float]:
    """What is said of the cell that is read, and its number."""
    text, value = browser.run(READ)
    return text, value


def coverage_at(results: Results, method: str, n: int, x: int) -> float:
    row = results.cells.filter(engine="posterior", method=method, n=n, x=x)
    return 1 - float(row["actual_alpha"].item())


def test_keys_read_every_cell(browser: Browser, tmp_path: Path) -> None:
    results = opened(browser, "outcomes", tmp_path)
    assert read(browser)[0] == "n = 5, x = 0 (x/n = 0): coverage 0 %, 95 points below nominal"
    browser.run("document.querySelector('.maps [data-size]').focus()")
    browser.press("ArrowRight", "Tab", "ArrowRight", "ArrowRight")
    text, value = read(browser)
    assert text.startswith("n = 10, x = 2 (x/n = 0.2): coverage ")
    assert value == coverage_at(results, "wald", 10, 2)
    assert browser.run("return document.activeElement.getAttribute('aria-valuetext')") == (
        "x = 2 (x/n = 0.2)"
    )
    browser.press("End", "Shift+Tab", "End")
    text, value = read(browser)
    assert text.startswith("n = 20, x = 20 (x/n = 1)")
    assert value == coverage_at(results, "wald", 20, 20)


def test_the_pointer_reads_the_cell_below_it(browser: Browser, tmp_path: Path) -> None:
    results = opened(browser, "outcomes", tmp_path)
    point = """
    const box = document.querySelector(".maps .ground").getBoundingClientRect();
    const [across, down] = arguments;
    const place = { clientX: box.left + across * box.width, clientY: box.top + down * box.height };
    document.querySelector(".maps svg").dispatchEvent(
      new PointerEvent("pointermove", { ...place, bubbles: true }));
    """
    browser.run(point, 0.25, 0.1)
    text, value = read(browser)
    assert text.startswith("n = 20, x = 5 ")
    assert value == coverage_at(results, "wald", 20, 5)
    browser.run(point, 0.99, 0.9)
    assert read(browser)[0].startswith("n = 5, x = 5 ")
    assert browser.run("return document.querySelector('.maps [data-place]').value") == "5"


def test_a_choice_changes_map_sentence_and_numbers(browser: Browser, tmp_path: Path) -> None:
    results = opened(browser, "outcomes", tmp_path)
    paths = "return [...document.querySelectorAll('.maps svg path')].map(p => p.outerHTML).join()"
    before = browser.run(paths), browser.text(".maps [data-sentence]")
    browser.choose(".maps [data-method]", 2)
    after = browser.run(paths), browser.text(".maps [data-sentence]")
    assert before[0] != after[0]
    assert after[1].startswith("Clopper-Pearson: coverage is below 95 % in none")
    assert read(browser)[1] == coverage_at(results, "clopper_pearson", 5, 0)
    browser.choose(".maps [data-map]", 1)
    browser.run("await new Promise(done => setTimeout(done, 100))")
    assert browser.text(".maps [data-sentence]").startswith("Clopper-Pearson: intervals are ")
    text, value = read(browser)
    lengths = results.cells.filter(engine="posterior", n=5, x=0).select("method", "length")
    by_method = dict(lengths.rows())
    mine, base = by_method["clopper_pearson"], by_method["minimal_length"]
    assert value == mine
    assert f"length {mine:.6g}, {100 * (mine - base) / base:.3g} % longer than" in text
    label = "return document.querySelector('.maps svg').getAttribute('aria-label')"
    assert browser.run(label) == browser.text(".maps [data-sentence]")


def test_the_numbers_of_each_size_follow_the_choice(browser: Browser, tmp_path: Path) -> None:
    results = opened(browser, "outcomes", tmp_path)
    body = """
    return [...document.querySelectorAll(".maps tbody tr")].map(
      (row) => [...row.cells].map((cell) => cell.textContent));
    """
    written = [row[:3] for row in numbers_without_scripts(results)]
    assert [row[:3] for row in browser.run(body)] == written
    browser.choose(".maps [data-method]", 2)
    cells = results.cells.filter(engine="posterior", method="clopper_pearson")
    for row, n in zip(browser.run(body), (5, 10, 20), strict=True):
        alphas = cells.filter(n=n)["actual_alpha"].to_numpy()
        assert row[0] == f"n = {n}"
        assert row[1:3] == [f"{100 * (1 - value):.4g} %" for value in (alphas.max(), alphas.min())]
        assert row[4] == "0 %"


def numbers_without_scripts(results: Results) -> list[list[Any]]:
    (section,) = maps(results)
    rows = section.context["rows"]
    return [[row["size"], *row["ends"]] for row in rows]


def test_estimates_stand_with_their_errors(browser: Browser, tmp_path: Path) -> None:
    results = opened(browser, "estimates", tmp_path)
    browser.choose(".maps [data-place]", 4)
    cells = results.cells.filter(given="truth", method="wald", n=5).sort("truth")
    row = cells.row(4, named=True)
    text, value = read(browser)
    assert value == 1 - row["actual_alpha"]
    assert f"± {100 * row['std_error']:.2g} % (standard error)" in text


@pytest.mark.parametrize("name", ["truths", "rates", "two_samples"])
def test_maps_given_the_truth_are_of_the_tables(
    browser: Browser, name: str, tmp_path: Path
) -> None:
    results = opened(browser, name, tmp_path)
    browser.run(
        "const select = document.querySelector('.maps [data-map]');"
        "select.value = [...select.options].findIndex(each => each.text.includes('the truth'));"
        "select.dispatchEvent(new Event('change'));"
        "await new Promise(done => setTimeout(done, 100));"
    )
    browser.choose(".maps [data-place]", 1)
    truths = [each for each in results.cells.columns if each.startswith("truth")]
    sizes = [each for each in ("n", "n1", "n2", "exposure") if each in results.cells.columns]
    cells = results.cells.filter(given="truth", engine="enumeration")
    first = cells.sort("alpha", descending=name == "truths", maintain_order=True)
    label = first["method"][0]
    asked = "return document.querySelector('.maps [data-method]').selectedIndex"
    assert browser.run(asked) == cells["method"].unique(maintain_order=True).to_list().index(label)
    rows = first.filter(method=label).sort([*sizes, *reversed(truths)], maintain_order=True)
    alphas = rows.filter(pl.col("alpha") == first["alpha"][0])
    assert read(browser)[1] == 1 - alphas["actual_alpha"][1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_no_rule_of_accessibility_is_broken(
    browser: Browser, scheme: str, width: int, tmp_path: Path
) -> None:
    browser.emulate(width=width, scheme=scheme, offline=True)
    opened(browser, "truths", tmp_path)
    browser.click(".maps summary")
    assert violations(browser) == []
    assert not browser.run(IS_TOO_WIDE)
    assert browser.run("return document.querySelector('.maps b') === null")
    assert browser.console() == []
    assert browser.requests() == []


def test_without_scripts_the_first_map_is_drawn(browser: Browser, tmp_path: Path) -> None:
    browser.without_scripts()
    file = tmp_path / "page.html"
    file.write_text(page_of(*maps(results_of("outcomes"))), "utf-8")
    browser.open(file)
    assert browser.run("return document.querySelectorAll('.maps svg path').length") > 3
    assert browser.run("return document.querySelector('.maps form').offsetHeight") == 0
    assert browser.text(".maps [data-sentence]").startswith("Wald: coverage is below")
