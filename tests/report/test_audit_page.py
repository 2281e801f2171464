"""The page of an audit: every function, the first failure of each drawn, what was seen."""

import html
from dataclasses import replace

import pytest

from harness.checks.audit.audit import (
    Audit,
    Audited,
    FunctionEntry,
    Observation,
    Reproduction,
    Skipped,
    load_list,
    run_audit,
)
from harness.pages.audit import audit_page
from harness.report.page import render
from tests.report.pages import ids_in, tables_in

HOSTILE = "<img src=x onerror=alert(1)>"
LIST = """
packages:
  - name: numpy
    language: python
    functions:
      - {method: clopper_pearson, family: proportion, grid: "n=10;alpha=0.05"}
      - {method: "FOLDER/own.py:reversed_limits", family: proportion, grid: "n=10;alpha=0.05"}
      - {method: no_such_method, family: proportion}
"""
OWN = """
def reversed_limits(x, n, alpha):
    return 1.0 + 0 * x, 0.0 * x
"""
SEEN = Observation(
    package="numpy",
    functions=["add"],
    version="1",
    kind="weakness",
    title=f"One and one {HOSTILE}",
    text="The sum is written with a point.",
    lines="print(1.0 + 1)",
    prints="2.0",
)


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    (folder / "own.py").write_text(OWN)
    (folder / "list.yaml").write_text(LIST.replace("FOLDER", str(folder)), "utf-8")
    found = run_audit(load_list(folder / "list.yaml"), seed=1, timeout=60.0, counter_examples=True)
    seen = (Reproduction(SEEN, "2.4", "2.0"), Reproduction(SEEN, "2.4", "3.0"))
    skipped = (Skipped("absent", 2, "the Python package absent is not installed"),)
    return replace(found, reproductions=seen, skipped=skipped)


def page_of(audit):
    return render(audit_page(audit, "python -m harness audit"))


def test_every_function_is_in_the_table_with_its_verdict_in_words(audit):
    (table,) = (each for each in tables_in(page_of(audit)) if each.heads[0] == "Function")
    rows = {row[0].strip(): row for row in table.texts}
    assert set(rows) == {"clopper_pearson", "reversed_limits", "no_such_method"}
    assert rows["clopper_pearson"][3].split() == ["✓", "sound", "(at", "n=10;", "alpha=0.05)"]
    assert "fails: is ordered" in rows["reversed_limits"][3]
    assert "not checked" in rows["no_such_method"][3]
    assert rows["clopper_pearson"][4] == "at-least"
    sound = next(each for each in audit.functions if each.function == "clopper_pearson")
    values = {row[0].strip(): row for row in table.values}
    assert float(values["clopper_pearson"][5]) == 1 - sound.worst_alpha


def test_the_first_failure_of_a_function_is_drawn_with_its_command(audit):
    page = page_of(audit)
    assert page.count('<article class="example') == 1
    assert 'aria-label="The lower limit 1 lies above the upper limit 0."' in page
    assert "own.py:reversed_limits --contract none --grid" in page
    assert 'href="#audit-examples-1"' in page
    assert "audit-examples-1" in ids_in(page)


def test_what_was_seen_of_functions_has_the_lines_and_what_they_print(audit):
    page = page_of(audit)
    assert "<code>print(1.0 + 1)</code>" in page
    assert '<p>prints <code dir="auto">2.0</code>.</p>' in page
    assert 'with version 1, and prints <code dir="auto">3.0</code> with this one' in page
    assert (
        "Skipped: absent (2 functions), since the Python package absent is not installed." in page
    )


def test_text_of_the_list_stays_text(audit):
    page = page_of(audit)
    assert HOSTILE not in page
    assert html.escape(HOSTILE) in page


def test_the_time_that_a_function_took_is_not_on_the_page(audit):
    later = tuple(replace(each, seconds=each.seconds + 100) for each in audit.functions)
    assert page_of(replace(audit, functions=later)) == page_of(audit)


def test_an_audit_of_nothing_has_a_page():
    entry = FunctionEntry(method="scipy:exact", family="proportion")
    refused = Audited("scipy", "1", entry, None, "it is not there", 0.0)
    for functions in ((), (refused,)):
        page = page_of(Audit(functions, (), (), 1))
        assert f"{len(functions)} of {len(functions)} functions" in page
        assert "<svg" not in page
