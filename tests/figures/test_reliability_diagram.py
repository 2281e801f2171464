"""What `calibration` shows is what the tables hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

from harness.base.errors import InputError
from harness.figures.draw import drawings
from tests.figures.artists import all_named, heading, legend_names, named
from tests.figures.tables import FakeResults, Spec, calibration_results

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
    figure = diagram(FakeResults(results.cells, summary))
    assert legend_names(figure) == [f"under the prior: {words}"]


def test_results_without_trials_are_refused() -> None:
    results = calibration_results(empty=range(20))
    with pytest.raises(InputError, match="calibration: the results hold no trials"):
        drawings(results, SPECS)
