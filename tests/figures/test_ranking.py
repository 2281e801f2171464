"""Figures of one kind each: rankings, calibrations, exact curves."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from scipy import special

import harness
from harness.base.errors import InputError
from harness.figures.draw import drawings
from harness.tables.results import Results
from tests.figures.cases import RANKED, ranked
from tests.figures.layout import all_named, heading, legend_names, named, overlapping, printed
from tests.figures.tables import FakeResults, Spec, calibration_results

# The table as a picture: a point for each method, at its worst coverage and relative length.


def test_each_method_is_a_point_at_its_worst_coverage_and_relative_length() -> None:
    results = ranked((50,), RANKED)
    (drawing,) = drawings(results, [Spec("ranking")])
    # Blaker and Sterne alone never miss more often than alpha.
    kept = results.summary.filter(results.summary["worst_alpha"] <= 0.05)
    unit = kept["mean_length"].min()
    for method, worst in RANKED.items():
        length = results.summary.filter(method=method)["mean_length"].item()
        point = named(drawing.figure, f"method-{method}")
        (x,), (y,) = point.get_xdata(), point.get_ydata()
        assert x == pytest.approx(1 - worst)
        bottom, top = drawing.figure.axes[0].get_ylim()
        assert y == pytest.approx(min(max(100 * (length / unit - 1), bottom), top), abs=1e-9)
    (axes,) = drawing.figure.axes
    assert axes.get_xlim()[0] <= 1 - max(RANKED.values())
    assert drawing.figure.get_supxlabel().endswith("stretched near 100")
    (drawing,) = drawings(results, [Spec("ranking", {"xlim": (0.8, 1)})])
    names = [text.get_text() for text in all_named(drawing.figure, "point label")]
    assert any(name.startswith("Wald (10 %") for name in names), (
        "a method beyond the axis says where it is"
    )


def test_labels_of_many_methods_stay_apart() -> None:
    results = ranked((50,), {f"method_{i}": 0.05 + 0.001 * (i % 5) for i in range(20)})
    (drawing,) = drawings(results, [Spec("ranking")])
    texts = printed(drawing.figure)
    assert sum("method_" in text.words for text in texts) == 20
    assert overlapping(texts) == []


def test_the_line_of_the_unit_runs_through_no_label() -> None:
    # The point of that method lies on the line, and next to the upright one.
    results = ranked((50,), {"clopper_pearson": 0.049, "wilson": 0.1, "jeffreys": 0.12})
    (drawing,) = drawings(results, [Spec("ranking")])
    (axes,) = drawing.figure.axes
    line = axes.transData.transform((0.0, 0.0))[1]
    for label in all_named(drawing.figure, "point label"):
        box = label.get_window_extent()
        assert not box.y0 < line < box.y1, label.get_text()


@pytest.mark.parametrize(
    ("method", "alpha", "found_by", "words"),
    [
        ("blaker", 0.05, {}, "never cover less"),
        (
            "blaker",
            0.05,
            {"found_by": "search"},
            "were not found to cover less",
        ),
        ("blaker", 0.1, {"found_by": "search"}, "never cover less"),
        ("wald", 0.05, {"found_by": "search"}, "never cover less"),
    ],
)
def test_the_heading_calls_proven_what_no_search_found(
    method: str, alpha: float, found_by: dict[str, str], words: str
) -> None:
    results = ranked((50,), RANKED)
    case = {"method": method, "alpha": alpha, "n": 50, **found_by}
    asked = FakeResults(results.cells, results.summary, {"worst_cases": [case]})
    (drawing,) = drawings(asked, [Spec("ranking")])
    assert heading(drawing.figure) == f"nominal 95 % (dashed): methods right of it {words}"


def test_a_panel_per_size() -> None:
    results = ranked((10, 20, 50), RANKED)
    (drawing,) = drawings(results, [Spec("ranking", {"sizes": [10, 50]})])
    titles = [axes.get_title(loc="left") for axes in drawing.figure.axes]
    assert titles == ["n = 10", "n = 50"]
    assert drawing.stem == "ranking-n10-n50"
    with pytest.raises(InputError, match="ranking: the results hold no size 7, only 10, 20, 50"):
        drawings(results, [Spec("ranking", {"sizes": [7]})])


def test_without_a_method_that_keeps_alpha_the_shortest_is_the_unit() -> None:
    (drawing,) = drawings(ranked((20,), {"wald": 0.3, "wilson": 0.1}), [Spec("ranking")])
    title = drawing.figure.axes[0].get_title(loc="left").replace("\n", " ")
    assert "none covers 95 % at worst" in title


# What `calibration` shows is what the tables hold.


SPECS = [Spec("calibration")]


def diagram(results: FakeResults) -> Figure:
    (drawing,) = drawings(results, SPECS)
    return drawing.figure


def test_points_are_the_fractions_over_the_mean_probabilities() -> None:
    results = calibration_results()
    figure = diagram(results)
    fraction, difference = (named(figure, f"{what}-prior") for what in ("fraction", "difference"))
    mean = results.cells["mean_probability"].to_numpy()
    assert list(fraction.get_xdata()) == list(difference.get_xdata()) == mean.tolist()
    assert list(fraction.get_ydata()) == results.cells["fraction"].to_list()
    np.testing.assert_allclose(
        difference.get_ydata(), results.cells["fraction"].to_numpy() - mean, atol=1e-15
    )


def test_intervals_are_those_of_the_table_in_both_panels() -> None:
    results = calibration_results()
    figure = diagram(results)
    ends = results.cells.select("ci_lower", "ci_upper").to_numpy()
    mean = results.cells["mean_probability"].to_numpy()[:, None]
    for axes, wanted in zip(figure.axes, (ends, ends - mean), strict=True):
        segments = axes.containers[0][2][0].get_segments()
        np.testing.assert_allclose([segment[:, 1] for segment in segments], wanted, atol=1e-14)


def test_a_perfect_probability_lies_on_the_diagonal_and_on_zero() -> None:
    figure = diagram(calibration_results())
    diagonal, zero = named(figure, "diagonal"), named(figure, "zero")
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == [0, 1]
    assert set(zero.get_ydata()) == {0}


def test_both_references_are_distinguished_with_their_tests() -> None:
    results = calibration_results(("prior", "truth"), family="rate_difference", bias=0.05)
    figure = diagram(results)
    prior, truth = (named(figure, f"fraction-{name}") for name in ("prior", "truth"))
    assert prior.get_marker() != truth.get_marker()
    assert prior.get_color() != truth.get_color()
    p = results.summary["p_value"]
    first, second = legend_names(figure)
    assert first.startswith("under the prior: overall test p = ")
    assert "×10" in first
    assert second == f"under the truths' distribution: overall test p = {p[1]:.3g}"
    trials = results.summary["trials"][0]
    expected = f"calibration of Pr(rate1 − rate2 ≥ δ), {trials:,} trials, 95 % intervals"
    assert heading(figure) == expected


def test_one_reference_is_drawn_once() -> None:
    figure = diagram(calibration_results())
    assert all_named(figure, "fraction-truth") == []
    assert len(legend_names(figure)) == 1


def test_bins_without_trials_have_no_point() -> None:
    results = calibration_results(empty=[0, 7])
    figure = diagram(results)
    assert len(named(figure, "fraction-prior").get_xdata()) == 18


def test_axes_say_what_they_show() -> None:
    (drawing,) = drawings(calibration_results(family="balanced_accuracy"), SPECS)
    upper, lower = drawing.figure.axes
    assert drawing.stem == "calibration"
    assert upper.get_ylabel() == "fraction of trials in which it held"
    assert lower.get_ylabel() == "fraction − computed"
    assert lower.get_xlabel() == "computed Pr((p1 + p2)/2 ≥ δ), mean of each bin"


@pytest.mark.parametrize(("p", "words"), [(None, "not tested"), (0.0, "overall test p < 10⁻³⁰⁰")])
def test_a_test_that_was_not_possible_or_underflows_is_named_so(
    p: float | None, words: str
) -> None:
    results = calibration_results()
    summary = results.summary.with_columns(p_value=pl.lit(p, pl.Float64))
    figure = diagram(FakeResults(results.cells, summary, results.manifest))
    assert legend_names(figure) == [f"under the prior: {words}"]


def test_results_without_trials_are_refused() -> None:
    results = calibration_results(empty=range(20))
    with pytest.raises(InputError, match="calibration: the results hold no trials"):
        drawings(results, SPECS)


# A line that is called exact reaches the depth that the tables have, between their truths too.


ROUNDING = 1e-12
"""The table and the line sum the same probabilities."""


def run(**changes: Any) -> Results:
    config = {
        "name": "curves",
        "family": "proportion",
        "n": 200,
        "methods": ["wilson", "blaker"],
        "truth": {"grid": {"start": 0.001, "stop": 0.999, "count": 9}},
        "engines": ["enumeration"],
    }
    return harness.run(config | changes, out=None)


def lines(results: Results, **options: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """The exact lines of all panels."""
    (drawing,) = drawings(results, [Spec("coverage_curve", options)])
    found = all_named(drawing.figure, "exact")
    return [(np.asarray(line.get_xdata()), np.asarray(line.get_ydata())) for line in found]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"n": 20, "methods": ["wald", "arcsine", "clopper_pearson"]},
        {"n": 30, "sampling": {"beta_binomial": {"rho": 0.1}}},
        {"family": "rate", "n": None, "exposure": 4, "methods": ["garwood"]},
    ],
    ids=["deep teeth", "small", "law", "rate"],
)
def test_the_lowest_point_of_the_line_is_the_worst_case_of_the_table(
    changes: dict[str, Any],
) -> None:
    given = {key: value for key, value in changes.items() if value is not None}
    if "exposure" in given:
        given["truth"] = {"grid": {"start": 0.5, "stop": 5.0, "count": 7}}
        config = {"name": "curves", "engines": ["enumeration"], **given}
        results = harness.run(config, out=None)
    else:
        results = run(**given)
    for (_, coverage), worst in zip(lines(results), results.summary["worst_alpha"], strict=True):
        assert coverage.min() == pytest.approx(1 - worst, abs=ROUNDING)


def test_wilson_at_200_reaches_below_what_its_listed_truths_show() -> None:
    results = run()
    wilson = results.summary.filter(method="wilson")["worst_alpha"].item()
    listed = results.cells.filter(method="wilson")["actual_alpha"].max()
    (_, coverage), _ = lines(results)
    assert coverage.min() == pytest.approx(1 - wilson, abs=ROUNDING)
    assert coverage.min() < 1 - listed - 0.03


def test_the_line_stands_upright_where_it_jumps() -> None:
    """The number of jumps is that of the limits inside the range, and each has two values."""
    (truths, coverage), _ = lines(run(n=10))
    wilson = harness.interval("proportion", "wilson", x=np.arange(11), n=10)
    limits = np.concatenate((wilson.lower, wilson.upper))
    inside = np.unique(limits[(limits > 0.001) & (limits < 0.999)])
    upright = np.flatnonzero(np.diff(truths) == 0)
    np.testing.assert_array_equal(truths[upright], inside)
    assert (np.abs(np.diff(coverage)[upright]) > 1e-9).all()


def test_limits_of_a_users_method_are_read_from_the_tables() -> None:
    """Without Monte Carlo and posterior they are not there, and the listed truths are points."""
    engines = ["posterior", "enumeration"]
    stored = run(n=20, methods=["wilson"], engines=engines)
    bare = Results(stored.cells, stored.summary, {})
    np.testing.assert_array_equal(lines(stored), lines(bare))
    without = Results(stored.cells.filter(given="truth"), stored.summary, {})
    (drawing,) = drawings(without, [Spec("coverage_curve")])
    assert named(drawing.figure, "exact").get_linestyle() == "None"
    assert "exact, at listed values" in legend_names(drawing.figure)


def test_two_samples_agree_with_enumeration_at_every_listed_truth() -> None:
    truths = {"first": {"grid": {"start": 0.05, "stop": 0.95, "count": 19}}}
    results = harness.run(
        {
            "name": "two",
            "family": "proportion_difference",
            "n1": 12,
            "n2": 9,
            "methods": ["newcombe"],
            "truth": {**truths, "second": {"values": [0.3]}},
            "engines": ["enumeration"],
        },
        out=None,
    )
    ((first, coverage),) = lines(results)
    exact = results.cells.filter(pl.col("given") == "truth")
    assert exact.height == 19
    for truth, alpha in exact.select("truth1", "actual_alpha").iter_rows():
        beside = np.searchsorted(first, truth)
        around = coverage[max(beside - 1, 0) : beside + 2]
        assert around.min() - 0.01 <= 1 - alpha <= around.max() + 0.01
    assert (np.diff(first) == 0).sum() > 100
    assert coverage.min() < 1 - exact["actual_alpha"].max()


def test_a_finite_population_has_points_at_its_truths() -> None:
    results = run(
        n=10,
        methods=["wilson"],
        sampling={"hypergeometric": {"population": 40}},
        truth={"values": [0.1, 0.25, 0.5]},
    )
    (drawing,) = drawings(results, [Spec("coverage_curve")])
    assert named(drawing.figure, "exact").get_linestyle() == "None"


def test_the_line_runs_over_the_range_that_is_asked_for() -> None:
    results = run(n=20, methods=["wilson"])
    ((truths, coverage),) = lines(results, xlim=[0.9, 1.0])
    assert (truths[0], truths[-1]) == (0.9, 1.0)
    wilson = harness.interval("proportion", "wilson", x=np.arange(21), n=20)
    assert coverage.min() == pytest.approx(_lowest(wilson.lower, wilson.upper), abs=ROUNDING)


def _lowest(lower: np.ndarray, upper: np.ndarray) -> float:
    """The lowest coverage of a truth from 0.9 to 1 that lies just beside a limit, by summing."""
    x, least = np.arange(21), 1.0
    for limit in np.concatenate((lower, upper)):
        for truth in (np.nextafter(limit, 0), np.nextafter(limit, 1)):
            if 0.9 < truth < 1:
                weight = special.binom(20, x) * truth**x * (1 - truth) ** (20 - x)
                least = min(least, weight[(lower <= truth) & (truth <= upper)].sum())
    return least
