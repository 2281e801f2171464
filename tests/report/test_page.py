"""The page of results as a file: the same bytes, no address, an identifier for each place."""

import dataclasses
import json
import re
from html import escape
from pathlib import Path

import pytest

import harness
from harness.designs.limits import Limits
from harness.designs.miss_curve import MissCurve, of_one_sample
from harness.designs.one_sample.design import OneSampleSolver
from harness.findings.answer import found_answer
from harness.kinds.stored import load
from harness.pages.results_page import results_page
from harness.report.page import Page, PagePart, render
from harness.report.sections import answer_section
from harness.runner.storage import EXPLORER_PAGE, is_page
from harness.tables.results import Results
from tests.browser import Browser, BrowserError
from tests.report.pages import STORED, ids_in, tags_in

COMMAND = "python -m harness report results/three_methods"
HOSTILE = "<img src=x onerror=document.title='run'>"


def test_the_same_results_give_the_same_bytes(three_methods: Results) -> None:
    assert three_methods.path is not None
    read = harness.load(three_methods.path)
    first, second = (render(results_page([each], COMMAND)) for each in (three_methods, read))
    assert first == second


def test_a_page_names_no_address_to_load_from(three_methods: Results) -> None:
    page = render(results_page([three_methods], COMMAND))
    text = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"""(?:src|href|action)=["']?(?!#|data:)[^"'\\s>]+""", text) == []
    assert "default-src 'none'" in text


def test_ids_are_unique_and_begin_with_their_part(three_methods: Results) -> None:
    page = results_page([three_methods, three_methods], COMMAND)
    ids = ids_in(render(page))
    assert len(ids) == len(set(ids))
    keys = tuple(part.key for part in page.parts)
    assert keys == ("three_methods", "three_methods_2")
    assert [each for each in ids if not each.startswith((*keys, "page-content"))] == []


def test_no_name_of_a_result_gives_an_id_of_another_part(three_methods: Results) -> None:
    names = ("x", "x-answer", "page-content", "x/answer")
    several = [
        Results(
            three_methods.cells, three_methods.summary, {**three_methods.manifest, "name": name}
        )
        for name in names
    ]
    ids = ids_in(render(results_page(several, COMMAND)))
    assert sorted(set(ids)) == sorted(ids)
    parts = [
        PagePart(key, key, [answer_section(found_answer(three_methods))])
        for key in ("x", "x-answer", "content")
    ]
    ids = ids_in(render(Page("A page", parts)))
    assert sorted(set(ids)) == sorted(ids)


def test_a_page_says_what_it_is_of(three_methods: Results, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    page = results_page([three_methods], COMMAND)
    file.write_text(render(page), "utf-8")
    assert is_page(file)
    assert not is_page(file, EXPLORER_PAGE)
    file.write_text(render(Page("A page of a check", page.parts)), "utf-8")
    assert not is_page(file)


def test_several_results_have_a_part_each_and_a_list_of_them(three_methods: Results) -> None:
    names = ("fig03", "fig05", "fig12-rates")
    several = [load(STORED / "ross2003" / name, with_cells=False) for name in names]
    page = results_page(several, COMMAND)
    assert page.title == "ross2003: 3 experiments"
    text = render(page)
    for part, each in zip(page.parts, several, strict=True):
        assert f'<a href="#{part.key}" dir="auto">{escape(each.manifest["title"])}</a>' in text
    assert tags_in(text).count("article") == 3
    mixed = results_page([*several, three_methods], COMMAND)
    assert mixed.title == "4 experiments"


def test_data_cannot_end_their_script(three_methods: Results) -> None:
    told = {"text": f"</script>{HOSTILE}"}
    section = dataclasses.replace(answer_section(found_answer(three_methods)), data=told)
    text = render(Page("A page", [PagePart("run", "A run", [section])]))
    (island,) = re.findall(r'<script type="application/json">(.*?)</script>', text)
    assert json.loads(island) == told


# The browser of the tests does what its functions say.


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


def test_a_page_computes_each_exact_curve_once(
    three_methods: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[tuple[float, bytes]] = []

    def counted(solver: OneSampleSolver, limits: Limits) -> MissCurve:
        computed.append((solver.scenario.size, limits.lower.tobytes()))
        return of_one_sample(solver.scenario, limits)

    monkeypatch.setattr(OneSampleSolver, "miss_curve", counted)
    results_page([dataclasses.replace(three_methods, curves={})], "")
    assert len(computed) == 2 * 3
    assert len(set(computed)) == len(computed)
