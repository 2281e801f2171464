"""The table of cells in a browser: chosen, filtered, sorted, paged and stored as text."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from harness.report.sections import cells
from tests.browser import Browser
from tests.report.accessibility import violations
from tests.report.pages import IS_TOO_WIDE, START
from tests.report.some_runs import CONFIGS, page_of, results_of

ROWS = """
return [...document.querySelectorAll(".cells tbody tr")].map((row) => (
  [...row.cells].map((cell) => cell.querySelector("data")?.value ?? cell.textContent)));
"""
"""The rows that are shown, with all digits."""
HEADS = """
const heads = [...document.querySelectorAll(".cells thead th")].filter((head) => !head.hidden);
return heads.map((head) => head.dataset.column);
"""
DOWNLOAD = """
const click = HTMLAnchorElement.prototype.click;
const make = URL.createObjectURL;
let blob = null;
URL.createObjectURL = (made) => { blob = made; return make.call(URL, made); };
const clicked = new Promise((done) => {
  HTMLAnchorElement.prototype.click = function () { done(this.download); };
});
document.querySelector(".cells [data-download]").click();
const name = await clicked;
HTMLAnchorElement.prototype.click = click;
URL.createObjectURL = make;
return [name, blob.type, await blob.text()];
"""
"""What the button would store: its name, its type and its text."""


def opened(browser: Browser, name: str, folder: Path) -> pl.DataFrame:
    """Open the page with the cells of a run; return its rows in the tables."""
    file = folder / "page.html"
    results = results_of(name)
    file.write_text(page_of(cells(results)), "utf-8")
    browser.open(file)
    browser.run(START)
    names = [each for each in ("n", "n1", "n2", "k") if each in results.cells.columns]
    table = results.cells
    return table.filter(pl.max_horizontal(names) <= 100) if names else table


def seen(browser: Browser) -> pl.DataFrame:
    """The rows that are shown, as texts."""
    heads = browser.run(HEADS)
    return pl.DataFrame(browser.run(ROWS), dict.fromkeys(heads, pl.String), orient="row")


def texts(table: pl.DataFrame) -> pl.DataFrame:
    """A table as its CSV has it."""
    heads, *rows = csv.reader(io.StringIO(table.write_csv()))
    return pl.DataFrame(rows, dict.fromkeys(heads, pl.String), orient="row")


def expect_rows(browser: Browser, table: pl.DataFrame) -> None:
    """Hold the rows that are shown against the first fifty of a table."""
    found = seen(browser)
    wanted = texts(table).head(50)
    for column in found.columns:
        assert found[column].to_list() == wanted[column].to_list(), column


@pytest.mark.parametrize("name", CONFIGS)
def test_rows_are_those_of_the_tables_to_the_last_digit(
    browser: Browser, name: str, tmp_path: Path
) -> None:
    table = opened(browser, name, tmp_path)
    expect_rows(browser, table)
    assert browser.console() == []
    assert browser.requests() == []


@pytest.mark.parametrize("name", CONFIGS)
def test_the_download_is_the_table_as_text(browser: Browser, name: str, tmp_path: Path) -> None:
    table = opened(browser, name, tmp_path)
    stored, kind, text = browser.run(DOWNLOAD)
    assert stored == f"{name}-cells.csv"
    assert kind == "text/csv"
    assert text == table.write_csv()
    read = pl.read_csv(io.StringIO(text), schema=table.schema)
    assert read.equals(table.fill_nan(None))


def test_choices_conditions_and_order_are_those_of_the_tables(
    browser: Browser, tmp_path: Path
) -> None:
    table = opened(browser, "outcomes", tmp_path)
    browser.choose(".cells select[name=engine]", 1)
    browser.choose(".cells select[name=method]", 2)
    rows = table.filter(
        engine=table["engine"].unique(maintain_order=True)[1],
        method=table["method"].unique(maintain_order=True)[2],
    )
    assert f"of {rows.height}" in browser.text(".cells [data-status]")
    expect_rows(browser, rows)
    browser.choose(".cells [data-bound]", 0.015)
    rows = rows.filter(pl.col("actual_alpha") >= 0.015)
    assert 0 < rows.height < 38
    expect_rows(browser, rows)
    for descending in (False, True):
        browser.click(".cells th[data-column=length] button")
        expect_rows(browser, rows.sort("length", descending=descending, maintain_order=True))
        order = "descending" if descending else "ascending"
        heads = "return [...document.querySelectorAll('[aria-sort]')].map(h => h.ariaSort)"
        assert browser.run(heads) == [order]
    _, _, text = browser.run(DOWNLOAD)
    assert text == rows.sort("length", descending=True, maintain_order=True).write_csv()
    browser.choose(".cells [data-test]", "at-most")
    browser.choose(".cells [data-bound]", -1)
    assert browser.text(".cells [data-status]") == "No row meets the condition"
    assert browser.run(ROWS) == []
    browser.choose(".cells [data-bound]", "")
    assert "of 38" in browser.text(".cells [data-status]")


def test_missing_values_meet_no_condition_and_stand_last(browser: Browser, tmp_path: Path) -> None:
    table = opened(browser, "outcomes", tmp_path)
    browser.click(".cells th[data-column=std_error] button")
    known = table.filter(pl.col("std_error").is_not_null())
    expect_rows(browser, known.sort("std_error", maintain_order=True))
    browser.run(
        "const select = document.querySelector('.cells [data-name]');"
        "select.value = [...select.options].find(each => each.text === 'std_error').value;"
        "select.dispatchEvent(new Event('change'));"
    )
    for test in ("at-least", "at-most", "not-equal"):
        browser.choose(".cells [data-test]", test)
        browser.choose(".cells [data-bound]", 0.0 if test == "at-least" else 10)
        assert browser.text(".cells [data-status]").endswith(f"of {known.height}")


def test_pages_are_turned_by_keys(browser: Browser, tmp_path: Path) -> None:
    table = opened(browser, "outcomes", tmp_path)
    assert browser.text(".cells [data-status]") == f"Rows 1 to 50 of {table.height}"
    assert browser.run("return document.querySelector('.cells [data-previous]').disabled")
    browser.run("document.querySelector('.cells [data-next]').focus()")
    browser.press("Enter")
    assert browser.text(".cells [data-status]") == f"Rows 51 to 100 of {table.height}"
    expect_rows(browser, table.slice(50))
    browser.press("Shift+Tab", "Space")
    assert browser.text(".cells [data-status]") == f"Rows 1 to 50 of {table.height}"


def test_all_digits_are_shown_when_asked_for(browser: Browser, tmp_path: Path) -> None:
    table = opened(browser, "one_size", tmp_path)
    length = "return document.querySelector('.cells tbody tr data[value]').closest('tr').lastChild"
    short = browser.run(f"{length}.textContent")
    browser.click(".cells [data-digits]")
    whole = browser.run(f"{length}.textContent")
    assert float(whole) == table["length"][0]
    assert float(short) == float(f"{table['length'][0]:.6g}")
    assert not math.isnan(float(short))


def test_labels_of_users_stay_text(browser: Browser, tmp_path: Path) -> None:
    opened(browser, "truths", tmp_path)
    label: Any = CONFIGS["truths"]["methods"][1]["label"]
    assert browser.run("return document.querySelector('.cells b') === null")
    assert label in browser.text(".cells select[name=method]")
    browser.choose(".cells select[name=method]", 1)
    first = "return document.querySelector('.cells tbody td').textContent"
    assert browser.run(first) == label


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_accessibility_is_broken(browser: Browser, scheme: str, tmp_path: Path) -> None:
    browser.emulate(width=390, scheme=scheme, offline=True)
    opened(browser, "outcomes", tmp_path)
    browser.click(".cells summary")
    assert violations(browser) == []
    assert not browser.run(IS_TOO_WIDE)


def test_without_scripts_the_file_is_named(browser: Browser, tmp_path: Path) -> None:
    browser.without_scripts()
    file = tmp_path / "page.html"
    file.write_text(page_of(cells(results_of("one_size"))), "utf-8")
    browser.open(file)
    assert "Scripts are off: read the cells from the file." in browser.text("main")
    assert (
        json.loads(browser.run("return document.querySelectorAll('form').length.toString()")) == 1
    )
    assert browser.run("return document.querySelector('form').offsetHeight") == 0
