"""The two tables of a run: their columns, their order, and that they are consistent."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from harness.families.catalogue import family_of
from harness.methods.catalogue import PROPORTION
from harness.tables.columns import TableKind, columns_of
from tests.study.experiments import DRAWN, LISTED, ODD_LABEL, in_memory, part

SUMMARY, CELLS = (
    columns_of(name, TableKind(family_of("proportion"))) for name in ("summary", "cells")
)
SUMMARY_COLUMNS = [
    *("family", "method", "side", "alpha", "n", "engine", "trials", "miss_below", "miss_above"),
    *("actual_alpha", "std_error", "ci_lower", "ci_upper", "alpha_error", "alpha_error_min"),
    *("alpha_error_max", "coverage", "mean_coverage", "min_coverage", "worst_alpha"),
    *("worst_truth", "worst_from", "worst_to", "worst_alpha_anywhere", "mean_length"),
    *("mean_length_std_error", "mean_from", "rms_alpha_error", "interval_score"),
    *("least_length_guaranteed", "least_length_deterministic", "least_length_on_average"),
    *("efficiency_guaranteed", "efficiency_on_average"),
]
CELL_COLUMNS = [
    *("family", "method", "side", "alpha", "n", "engine", "given", "x", "truth", "trials"),
    *("miss_below", "miss_above", "actual_alpha", "std_error", "ci_lower", "ci_upper"),
    *("alpha_error", "lower", "upper", "length"),
]
ENGINES = ["monte_carlo", "posterior", "enumeration"]
ESTIMATE = ["trials", "std_error", "ci_lower", "ci_upper"]
WORST = ["worst_alpha", "worst_truth", "worst_from", "worst_to", "worst_alpha_anywhere"]
WORST += ["mean_coverage", "min_coverage"]
KEY = ["method", "alpha", "n", "engine"]
# Weighted sums of a dozen terms.
SUMMED = 1e-13


@pytest.fixture(params=["drawn", "listed"])
def results(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["cells", "summary"])
def table(request, results):
    return getattr(results, request.param)


def test_columns_are_those_documented_in_that_order(results):
    assert results.summary.columns == list(SUMMARY) == SUMMARY_COLUMNS
    assert results.cells.columns == list(CELLS) == CELL_COLUMNS
    assert dict(results.summary.schema) == SUMMARY
    assert dict(results.cells.schema) == CELLS


def test_rows_stand_in_the_order_of_the_config_then_ascending(results):
    methods = ["wald", "clopper_pearson upper", ODD_LABEL, "minimal_length"]
    alphas = results.manifest["experiment"]["alpha"]
    for table in (results.cells, results.summary):
        rank = table.select(
            pl.col("method").replace_strict(methods, range(4)).alias("method"),
            pl.col("alpha").replace_strict(alphas, range(2)).alias("alpha"),
            "n",
            pl.col("engine").replace_strict(ENGINES, range(3)).alias("engine"),
        )
        assert_frame_equal(rank, rank.sort(rank.columns, maintain_order=True))
    for _, cells in results.cells.group_by(*KEY, "given"):
        condition = cells["x"] if cells["given"][0] == "outcome" else cells["truth"]
        assert (condition.diff().drop_nulls() > 0).all()
    for _, cells in results.cells.group_by(*KEY):
        assert cells["given"].is_sorted()


def test_no_row_stands_twice(results):
    assert not results.summary.select(*KEY).is_duplicated().any()
    assert not results.cells.select(*KEY, "given", "x", "truth").is_duplicated().any()
    assert results.summary.height == 4 * 2 * 3 * 3


def test_no_value_is_not_a_number_infinite_or_minus_zero(table):
    floats = table.select(pl.col(pl.Float64))
    for column in floats:
        values = column.drop_nulls().to_numpy()
        assert np.isfinite(values).all(), column.name
        assert not np.signbit(values[values == 0]).any(), column.name


def test_a_table_is_one_chunk(table):
    assert table.n_chunks() == 1


def test_what_an_engine_does_not_know_is_empty_and_nothing_else(results):
    cells = results.cells
    drawn = pl.col("engine") == "monte_carlo"
    given_outcome = pl.col("given") == "outcome"
    fixed = "per_truth" in results.manifest["experiment"]["trials"]
    for name in ESTIMATE:
        # Given an outcome, counts of fixed trials at each truth are no binomials.
        blank = fixed and name != "trials"
        with_error = drawn & ~given_outcome if blank else drawn
        if name == "std_error":
            # It is not known of a fraction 0 or 1.
            with_error &= pl.col("actual_alpha").is_between(0, 1, closed="none")
            assert (cells.drop_nulls(name)[name] > 0).all()
        assert cells.filter(with_error)[name].null_count() == 0
        assert not blank or cells.filter(drawn & given_outcome)[name].is_null().all()
        assert cells.filter(~drawn)[name].null_count() == cells.filter(~drawn).height
    assert cells.filter(given_outcome)["x"].null_count() == 0
    assert cells.filter(given_outcome)["truth"].is_null().all()
    assert cells.filter(~given_outcome)["x"].is_null().all()
    assert cells.filter(~given_outcome)["truth"].null_count() == 0
    for name in ("lower", "upper"):
        assert cells.filter(given_outcome)[name].null_count() == 0
        assert cells.filter(~given_outcome)[name].is_null().all()
    assert cells.filter(given_outcome)["length"].null_count() == 0
    for name in ("miss_below", "miss_above", "actual_alpha", "alpha_error"):
        assert cells[name].null_count() == 0
    summary = results.summary
    for name in ESTIMATE:
        between = pl.col("actual_alpha").is_between(0, 1, closed="none")
        known = drawn & between if name == "std_error" else drawn
        assert summary.filter(known)[name].null_count() == 0
        assert summary.filter(~known)[name].is_null().all()
    for name in WORST:
        assert part(summary, engine="enumeration")[name].null_count() == 0
        assert summary.filter(pl.col("engine") != "enumeration")[name].is_null().all()
    two_sided = pl.col("side") == "two-sided"
    for name, known in (("rms_alpha_error", True), ("interval_score", two_sided)):
        enumerated = (pl.col("engine") == "enumeration") & known
        assert summary.filter(enumerated)[name].null_count() == 0
        assert summary.filter(~enumerated)[name].is_null().all()
    for name in ("alpha_error_min", "alpha_error_max"):
        assert summary.filter(~drawn)[name].null_count() == 0
        assert summary.filter(drawn)[name].is_null().all()
    known = ["actual_alpha", "alpha_error", "coverage", "mean_length"]
    assert summary.select(known).null_count().row(0) == (0,) * 4


def test_a_drawn_truth_has_cells_given_the_outcome_and_a_listed_one_given_both(drawn, listed):
    assert set(drawn.cells["given"]) == {"outcome"}
    for engine in ("monte_carlo", "enumeration"):
        assert set(part(listed.cells, engine=engine)["given"]) == {"outcome", "truth"}
    assert set(part(listed.cells, engine="posterior")["given"]) == {"outcome"}
    assert part(listed.cells, engine="enumeration")["truth"].drop_nulls().unique().to_list() == [
        *(0, 0.25, 0.5, 1),
    ]


def test_alphas_add_up(table):
    known = table.filter(pl.col("actual_alpha").is_not_null())
    total = known["miss_below"] + known["miss_above"]
    assert (total - known["actual_alpha"]).abs().max() <= 2**-52
    assert (known["alpha"] - known["actual_alpha"] - known["alpha_error"]).abs().max() == 0
    for name in ("miss_below", "miss_above", "actual_alpha"):
        assert 0 <= known[name].min() <= known[name].max() <= 1


def test_limits_of_a_cell_are_the_methods(results):
    specs = {
        "wald": ("wald", "two-sided", None),
        "clopper_pearson upper": ("clopper_pearson", "upper", None),
        ODD_LABEL: ("balanced_tail", "two-sided", (0.5, 2.0)),
        "minimal_length": ("minimal_length", "two-sided", None),
    }
    cells = part(results.cells, given="outcome")
    assert set(cells["method"]) == set(specs)
    for (label, alpha, side), rows in cells.group_by("method", "alpha", "side"):
        name, expected_side, prior = specs[label]
        assert side == expected_side
        data = (rows["x"].cast(pl.Float64).to_numpy(), rows["n"].cast(pl.Float64).to_numpy())
        lower, upper = PROPORTION[name].limits(data, alpha, side, prior)
        np.testing.assert_array_equal(rows["lower"], lower)
        np.testing.assert_array_equal(rows["upper"], upper)
        np.testing.assert_array_equal(rows["length"], upper - lower)


def test_monte_carlo_totals_are_the_sums_of_the_cells(results):
    for given in set(results.cells["given"]):
        cells = part(results.cells, engine="monte_carlo", given=given)
        totals = cells.group_by("method", "alpha", "n", maintain_order=True).agg(
            pl.col("trials").sum().alias("all"),
            *(
                (pl.col(name) * pl.col("trials")).round().sum().cast(pl.Int64).alias(name)
                for name in ("miss_below", "miss_above")
            ),
        )
        rows = part(results.summary, engine="monte_carlo")
        assert rows["trials"].to_list() == totals["all"].to_list()
        for name in ("miss_below", "miss_above"):
            expected = (totals[name] / totals["all"]).to_list()
            assert rows[name].to_list() == expected


def test_monte_carlo_fractions_are_counts_over_trials_with_their_own_error(table):
    # Given an outcome, counts of fixed trials at each truth are no binomials and have no error.
    rows = part(table, engine="monte_carlo").drop_nulls("ci_lower")
    assert rows.height > 0
    count = rows["actual_alpha"] * rows["trials"]
    assert (count - count.round()).abs().max() < 1e-9
    fraction, trials = rows["actual_alpha"].to_numpy(), rows["trials"].to_numpy()
    expected = np.sqrt(fraction * (1 - fraction) / trials)
    expected[expected == 0] = np.nan
    np.testing.assert_allclose(rows["std_error"].to_numpy(), expected, rtol=1e-9)
    assert (rows["ci_lower"] <= rows["actual_alpha"]).all()
    assert (rows["actual_alpha"] <= rows["ci_upper"]).all()
    data = (np.round(count.to_numpy()), trials.astype(float))
    lower, upper = PROPORTION["minimal_length"].limits(data, 0.05)
    np.testing.assert_allclose(rows["ci_lower"], lower, rtol=1e-13)
    np.testing.assert_allclose(rows["ci_upper"], upper, rtol=1e-13)


def test_extremes_are_those_of_the_cells(results):
    """By truth where the truths are listed and the engine knows them, by outcome elsewhere.

    Those of counts are the extremes of noise, and are left out.
    """
    for row in results.summary.filter(pl.col("engine") != "monte_carlo").iter_rows(named=True):
        cells = part(results.cells, **{name: row[name] for name in KEY})
        given = "truth" if "truth" in set(cells["given"]) else "outcome"
        errors = part(cells, given=given)["alpha_error"]
        assert (row["alpha_error_min"], row["alpha_error_max"]) == (errors.min(), errors.max())


def test_the_exact_mean_of_listed_truths_is_the_mean_over_them(listed):
    for row in part(listed.summary, engine="enumeration").iter_rows(named=True):
        cells = part(listed.cells, given="truth", **{name: row[name] for name in KEY})
        for mean, name in (("miss_below",) * 2, ("miss_above",) * 2, ("mean_length", "length")):
            assert row[mean] == pytest.approx(cells[name].mean(), rel=SUMMED, abs=1e-17)


def test_the_exact_mean_is_the_same_given_truths_and_given_outcomes(listed):
    """Outcomes weighed by how often they came up: five standard errors of 1200 trials."""
    for n in (1, 5, 12):
        levels = {"method": "minimal_length", "alpha": 0.3, "n": n}
        drawn = part(listed.cells, engine="monte_carlo", given="outcome", **levels)
        exact = part(listed.cells, engine="enumeration", given="outcome", **levels)
        both = drawn.join(exact, on="x", suffix="_exact")
        weight = both["trials"] / both["trials"].sum()
        mean = (both["actual_alpha_exact"] * weight).sum()
        row = part(listed.summary, engine="enumeration", **levels)
        assert mean == pytest.approx(row["actual_alpha"][0], abs=5 * (0.25 / 1200) ** 0.5)


def test_the_worst_case_is_no_better_than_any_listed_truth(listed):
    worst = part(listed.summary, engine="enumeration")
    for row in worst.iter_rows(named=True):
        cells = part(listed.cells, given="truth", **{name: row[name] for name in KEY})
        assert row["worst_alpha"] >= cells["actual_alpha"].max() - 1e-12
        assert row["worst_alpha"] >= row["alpha"] - row["alpha_error_min"] - 1e-12
        assert 0 <= row["worst_truth"] <= 1


def test_the_worst_case_is_over_the_range_of_the_truths_and_anywhere_over_all(results):
    low, high = results.manifest["experiment"]["truth"].get("uniform", (0, 1))
    rows = part(results.summary, engine="enumeration")
    assert set(rows["worst_from"]) == {low}
    assert set(rows["worst_to"]) == {high}
    assert rows["worst_truth"].is_between(low, high).all()
    assert (rows["worst_alpha"] >= rows["actual_alpha"]).all()
    assert (rows["worst_alpha_anywhere"] >= rows["worst_alpha"]).all()
    narrower = (rows["worst_alpha_anywhere"] > rows["worst_alpha"]).any()
    assert narrower == ((low, high) != (0, 1))


def test_coverage_is_the_complement_of_the_miss_probability(results):
    rows = results.summary
    assert rows["coverage"].to_list() == (1 - rows["actual_alpha"]).to_list()
    exact = part(rows, engine="enumeration")
    assert exact["mean_coverage"].to_list() == exact["coverage"].to_list()
    assert exact["min_coverage"].to_list() == (1 - exact["worst_alpha"]).to_list()


def test_wald_misses_every_truth_but_the_end_where_it_has_no_width(drawn):
    ends = part(drawn.cells, method="wald", engine="enumeration", x=0)
    assert ends["length"].to_list() == [0.0] * 6
    assert ends["actual_alpha"].to_list() == [1.0] * 6
    assert ends["alpha_error"].to_list() == pytest.approx([0.3 - 1] * 3 + [0.05 - 1] * 3)
    worst = part(drawn.summary, method="wald", engine="enumeration")
    assert worst["worst_alpha_anywhere"].to_list() == [1.0] * 6


def test_posterior_methods_have_no_alpha_error_under_their_own_prior():
    results = in_memory(
        DRAWN,
        methods=[{"name": "balanced_width", "prior": [0.5, 2]}, "balanced_tail"],
        reference_prior=[0.5, 2],
        trials=None,
        seed=None,
    )
    errors = part(results.cells, engine="posterior")
    own = part(errors, method=errors["method"][0])["alpha_error"]
    assert own.abs().max() <= 1e-12
    assert part(errors, method="balanced_tail")["alpha_error"].abs().max() > 1e-3


def test_intervals_wider_than_the_range_miss_what_clipped_ones_miss(here):
    """A user's Wald interval that is not clipped: the same misses, another length."""
    (here / "mine.py").write_text(
        "import numpy as np\n"
        "from scipy.special import ndtri\n"
        "def wald(x, n, alpha):\n"
        "    p = x / n\n"
        "    delta = -ndtri(alpha / 2) * np.sqrt(p * ((n - x) / n) / n)\n"
        "    return p - delta, p + delta\n"
    )
    methods = ["wald", {"path": "mine.py", "function": "wald", "label": "mine"}]
    results = in_memory(LISTED, methods=methods)
    assert results.manifest["identity"]["holds"]
    assert results.manifest["agreement"]["agrees"]
    same = ["miss_below", "miss_above", "actual_alpha", "worst_alpha", "worst_truth", "trials"]
    for table in (results.cells, results.summary):
        names = [name for name in same if name in table.columns]
        ours, theirs = (part(table, method=label).select(names) for label in ("wald", "mine"))
        assert_frame_equal(ours, theirs, rel_tol=1e-12, abs_tol=1e-15)
    lengths = [part(results.cells, method=label)["length"].sum() for label in ("wald", "mine")]
    assert lengths[1] > 1.02 * lengths[0]
