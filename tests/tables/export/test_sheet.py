"""What stands in an exported table: which rows and columns, and how its values read."""

from __future__ import annotations

import polars as pl
import pytest

from harness.base.errors import InputError
from harness.tables.columns import RANKING, TableKind, columns_of
from harness.tables.sheet import raw_sheet, readable_sheet
from tests.study.experiments import ODD_LABEL, part
from tests.study.test_calibrate import FIGURE_12, computed

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
    assert {*sheet.names} == set(columns_of(RANKING, TableKind("proportion"))) - {
        *("family", "worst_from", "worst_to")
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
