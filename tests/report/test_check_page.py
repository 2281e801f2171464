"""The page of a check: the words of the terminal, every finding, each counter-example drawn."""

import html
import math
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from harness.checks.check import check
from harness.checks.findings import (
    Finding,
    IntervalExample,
    IntervalRow,
    MissExample,
    NumberExample,
    TailExample,
)
from harness.checks.report import CheckReport
from harness.families.catalogue import PROPORTION
from harness.pages.check import MethodOnPage, check_page, shown
from harness.pages.pictures import picture_of
from harness.report.page import render
from tests.checks.planted.textbook import wald
from tests.report.pages import ids_in, tables_in

HOSTILE = "<img src=x onerror=alert(1)>"
WORDS = ("python", "-m", "harness", "check", "own.py:wald")


@pytest.fixture(scope="module")
def report():
    return check(wald, grid="n=10;alpha=0.05", counter_examples=True)


def page_of(*reports, words=WORDS):
    methods = [MethodOnPage(each, words) for each in reports]
    return render(check_page(methods, "python -m harness check own.py:wald"))


def text_of(page):
    """What a reader sees of a page, without styles and scripts."""
    body = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_the_answer_is_that_of_the_terminal(report):
    text = text_of(page_of(report))
    words = report.verdict_in_words
    assert words.startswith("FAIL: ")
    assert f"✗ FAIL {words.removeprefix('FAIL: ')}" in text
    assert "It is held to the contract nominal." in text
    assert f"K{report.keeps[1:]}" in text


def test_a_method_that_passes_says_what_it_keeps():
    text = text_of(page_of(check("wilson", grid="n=10;alpha=0.05", counter_examples=True)))
    assert "✓ PASS nominal" in text
    assert "Counter-examples" not in text


def test_every_finding_is_in_the_table_with_its_status_in_words(report):
    table = next(each for each in tables_in(page_of(report)) if "Found" in each.heads)
    assert table.heads == ["Status", "Group", "Check", "Found"]
    rows = [(" ".join(status.split()[1:]), *rest) for status, *rest in table.texts]
    assert sorted(rows) == sorted((e.verdict, e.kind, e.check, e.message) for e in report.findings)
    orders = [int(row[0]) for row in table.values]
    assert orders == sorted(orders)


def test_each_failure_is_drawn_below_with_the_command_that_finds_it_again(report):
    page = page_of(report)
    for each in shown(report, WORDS):
        if each.verdict != "fail":
            continue
        assert each.picture is not None
        assert page.count(f'aria-label="{html.escape(each.picture.sentence)}"') >= 1
        assert each.command == "python -m harness check own.py:wald --grid 'n=10;alpha=0.05'"
        assert html.escape(each.command).replace("&#x27;", "&#39;") in page


def test_the_numbers_of_a_picture_are_those_of_the_message(report):
    tables = [each for each in tables_in(page_of(report)) if each.heads[0] == "Interval of"]
    finding = next(each for each in report.findings if each.check == "stays in range")
    lower, upper = (f"{finding.cell[each]:.15g}".replace("-", "−") for each in ("lower", "upper"))
    assert [lower, upper] in [row[1:3] for row in tables[0].texts]


def test_links_of_the_table_lead_to_their_counter_examples(report):
    page = page_of(report)
    links = re.findall(r'href="#([^"]+)"', page)
    ids = ids_in(page)
    assert len(ids) == len(set(ids))
    assert {each for each in links if each != "content"} <= set(ids)


def test_the_same_report_gives_the_same_bytes(report):
    again = check(wald, grid="n=10;alpha=0.05", counter_examples=True)
    assert page_of(report) == page_of(again)


def test_several_methods_are_parts_and_equal_names_are_told_apart(report):
    other = replace(report, method="wilson", findings=report.findings[-1:])
    page = page_of(report, other, report)
    assert "1 of 3 methods pass." in text_of(page)
    headings = re.findall(r'<h2 id="[^"]+" dir="auto">([^<]+)</h2>', page)
    assert headings == ["wald (1): ✗ FAIL", "wilson: ✓ PASS", "wald (2): ✗ FAIL"]
    assert len(ids_in(page)) == len(set(ids_in(page)))


@pytest.mark.parametrize("name", [HOSTILE, "x" * 300, "אבג שלום", "a\x1b[31m\u202eb"])
def test_what_a_user_writes_stays_text(name):
    finding = Finding(name, "conformance", "fail", f"ValueError: {name}", {"n": 3, "alpha": 0.05})
    made = CheckReport(name, "proportion", "none", (finding,), pl.DataFrame(), estimated=PROPORTION)
    page = page_of(made, words=("python", "-m", "harness", "check", name))
    assert HOSTILE not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    if name.isprintable():
        assert f"ValueError: {name}" in text_of(page)


def test_a_reason_of_an_exception_stays_text():
    row = IntervalRow({"x": 1, "n": 3, "alpha": 0.05}, "", math.nan, math.nan, 1 / 3, True, HOSTILE)
    example = IntervalExample("No limits.", "p", "", (0.0, 1.0), (row,))
    finding = Finding("is finite", "conformance", "fail", "m", {}, counter_example=example)
    made = CheckReport(
        "mine", "proportion", "none", (finding,), pl.DataFrame(), estimated=PROPORTION
    )
    page = page_of(made)
    assert HOSTILE not in page
    assert page.count(html.escape(HOSTILE)) == 2  # a row for each limit


def test_a_report_without_counter_examples_has_a_page_without_pictures(report):
    bare = replace(
        report, findings=tuple(replace(each, counter_example=None) for each in report.findings)
    )
    page = page_of(bare)
    assert "<svg" not in page
    assert html.escape(bare.of_verdict("fail")[0].message) in page


def interval(*rows, support=(0.0, 1.0), unit=""):
    made = [
        IntervalRow({"x": at, "n": 9, "alpha": 0.05}, "", *limits, estimate)
        for at, (*limits, estimate) in enumerate(rows)
    ]
    return picture_of(IntervalExample("s", "p", unit, support, tuple(made)))


def test_limits_go_to_their_places_on_the_axis():
    bar, other = interval((0.25, 0.75, 0.5), (0.0, 1.0, 0.1)).bars
    assert other.start < bar.start < bar.dot < bar.end < other.end
    assert bar.dot == pytest.approx((bar.start + bar.end) / 2)
    assert bar.start - other.start == pytest.approx((other.end - other.start) / 4)


def test_what_is_outside_of_the_range_is_shaded():
    picture = interval((-0.5, 0.75, 0.5))
    ((start, width),) = picture.shades
    assert start + width == pytest.approx(next(t.at for t in picture.x_ticks if t.text == "0"))
    assert interval((0.1, 0.75, 0.5)).shades == []


def test_limits_in_the_wrong_order_run_backwards():
    (bar,) = interval((0.75, 0.25, 0.5)).bars
    assert bar.start > bar.end


def test_infinite_limits_are_arrows_and_missing_ones_a_note():
    infinite, missing = interval(
        (1.0, math.inf, 2.0), (math.nan, 3.0, 2.0), support=(0.0, math.inf)
    ).bars
    assert (infinite.is_open_left, infinite.is_open_right) == (False, True)
    assert missing.note == "the lower limit is not a number"


def test_narrow_intervals_have_an_axis_of_their_own():
    picture = interval((0.5, 0.5001, 0.50005))
    assert all(0.49 < float(tick.text) < 0.51 for tick in picture.x_ticks)
    assert len({tick.text for tick in picture.x_ticks}) == len(picture.x_ticks) > 2


def test_limits_of_a_ratio_far_apart_have_a_logarithmic_axis():
    picture = interval((0.01, 100.0, 1.0), support=(0.0, math.inf))
    (bar,) = picture.bars
    assert bar.dot == pytest.approx((bar.start + bar.end) / 2, abs=0.01)


def test_a_long_label_is_cut_and_stands_in_full_in_the_table():
    rows = tuple(
        IntervalRow({"values": f"[{', '.join(['1.25'] * 30)}]", "alpha": a}, "", 0.0, 1.0, 0.5)
        for a in (0.05, 0.05)
    )
    picture = picture_of(IntervalExample("s", "mean", "", (-math.inf, math.inf), rows))
    assert all(len(bar.label) <= 42 for bar in picture.bars)
    assert "1.25, 1.25]" in picture.table.rows[0][0]


def test_tails_stand_on_a_logarithmic_axis_with_the_line_they_should_meet():
    tails = np.array([0.25, 0.025, 0.0025])
    picture = picture_of(
        TailExample(
            "s",
            "x",
            "n = 9",
            np.array([1.0, 2.0, 3.0]),
            {"lower": tails},
            0.025,
            False,
            True,
            ("lower", 3.0),
        )
    )
    by_x = sorted(picture.marks, key=lambda each: each.x)
    assert by_x[1].y == picture.lines[0].y
    assert by_x[2].y - by_x[1].y == pytest.approx(by_x[1].y - by_x[0].y, abs=0.2)
    assert [mark.is_fault for mark in by_x] == [False, False, True]


def test_a_tail_of_nothing_stands_at_the_end_of_the_axis():
    picture = picture_of(
        TailExample(
            "s",
            "x",
            "n",
            np.array([1.0, 2.0]),
            {"upper": np.array([0.0, 0.025])},
            0.025,
            False,
            True,
        )
    )
    assert any("Smaller tails" in note for note in picture.notes)
    assert max(mark.y for mark in picture.marks) == pytest.approx(picture.axis, abs=1)


def test_a_curve_is_cut_above_the_truths_that_it_is_about():
    truths = np.linspace(0, 1, 101)
    missed = np.where(truths < 0.1, 1.0, 0.06)
    made = MissExample(
        "s",
        "p",
        "proportion",
        "n = 9",
        truths,
        missed,
        0.05,
        0.2,
        inside=(0.1, 0.9),
        worst=(0.5, 0.06),
    )
    picture = picture_of(made)
    assert {line.kind for line in picture.lines} == {"desired", "allowed"}
    assert all(picture.top <= line.y < picture.axis for line in picture.lines)
    assert any("goes on below" in note for note in picture.notes)
    assert len(picture.shades) == 2


def test_numbers_are_bars_from_0():
    found, allowed = picture_of(NumberExample("s", "worst alpha", -0.2, 0.1, "allowed")).bars
    assert found.end == allowed.start
    assert found.end - found.start == pytest.approx(2 * (allowed.end - allowed.start), abs=0.05)
