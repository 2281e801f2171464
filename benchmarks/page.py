"""How fast the largest page of results is in a browser: ``python -m benchmarks.page [DIR]``.

DIR is a folder with the results of ``configs/catalogue.yaml``, thirty methods at eight sizes;
without it the config is run first, which takes some minutes. The page is opened from disk with the
network off. An interaction ends when the browser is about to draw the second frame after it, so
that an empty one takes up to two frames, which are measured beside it.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import harness
from benchmarks.timing import report, seconds
from tests.browser import INSTALL, Browser, installed, open_browser

_FRAMES = """
const frame = () => new Promise((done) => requestAnimationFrame(done));
const select = (text, at = 0) => document.querySelectorAll(text)[at];
const fire = (input, kinds = ["input", "change"]) => {
  for (const kind of kinds) input.dispatchEvent(new Event(kind, { bubbles: true }));
};
for (const section of document.querySelectorAll("[data-section]")) await report.start(section);
await frame(); await frame();
"""
_TIMED = """
const before = performance.now();
{act}
await frame(); await frame();
return performance.now() - before;
"""
INTERACTIONS = {
    "nothing, two frames": "",
    "a method of the curves is switched off": "select('.curves [data-method]').click();",
    "all methods of the curves are switched on": "select('.curves [data-switch=all]').click();",
    "another size, with all methods on": (
        "const size = select('.curves [data-set=size]');"
        "size.value = String((Number(size.value) + 3) % 8); fire(size);"
    ),
    "Monte Carlo is switched, with all methods on": (
        "select('.curves [data-set=simulated]').click();"
    ),
    "another method of the map": (
        "const choice = select('.maps [data-method]');"
        "choice.selectedIndex = (choice.selectedIndex + 7) % choice.options.length; fire(choice);"
    ),
    "another engine of the cells": (
        "const choice = select('.cells select');"
        "choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length; fire(choice);"
    ),
    "the cells are sorted": "select('.cells thead button', 4).click();",
    "the cells are filtered": (
        "const bound = select('.cells [data-bound]');"
        "bound.value = bound.value ? '' : '0.05'; fire(bound);"
    ),
    "the ranked table is sorted": "select('.answer thead button', 2).click();",
}
REPEATS = 7


def measure(results: harness.Results, folder: Path) -> None:
    """Print the size of the page, how long it takes to load, and each interaction."""
    from harness.pages.results_page import results_page
    from harness.report.page import render

    made = [""]

    def make() -> None:
        made[0] = render(results_page([results], "python -m harness report DIR"))

    took = seconds(make, 1)
    page = folder / "report.html"
    page.write_text(made[0], "utf-8")
    report("the page of 30 methods at 8 sizes, MB", f"{page.stat().st_size / 1e6:.2f}", "< 5")
    report("making it, s", f"{took:.1f}", "-")
    with open_browser() as browser:
        browser.emulate(offline=True)
        loads = [_load(browser, page) for _ in range(5)]
        report("loading it, median of 5, ms", f"{statistics.median(loads):.0f}", "< 1000")
        browser.run(_FRAMES)
        for what, act in INTERACTIONS.items():
            script = _FRAMES + _TIMED.replace("{act}", act)
            took_each = [float(browser.run(script)) for _ in range(REPEATS)]
            found = f"{statistics.median(took_each):.0f} to {max(took_each):.0f}"
            report(f"{what}, median and largest of {REPEATS}, ms", found, "< 200")


def _load(browser: Browser, page: Path) -> float:
    """The milliseconds until the page is loaded and its first section can be used."""
    browser.open("about:blank")
    browser.open(page)
    return float(
        browser.run(
            "const [each] = performance.getEntriesByType('navigation');"
            "const paints = performance.getEntriesByType('paint').map((one) => one.startTime);"
            "return Math.max(each.loadEventEnd, ...paints);"
        )
    )


def main(stored: str | None = None) -> int:
    """Run the benchmark, with stored results if they are named."""
    if not installed():
        sys.stderr.write(f"It needs Chromium and its driver: {INSTALL}\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        results = (
            harness.load(stored) if stored else harness.run("configs/catalogue.yaml", out=place)
        )
        measure(results, place)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
