"""The curves in a browser: methods are switched, sizes slid over, values read as in the tables."""

from pathlib import Path

import polars as pl
import pytest

import harness
from harness.report.curves.section import curves
from harness.tables.results import Results
from tests.browser import Browser
from tests.report.accessibility import violations
from tests.report.pages import START
from tests.report.some_runs import page_of, results_of

SETTLED = """
const root = document.querySelector(".curves");
delete root.dataset.milliseconds;
const input = document.querySelector(arguments[0]);
if (["checkbox", "button"].includes(input.type)) input.click();
else { input.value = arguments[1]; input.dispatchEvent(new Event("input", { bubbles: true })); }
while (!root.dataset.milliseconds) await new Promise((go) => setTimeout(go, 5));
return Number(root.dataset.milliseconds);
"""
DRAWN = """
const root = document.querySelector(".curves");
while (!root.dataset.milliseconds) await new Promise((go) => setTimeout(go, 5));
"""
ROWS = """
return [...document.querySelectorAll("#part-curves-values tbody tr")].map(
  (row) => [...row.cells].map((cell) => cell.textContent));
"""
LINES = """
return [...document.querySelectorAll("#part-curves-plot-0 .trace.line")].map((group) => [
  [...group.classList].find((name) => name.startsWith("series-")),
  getComputedStyle(group.querySelector(".js-line")).stroke]);
"""


def opened(browser: Browser, results: Results, folder: Path) -> Path:
    """Open the page with the curves of a run, all of them drawn."""
    file = folder / "page.html"
    file.write_text(page_of(*curves(results)), "utf-8")
    browser.open(file)
    browser.run(START)
    browser.until(True, "return document.querySelector('.curves .plot .js-line') !== null")
    return file


def settle(browser: Browser, selector: str, value: object = None) -> float:
    """Change an input and wait until the curves are drawn; the milliseconds that it took."""
    return float(browser.run(SETTLED, selector, value))


def read_at(browser: Browser, place: int) -> list[list[str]]:
    """The table of values at a place of the axis."""
    browser.choose("#part-curves-at", place)
    browser.run("await new Promise((go) => setTimeout(go, 30))")
    return [list(row) for row in browser.run(ROWS)]


def digits(value: float) -> str:
    return f"{value:.6g}"


def percent(coverage: float) -> str:
    return f"{digits(100 * coverage)} %"


def exact(results: Results, **level: object) -> pl.DataFrame:
    rows = results.cells.filter(engine="enumeration", given="truth", **level)
    return rows.sort("truth")


def test_values_that_are_read_are_those_of_the_tables(browser: Browser, tmp_path: Path) -> None:
    results = results_of("truths")
    opened(browser, results, tmp_path)
    labels = results.cells["method"].unique(maintain_order=True).to_list()
    for size, n in ((0, 5), (1, 150)):
        settle(browser, "#part-curves-size", size)
        for level, alpha in ((0, 0.1), (1, 0.05)):
            settle(browser, "#part-curves-alpha", level)
            for place in (0, 3, 8):
                rows = read_at(browser, place)
                for row, method in zip(rows, labels, strict=True):
                    cells = exact(results, n=n, alpha=alpha, method=method)
                    assert row[1] == percent(1 - cells["actual_alpha"][place])
                    assert row[3] == digits(cells["length"][place])
                truth = exact(results, n=n, alpha=alpha, method="wald")["truth"][place]
                assert browser.text("#part-curves-at-text") == f"p = {digits(truth)}"
                assert browser.text("#part-curves-values caption") == (
                    f"n = {n}, p = {digits(truth)}, nominal {percent(1 - alpha)}"
                )
    assert browser.console() == []
    assert browser.requests() == []


def test_estimates_that_are_read_have_their_intervals(browser: Browser, tmp_path: Path) -> None:
    results = results_of("truths")
    opened(browser, results, tmp_path)
    cells = results.cells.filter(
        engine="monte_carlo", given="truth", n=5, alpha=0.1, method="wald"
    ).sort("truth")
    for place in range(9):
        row = cells.row(place, named=True)
        if row["ci_lower"] is None:
            continue
        low, high = 1 - row["ci_upper"], 1 - row["ci_lower"]
        found = read_at(browser, place)[0][2]
        assert found == f"{percent(1 - row['actual_alpha'])} ({percent(low)}, {percent(high)})"


def test_methods_are_switched_and_keep_their_colours(browser: Browser, tmp_path: Path) -> None:
    opened(browser, results_of("outcomes"), tmp_path)
    assert set(dict(browser.run(LINES))) == {"series-1", "series-2"}
    settle(browser, "[data-switch=all]")
    before = dict(browser.run(LINES))
    assert sorted(before) == ["series-1", "series-2", "series-3", "series-4"]
    assert len(set(before.values())) == 4
    settle(browser, "#part-curves-method-1")
    after = dict(browser.run(LINES))
    assert after == {name: before[name] for name in before if name != "series-2"}
    assert [row[0] for row in browser.run(ROWS)] == [
        "Bayesian minimal length",
        "Clopper-Pearson",
        "Wilson score (upper limit)",
    ]
    settle(browser, "[data-switch=none]")
    assert browser.run(LINES) == []
    settle(browser, "[data-switch=first]")
    assert dict(browser.run(LINES)) == {name: before[name] for name in ("series-1", "series-2")}


def test_keys_slide_over_the_sizes_and_the_sentence_follows(
    browser: Browser, tmp_path: Path
) -> None:
    results = results_of("outcomes")
    opened(browser, results, tmp_path)
    says = [each["say"] for each in curves(results)[0].data["panels"]]
    assert browser.text("#part-curves-say-0") == says[1][0]
    browser.run("document.querySelector('#part-curves-size').focus()")
    for key, place in (("ArrowRight", 2), ("Home", 0), ("End", 2)):
        browser.run("delete document.querySelector('.curves').dataset.milliseconds")
        browser.press(key)
        browser.run(DRAWN)
        assert browser.text("#part-curves-say-0") == says[place][0]
        assert browser.text("#part-curves-say-1") == says[place][1]
        assert browser.text("#part-curves-size-text") == f"n = {(5, 10, 20)[place]}"
        label = browser.run("return document.querySelector('#part-curves-plot-0').ariaLabel")
        assert label == says[place][0]


def test_the_pointer_reads_the_nearest_method(browser: Browser, tmp_path: Path) -> None:
    results = results_of("truths")
    opened(browser, results, tmp_path)
    settle(browser, "#part-curves-method-1")
    point = """
    const plot = document.querySelector(arguments[0]);
    const { xaxis, yaxis, _size } = plot._fullLayout;
    const box = plot.getBoundingClientRect();
    const place = { clientX: box.left + _size.l + xaxis.d2p(arguments[1]),
      clientY: box.top + _size.t + yaxis.d2p(arguments[2]), bubbles: true };
    plot.dispatchEvent(new PointerEvent("pointermove", place));
    plot.dispatchEvent(new MouseEvent("click", place));
    await new Promise((go) => setTimeout(go, 100));
    return [...plot.querySelectorAll(".tip div")].map((each) => each.textContent);
    """
    cells = exact(results, n=5, alpha=0.1, method="wald")
    covered = 1 - cells["actual_alpha"][3]
    found = browser.run(point, "#part-curves-plot-0", 0.402, 100 * covered)
    assert found[:3] == ["Wald", "p = 0.4", f"coverage {percent(covered)}"]
    assert browser.text("#part-curves-at-text") == "p = 0.4"
    found = browser.run(point, "#part-curves-plot-0", 0.42, 90)
    assert found[0] == "Wald"
    p = float(found[1].removeprefix("p = "))
    coverage = float(found[2].removeprefix("coverage ").removesuffix(" %")) / 100
    assert p not in cells["truth"].to_list()
    near = [
        harness.coverage("proportion", "wald", n=5, alpha=0.1, p=p + step) for step in (-2e-5, 2e-5)
    ]
    assert min(abs(float(each.coverage) - coverage) for each in near) < 1e-4
    found = browser.run(point, "#part-curves-plot-1", 0.79, 0.2)
    assert found == ["Wald", "p = 0.8", f"length {digits(cells['length'][7])}"]


def test_lengths_may_be_relative_to_any_method(browser: Browser, tmp_path: Path) -> None:
    results = results_of("truths")
    opened(browser, results, tmp_path)
    settle(browser, "#part-curves-reference", 1)
    rows = read_at(browser, 4)
    wald, wilson = (
        exact(results, n=5, alpha=0.1, method=method)["length"][4]
        for method in results.cells["method"].unique(maintain_order=True)
    )
    assert rows[0][-1].replace("−", "-") == f"{digits(100 * (wald / wilson - 1))} %"
    assert rows[1][-1] == "0 %"
    heads = browser.run(
        "return [...document.querySelectorAll('.curves th')].map((e) => e.innerText)"
    )
    assert 'longer than <b>"Wilson"</b>, ours' in heads
    titles = browser.run("return document.querySelector('#part-curves-plot-1 .ytitle').textContent")
    assert titles == '% longer than<b>"Wilson"</b>, ours'


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize(
    "name", ["outcomes", "truths", "lists", "two_samples", "estimates", "calibrated"]
)
def test_pages_hold_their_width_and_please_axe(
    browser: Browser, tmp_path: Path, name: str, width: int
) -> None:
    browser.emulate(width=width, offline=True)
    opened(browser, results_of(name), tmp_path)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert violations(browser) == []
    assert browser.console() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_scheme_at_once(browser: Browser, tmp_path: Path, scheme: str) -> None:
    opened(browser, results_of("outcomes"), tmp_path)
    browser.emulate(scheme=scheme, offline=True)
    first = dict(browser.run(LINES))["series-1"]
    assert first == {"light": "rgb(0, 114, 178)", "dark": "rgb(74, 168, 224)"}[scheme]
    text = "return getComputedStyle(document.querySelector('.curves .plot text')).fill"
    assert browser.run(text) == {"light": "rgb(27, 31, 36)", "dark": "rgb(230, 234, 238)"}[scheme]
    assert violations(browser) == []


def test_paper_has_the_curves_and_their_names(browser: Browser, tmp_path: Path) -> None:
    opened(browser, results_of("outcomes"), tmp_path)
    browser.emulate(width=760, media="print", scheme="dark", offline=True)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    browser.run("await new Promise((go) => setTimeout(go, 500))")
    assert dict(browser.run(LINES))["series-1"] == "rgb(0, 114, 178)"
    assert "Clopper-Pearson" in browser.text(".curves .legend")
    wide = "return document.querySelector('.curves .plot .main-svg').getBoundingClientRect().width"
    assert browser.run(wide) == 680


def test_pages_without_scripts_have_still_pictures(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(page_of(*curves(results_of("outcomes"))), "utf-8")
    browser.without_scripts()
    browser.open(file)
    count = (
        "return [...document.querySelectorAll(arguments[0])].filter((e) => e.offsetParent).length"
    )
    assert browser.until("complete", "return document.readyState") == "complete"
    assert browser.run(count, ".curves .still") == 4
    assert browser.run(count, ".curves .plot") == 0
    assert browser.run(count, ".curves input") == 0


def test_thirty_methods_are_drawn_again_within_a_second(browser: Browser, tmp_path: Path) -> None:
    config = {
        "name": "thirty",
        "family": "proportion",
        "n": [20, 50],
        "methods": [
            {"name": "balanced_tail", "prior": [0.5 + 0.05 * each, 1], "label": f"prior {each}"}
            for each in range(30)
        ],
        "truth": {"grid": {"start": 0.005, "stop": 0.995, "count": 199}},
        "engines": ["enumeration"],
        "figures": [],
    }
    opened(browser, harness.run(config, out=None), tmp_path)
    settle(browser, "[data-switch=all]")
    assert len(browser.run(LINES)) == 30
    times = [settle(browser, "#part-curves-size", size % 2) for size in range(1, 6)]
    assert min(times) < 1000, times


def test_a_coverage_below_1_is_never_written_as_1(browser: Browser, tmp_path: Path) -> None:
    config = {
        "name": "next_to_1",
        "family": "proportion",
        "n": 5,
        "methods": ["clopper_pearson"],
        "truth": {"values": [1e-9, 1e-5]},
        "engines": ["enumeration"],
        "figures": [],
    }
    opened(browser, harness.run(config, out=None), tmp_path)
    assert [read_at(browser, place)[0][1] for place in (0, 1)] == ["99.9999995 %", "99.995 %"]


def test_one_sided_lengths_are_not_compared(browser: Browser, tmp_path: Path) -> None:
    opened(browser, results_of("outcomes"), tmp_path)
    settle(browser, "[data-switch=all]")
    rows = read_at(browser, 3)
    assert [row[-1] != "" for row in rows] == [True, True, True, False]
    references = (
        "return [...document.querySelector('#part-curves-reference').options].map((e) => e.value)"
    )
    assert browser.run(references) == ["-1", "0", "1", "2"]


def test_sentences_say_whose_they_are_once_methods_are_switched(
    browser: Browser, tmp_path: Path
) -> None:
    results = results_of("outcomes")
    opened(browser, results, tmp_path)
    first, second = curves(results)[0].data["panels"][1]["say"]
    settle(browser, "#part-curves-method-1")
    whose = "Of the 2 methods that are on at first: "
    assert browser.text("#part-curves-say-0") == whose + first
    label = browser.run("return document.querySelector('#part-curves-plot-0').ariaLabel")
    assert label == whose + first
    settle(browser, "[data-switch=first]")
    assert browser.text("#part-curves-say-1") == second
    settle(browser, "#part-curves-reference", 1)
    assert browser.text("#part-curves-say-0") == first
    assert browser.text("#part-curves-say-1") == ""


def test_plots_follow_the_width_of_the_window(browser: Browser, tmp_path: Path) -> None:
    browser.emulate(width=1400, offline=True)
    opened(browser, results_of("outcomes"), tmp_path)
    browser.emulate(width=390, offline=True)
    waits = """
    const off = (plot) => plot.querySelector(".main-svg").getBoundingClientRect().width
      - plot.clientWidth;
    const left = () => [...document.querySelectorAll(".curves .plot")].map(off)
      .filter((each) => Math.abs(each) >= 1).length;
    const until = performance.now() + 5000;
    while (left() && performance.now() < until) await new Promise((go) => setTimeout(go, 20));
    return left();
    """
    assert browser.run(waits) == 0
    assert browser.run("return document.documentElement.scrollWidth") <= 390


def test_stills_stand_until_the_first_drawing(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(page_of(*curves(results_of("outcomes"))), "utf-8")
    browser.open(file)
    shown = """
    const root = document.querySelector(".curves");
    const seen = (text) => getComputedStyle(root.querySelector(text)).display !== "none"
      && getComputedStyle(root.querySelector(text)).visibility !== "hidden";
    root.className = "curves";
    const before = [seen(".stills"), seen(".live")];
    root.classList.add("starting");
    const during = [seen(".stills"), seen(".live")];
    root.classList.replace("starting", "started");
    return [before, during, [seen(".stills"), seen(".live")]];
    """
    assert browser.run(shown) == [[True, False], [True, False], [False, True]]


def test_estimates_are_drawn_in_steps_where_many_methods_are_on(
    browser: Browser, tmp_path: Path
) -> None:
    config = {
        "name": "many_estimates",
        "family": "proportion",
        "n": 120,
        "methods": [
            {"name": "balanced_tail", "prior": [0.5 + 0.1 * each, 1], "label": f"prior {each}"}
            for each in range(8)
        ],
        "truth": {"uniform": [0, 1]},
        "trials": {"per_outcome": 20},
        "seed": 3,
        "figures": [],
    }
    opened(browser, harness.run(config, out=None), tmp_path)
    browser.run("document.querySelector('#part-curves-2-simulated').click()")
    browser.run("document.querySelectorAll('[data-switch=all]')[1].click()")
    browser.run("await new Promise((go) => setTimeout(go, 500))")
    count = "return document.querySelectorAll('#part-curves-2 .trace.simulated .point').length"
    assert browser.text("#part-curves-2-drawn") == "(one in 4 is drawn)"
    assert 8 * 25 <= browser.run(count) <= 320


def test_long_titles_of_axes_are_whole_on_the_page(browser: Browser, tmp_path: Path) -> None:
    config = {
        "name": "long_titles",
        "family": "proportion",
        "n": 10,
        "methods": ["wald", {"name": "wilson", "label": "W" * 10 + " and so on" * 20}],
        "truth": {"values": [0.2, 0.5]},
        "engines": ["enumeration"],
        "figures": [],
    }
    opened(browser, harness.run(config, out=None), tmp_path)
    settle(browser, "#part-curves-reference", 1)
    inside = """
    const plot = document.querySelector("#part-curves-plot-1");
    const box = plot.getBoundingClientRect();
    const title = plot.querySelector(".ytitle").getBoundingClientRect();
    return title.top >= box.top && title.bottom <= box.bottom && title.left >= box.left;
    """
    assert browser.run(inside)
