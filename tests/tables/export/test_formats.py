"""A table in each format: what a reader of that format gets is what the table holds."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import polars as pl
import pytest

from harness.base.errors import InputError
from harness.families.catalogue import family_of
from harness.tables.answers import LEAST_LENGTHS
from harness.tables.columns import RANKING, TableKind, columns_of
from harness.tables.formats import html, latex, latex_text, markdown
from harness.tables.sheet import Sheet, raw_sheet, readable_sheet
from tests.study.experiments import ODD_LABEL, part
from tests.study.test_calibrate import FIGURE_12, computed

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


# What stands in an exported table: which rows and columns, and how its values read.


ONE = ("n=12,alpha=0.05",)


def column(sheet, name):
    place = sheet.names.index(name)
    return [row[place] for row in sheet.rows]


def test_methods_have_titles_and_the_labels_that_the_user_gave(drawn):
    sheet = readable_sheet(drawn, where=[*ONE, "engine=enumeration"])
    assert column(sheet, "method") == [
        *("Wald", "Clopper-Pearson (upper limit)"),
        *(ODD_LABEL, "Bayesian minimal length"),
    ]
    labels = readable_sheet(drawn, where=[*ONE, "engine=enumeration"], labels=True)
    assert column(labels, "method")[:2] == ["wald", "clopper_pearson upper"]


def test_an_estimate_has_its_standard_error_beside_it(drawn):
    where = [*ONE, "method=minimal_length", "engine=monte_carlo"]
    row = part(drawn.summary, n=12, alpha=0.05, method="minimal_length", engine="monte_carlo")
    value, error = row["actual_alpha"].item(), row["std_error"].item()
    sheet = readable_sheet(drawn, where=where)
    assert column(sheet, "actual_alpha") == [f"{value:.4f} ± {error:.4f}"]
    assert not {"std_error", "ci_lower"} & set(sheet.names)
    rounded = readable_sheet(drawn, where=where, columns=["actual_alpha", "coverage"], digits=2)
    assert rounded.rows[0][1] == f"{1 - value:.3f} ± {error:.3f}"


def test_an_estimate_has_its_interval_where_that_is_asked_for_or_all_there_is(drawn):
    where = [*ONE, "engine=monte_carlo"]
    rows = part(drawn.summary, n=12, alpha=0.05, engine="monte_carlo")
    expected = [
        f"{value:.4f} ({lower:.4f}, {upper:.4f})"
        for value, lower, upper in rows.select("actual_alpha", "ci_lower", "ci_upper").rows()
    ]
    sheet = readable_sheet(drawn, where=where, errors="interval")
    assert column(sheet, "actual_alpha") == expected
    # A fraction of 0 has an interval and no standard error.
    nothing = drawn.cells.filter(pl.col("ci_lower").is_not_null() & pl.col("std_error").is_null())
    row = nothing.row(0, named=True)
    names = ("method", "alpha", "n", "x", "engine")
    cell = readable_sheet(drawn, "cells", where=[f"{name}={row[name]}" for name in names])
    assert column(cell, "actual_alpha")[0].endswith(")")
    without = readable_sheet(drawn, where=where, errors="none")
    assert column(without, "actual_alpha") == [f"{value:.4f}" for value in rows["actual_alpha"]]


def test_what_is_the_same_in_all_rows_is_in_the_caption(drawn):
    sheet = readable_sheet(drawn, where=["n=5,engine=enumeration,method=wald"])
    assert sheet.caption == (
        "Truths drawn from a range; side = two-sided; n = 5; engine = enumeration"
    )
    assert sheet.names == ("method", "alpha", "actual_alpha", "worst_alpha", "worst_truth", *LAST)
    assert column(sheet, "alpha") == ["0.3", "0.05"]


LAST = ("mean_length",)


def test_columns_are_those_asked_for_in_that_order(drawn):
    asked = ["mean_length", "n", "method"]
    assert readable_sheet(drawn, columns=asked).names == tuple(asked)
    assert raw_sheet(drawn, columns=asked).columns == asked


def test_a_program_gets_every_column_and_every_digit(drawn):
    raw = raw_sheet(drawn, labels=True)
    assert raw.equals(drawn.summary)
    titled = raw_sheet(drawn, where=["method=Bayesian minimal length"])
    assert titled.drop("method").equals(part(drawn.summary, method="minimal_length").drop("method"))
    assert set(titled["method"]) == {"Bayesian minimal length"}
    assert raw_sheet(drawn, digits=2, columns=["alpha", "n"]).row(0) == ("0.3", 1)


def test_rows_are_chosen_by_labels_titles_and_numbers(drawn):
    def rows(*where):
        return raw_sheet(drawn, where=where, labels=True)

    assert rows(f"method={ODD_LABEL},n=5").equals(part(drawn.summary, method=ODD_LABEL, n=5))
    assert set(rows("n=1,n=5")["n"]) == set(rows("n=1,5")["n"]) == set(rows("n=1", "n=5")["n"])
    assert set(rows("alpha=5e-2")["alpha"]) == {0.05}
    assert set(rows("method=wald,minimal_length")["method"]) == {"wald", "minimal_length"}


@pytest.mark.parametrize("table", ["cells", "ranking", "recommendation", "columns"])
def test_every_table_of_a_result_is_there(listed, table):
    sheet = readable_sheet(listed, table)
    assert len(sheet.rows) == {**listed.tables, "columns": listed.dictionary}[table].height
    assert all(len(row) == len(sheet.names) == len(sheet.is_number) for row in sheet.rows)


def test_a_ranking_has_the_columns_that_the_screen_shows(drawn):
    sheet = readable_sheet(drawn, "ranking")
    assert {*sheet.names} == set(columns_of(RANKING, TableKind(family_of("proportion")))) - {
        *("family", "worst_from", "worst_to"),
        *LEAST_LENGTHS,
    }


def test_a_calibration_has_its_bins_with_errors():
    results = computed(FIGURE_12, trials=2000)
    assert readable_sheet(results).names == tuple(results.summary.columns[2:])
    sheet = readable_sheet(results, "cells", columns=["bin_upper", "trials", "fraction"])
    row = results.cells.row(3, named=True)
    assert sheet.rows[3][:2] == (f"{row['bin_upper']:.15g}", str(row["trials"]))
    assert sheet.rows[3][2] == f"{row['fraction']:.4f} ± {row['std_error']:.4f}"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"name": "rankings"}, "no table 'rankings', only summary, cells, ranking, .*mean ranking"),
        ({"columns": ["lenght"]}, "--columns: summary has no column 'lenght', only family, method"),
        ({"where": ["m=wald"]}, "--where: summary has no column 'm', only family, method"),
        ({"where": ["n=7"]}, "--where: summary has no row with n=7, only 1, 5, 12$"),
        ({"where": ["n=five"]}, "--where: summary has no row with n=five, only 1, 5, 12$"),
        ({"where": ["wald"]}, "--where should be COLUMN=VALUE, as in n=50 .* found 'wald'"),
        (
            {"where": ["method=clopper_pearson upper,side=two-sided"]},
            "--where: no row of summary meets method=clopper_pearson upper,side=two-sided",
        ),
    ],
)
def test_what_is_not_there_is_refused_with_the_names_there_are(drawn, asked, message):
    with pytest.raises(InputError, match=message):
        readable_sheet(drawn, **asked)
