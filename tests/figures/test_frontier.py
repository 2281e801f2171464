"""The least length over alpha: the curves are the bounds, the points are the tables'."""

import numpy as np
import polars as pl
import pytest

from harness.base.errors import InputError, NothingToDrawError
from harness.catalogue import scenario_for
from harness.designs.one_sample.least_length import deterministic, guaranteed, on_average
from harness.distributions.truths import DiscreteTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.figures.draw import drawings
from tests.figures.cases import RANKED, bounded, ranked
from tests.figures.layout import all_named, legend_names, named
from tests.figures.tables import FakeResults, Spec


def test_the_curves_are_the_bounds_of_the_runs_own_truth() -> None:
    results = bounded((20,), RANKED)
    results.manifest["experiment"]["truth"] = {"uniform": [0.1, 0.4]}
    (drawing,) = drawings(results, [Spec("frontier")])
    scenario = scenario_for(family_of("proportion"), 20, UniformTruth(0.1, 0.4))
    for gid, bound in (("guaranteed", guaranteed), ("on average", on_average)):
        alpha, length = named(drawing.figure, gid).get_data()
        np.testing.assert_allclose(length[::25], bound(scenario, alpha[::25]), rtol=1e-9)


def test_the_bound_without_random_decisions_is_drawn_where_it_is_known() -> None:
    (drawing,) = drawings(bounded((20,), RANKED), [Spec("frontier")])
    scenario = scenario_for(family_of("proportion"), 20, UniformTruth(0.0, 1.0))
    alpha, length = named(drawing.figure, "deterministic").get_data()
    np.testing.assert_allclose(length[::25], deterministic(scenario, alpha[::25]), rtol=1e-9)
    assert "shortest without random decisions" in legend_names(drawing.figure)
    results = bounded((20,), RANKED)
    results.manifest["experiment"]["truth"] = {"uniform": [0.1, 0.4]}
    (drawing,) = drawings(results, [Spec("frontier")])
    assert "shortest without random decisions" not in legend_names(drawing.figure)


def test_listed_truths_are_those_of_the_cells_and_have_no_curve_on_average() -> None:
    results = bounded((20,), RANKED)
    results.manifest["experiment"]["truth"] = {"values": [0.1, 0.3]}
    cells = results.cells.with_columns(given=pl.lit("truth"), truth=pl.lit(0.1))
    cells = pl.concat([cells, cells.with_columns(truth=pl.lit(0.3))])
    results = FakeResults(cells, results.summary, results.manifest)
    (drawing,) = drawings(results, [Spec("frontier")])
    alpha, length = named(drawing.figure, "guaranteed").get_data()
    scenario = scenario_for(family_of("proportion"), 20, DiscreteTruth((0.1, 0.3)))
    np.testing.assert_allclose(length[:3], guaranteed(scenario, alpha[:3]), rtol=1e-9)
    assert np.isnan(named(drawing.figure, "on average").get_ydata()).all()
    assert "shortest, by mean alpha" not in legend_names(drawing.figure)


def test_each_method_is_a_point_at_its_mean_and_one_at_its_worst_alpha() -> None:
    results = bounded((50,), RANKED)
    (drawing,) = drawings(results, [Spec("frontier")])
    for row in results.summary.iter_rows(named=True):
        for kind, alpha in (("mean", "actual_alpha"), ("worst", "worst_alpha_anywhere")):
            point = named(drawing.figure, f"{kind}-{row['method']}")
            (x,), (y,) = point.get_xdata(), point.get_ydata()
            assert (x, y) == (row[alpha], row["mean_length"])
    assert "Wald (worst: 90 %)" in legend_names(drawing.figure), "it is beyond the axis"


def test_a_method_whose_worst_alpha_is_not_known_is_one_point() -> None:
    results = bounded((50,), RANKED)
    summary = results.summary.with_columns(worst_alpha_anywhere=pl.lit(None, pl.Float64))
    (drawing,) = drawings(FakeResults(results.cells, summary, results.manifest), [Spec("frontier")])
    assert all_named(drawing.figure, "worst-wilson") == []
    assert all_named(drawing.figure, "mean-wilson") != []


def test_each_size_is_a_drawing_and_a_size_may_be_asked_for() -> None:
    results = bounded((10, 20, 50), RANKED)
    stems = [each.stem for each in drawings(results, [Spec("frontier")])]
    assert stems == ["frontier-n10", "frontier-n20", "frontier-n50"]
    (drawing,) = drawings(results, [Spec("frontier", {"sizes": [20]})])
    assert drawing.stem == "frontier-n20"
    with pytest.raises(InputError, match="frontier: the results hold no size 7"):
        drawings(results, [Spec("frontier", {"sizes": [7]})])


def test_without_least_lengths_there_is_nothing_to_draw() -> None:
    results = bounded((10,), RANKED)
    with pytest.raises(InputError, match="frontier: the results hold no least lengths"):
        drawings(ranked((10,), RANKED), [Spec("frontier")])
    summary = results.summary.with_columns(least_length_guaranteed=pl.lit(None, pl.Float64))
    with pytest.raises(NothingToDrawError):
        drawings(FakeResults(results.cells, summary, results.manifest), [Spec("frontier")])
