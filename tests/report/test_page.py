"""The page of results as a file: the same bytes, no address, an identifier for each place."""

from __future__ import annotations

import dataclasses
import json
import re
from html import escape
from pathlib import Path

import harness
from harness.report.page import Page, Part, render
from harness.report.results_page import answer, results_page
from harness.tables.results import Results, load_tables
from harness.tables.storage import EXPLORER_PAGE, is_page
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
    names = ("x", "x-answer", "content", "page", "page-content", "x/answer", "x_answer_2")
    several = [
        Results(
            three_methods.cells, three_methods.summary, {**three_methods.manifest, "name": name}
        )
        for name in names
    ]
    ids = ids_in(render(results_page(several, COMMAND)))
    assert sorted(set(ids)) == sorted(ids)
    parts = [Part(key, key, [answer(three_methods)]) for key in ("x", "x-answer", "content")]
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
    several = [load_tables(STORED / "ross2003" / name) for name in names]
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
    section = dataclasses.replace(answer(three_methods), data=told)
    text = render(Page("A page", [Part("run", "A run", [section])]))
    (island,) = re.findall(r'<script type="application/json">(.*?)</script>', text)
    assert json.loads(island) == told
