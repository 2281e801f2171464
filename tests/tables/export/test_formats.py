"""A table in each format: what a reader of that format gets is what the table holds."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from harness.tables.formats import html, latex, latex_text, markdown
from harness.tables.sheet import Sheet, readable_sheet

HOSTILE = r"[50 %] of $x_1$ & \alpha{} | <b>~^#` -- “½ x₂ ≤ ∞” α@y"
SHEET = Sheet(
    caption="A & B; alpha = 0.05",
    names=("method", "n1", "actual_alpha"),
    is_number=(False, True, True),
    rows=((HOSTILE, "20", "0.0487 ± 0.0010"), ("* plain", "", "-1.2e-06"), ("", "3", "0+")),
)
ENGINES = [name for name in ("tectonic", "lualatex", "xelatex", "pdflatex") if shutil.which(name)]


def latex_cells(text: str) -> tuple[str, list[list[str]]]:
    """The kinds of the columns and the cells of a tabular, heading first."""
    inside = re.search(r"\\begin\{tabular\}\{([lr]+)\}\n(.*)\n\\end\{tabular\}$", text, re.DOTALL)
    assert inside is not None
    lines = inside[2].splitlines()
    rules = [line for line in lines if line.endswith("rule")]
    assert rules == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert (lines[0], lines[2], lines[-1]) == tuple(rules)
    rows = [line for line in lines if not line.endswith("rule")]
    assert all(row.endswith(r" \\") for row in rows)
    return inside[1], [re.split(r"(?<!\\) ?& ?", row.removesuffix(r" \\")) for row in rows]


def is_balanced(cell: str) -> bool:
    """Whether the braces and dollars of a cell, those that are escaped aside, are in pairs."""
    plain = re.sub(r"\\[{}$&#%_]", "", cell)
    depth = 0
    for character in plain:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0 and plain.count("$") % 2 == 0


def outside_mathematics(cell: str) -> str:
    """The text of a cell without its formulas and its commands."""
    plain = re.sub(r"\\[{}$&#%_]", "", cell)
    return re.sub(r"\\[a-z]+\{\}", "", re.sub(r"\$[^$]*\$", "", plain))


def test_a_tabular_has_a_cell_for_each_column_in_every_row():
    kinds, rows = latex_cells(latex(SHEET))
    assert kinds == "lrr"
    assert [len(row) for row in rows] == [3, 3, 3, 3]
    assert rows[0] == ["method", "$n_1$", "actual alpha"]
    assert all(is_balanced(cell) for row in rows for cell in row)


def test_no_special_character_is_left_in_the_text_of_a_tabular():
    _, rows = latex_cells(latex(SHEET))
    for row in rows:
        for cell in row:
            assert not set("\\&%#_^~<>|") & set(outside_mathematics(cell)), cell


def test_numbers_are_mathematics():
    _, rows = latex_cells(latex(SHEET))
    assert rows[1][1:] == ["$20$", r"$0.0487 \pm 0.0010$"]
    assert rows[2][1:] == ["", r"$-1.2 \times 10^{-6}$"]
    assert rows[3][1:] == ["$3$", "$0^+$"]


def test_a_row_does_not_begin_with_what_the_row_before_would_take():
    _, rows = latex_cells(latex(SHEET))
    assert rows[1][0].startswith("{[}")
    assert rows[2][0].startswith("{*}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 %", r"50 \%"),
        ("a\\b", r"a\textbackslash{}b"),
        ("Log of −log p", "Log of $-$log p"),
        ("½ of x₁", r"$\frac{1}{2}$ of x$_1$"),
        ("α, Δ, λ, Α", r"$\alpha$, $\Delta$, $\lambda$, A"),
        ("a--b", "a-{}-b"),
        ("Clopper-Pearson", "Clopper-Pearson"),
    ],
)
def test_characters_of_latex(text, expected):
    assert latex_text(text) == expected


@pytest.mark.skipif(not ENGINES, reason="no TeX engine is installed")
def test_a_tabular_is_set_by_tex(tmp_path):
    document = (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
        f"{latex(SHEET)}\n\\end{{document}}\n"
    )
    (tmp_path / "table.tex").write_text(document, "utf-8")
    quiet = [] if ENGINES[0] == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([ENGINES[0], *quiet, "table.tex"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "table.pdf").stat().st_size > 1000


class Cells(HTMLParser):
    """The caption and the cells of a table, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.caption = ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        elif self.open and self.open[-1] == "caption":
            self.caption += data


def test_a_browser_reads_the_cells_of_the_table():
    cells = Cells()
    cells.feed(html(SHEET))
    cells.close()
    assert cells.open == []
    assert cells.caption == SHEET.caption
    assert cells.rows == [["method", "n1", "actual alpha"], *map(list, SHEET.rows)]


def test_a_reader_of_markdown_gets_the_cells_of_the_table():
    caption, _, heading, rule, *lines = markdown(SHEET).splitlines()
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in (heading, *lines)]
    plain = [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in row] for row in rows]
    assert plain == [["method", "n1", "actual alpha"], *map(list, SHEET.rows)]
    assert rule == "| --- | ---: | ---: |"
    assert caption == "A \\& B; alpha = 0.05"


@pytest.mark.parametrize("table", ["summary", "cells", "ranking", "recommendation"])
def test_every_format_holds_every_row_of_a_result(drawn, table):
    sheet = readable_sheet(drawn, table)
    cells = Cells()
    cells.feed(html(sheet))
    assert [tuple(row) for row in cells.rows[1:]] == list(sheet.rows)
    kinds, rows = latex_cells(latex(sheet))
    assert {len(row) for row in rows} == {len(kinds)} == {len(sheet.names)}
    assert len(rows) == len(sheet.rows) + 1
    assert all(is_balanced(cell) for row in rows for cell in row)
    assert len(markdown(sheet).splitlines()) == len(sheet.rows) + 4
