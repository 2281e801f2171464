"""Studies whose methods answer with posterior draws: measures of ranks, and their figures.

Random numbers have fixed seeds; bounds of statistical tests are named with their false-alarm rates.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from scipy.stats import norm

import harness
from harness.base.errors import InputError
from harness.distributions.ranks import CountBand, covered_counts, rank_bounds, uniformity
from harness.figures.draw import drawings
from harness.kinds.simulation.measures import Replicates, measures
from tests.figures.layout import named
from tests.figures.tables import Spec
from tests.simulation.ranked import WITH_DRAWS, ranked_study

CONFIG = Path(harness.__file__).parents[1] / "configs/simulations/posterior_ranks.yaml"
LARGEST_Z = 4.5
"""Of normal deviates that are compared with 0: one false alarm in 150,000."""


@pytest.fixture(scope="module")
def results():
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    for function in (config["model"], *config["methods"]):
        function["path"] = str(CONFIG.with_name(function["path"]))
    config |= {"name": "ranks", "trials": {"per_scenario": 400}, "figures": []}
    return harness.run(config, out=None)


def measure(results, name, method, scenario=1):
    rows = results.summary.filter(measure=name, method=method, scenario=scenario)
    (row,) = rows.to_dicts()
    return row


def replicates(ranks, draws):
    missing = np.full(len(ranks), np.nan)
    columns = {"rank": np.array(ranks, float), "draws": np.full(len(ranks), float(draws))}
    return Replicates.of(missing, np.full(len(ranks), True), **columns)


def test_measures_of_all_ranks_once_are_those_of_uniform_ones():
    found = measures(replicates(range(8), 7), None, 0.05, None)
    assert found["rank_bias"].estimate == pytest.approx(0, abs=1e-15)
    assert found["rank_spread"].estimate == pytest.approx(0, abs=1e-14)
    assert found["rank_uniformity"].estimate == 1.0


def test_a_trial_without_an_answer_has_no_rank():
    trials = replicates([3, 0, 5], 7)
    trials.answered[1] = False
    found = measures(trials, None, 0.05, None)
    assert found["rank_bias"].trials == found["rank_uniformity"].trials == 2
    assert found["rank_bias"].estimate == pytest.approx(4.5 / 8 - 0.5)


def test_numbers_of_draws_that_differ_have_no_p_value():
    trials = replicates([3, 2, 5], 7)
    trials.draws[0] = 9
    assert "rank_uniformity" not in measures(trials, None, 0.05, None)


@pytest.mark.parametrize("scenario", [1, 2])
@pytest.mark.parametrize("method", ["exact", "flat prior"])
def test_ranks_among_draws_of_a_right_posterior_are_uniform(results, method, scenario):
    # The p-value is exact: one seed in 10,000 fails.
    assert measure(results, "rank_uniformity", method, scenario)["estimate"] > 1e-4
    for name in ("rank_bias", "rank_spread"):
        row = measure(results, name, method, scenario)
        assert abs(row["estimate"]) < LARGEST_Z * row["mcse"]


def test_coverage_by_draws_of_a_right_posterior_is_exact(results):
    # The limits are the 5th smallest and largest of 199: the coverage is 190/200.
    for scenario in (1, 2):
        row = measure(results, "coverage", "exact", scenario)
        assert abs(row["estimate"] - 0.95) < LARGEST_Z * np.sqrt(0.95 * 0.05 / 400)


def test_a_narrow_posterior_is_found(results):
    # With 0.8 of the standard deviation, 400 ranks reject with a probability of 0.997 each at the
    # 5 % level; both p-values below 1e-3 and a spread of about 0.3 are seen with this seed.
    points = rank_bounds(199) / 200
    band = CountBand.simultaneous(400, points)
    assert 1 - band.probability(norm.cdf(0.8 * norm.ppf(points))) > 0.99
    for scenario in (1, 2):
        assert measure(results, "rank_uniformity", "too narrow", scenario)["estimate"] < 1e-3
        spread = measure(results, "rank_spread", "too narrow", scenario)
        assert spread["estimate"] > 4 * spread["mcse"]


@pytest.mark.parametrize("kind", ["rank_ecdf", "coverage_by_level"])
def test_figures_show_the_shares_of_the_table(kind):
    study = ranked_study(WITH_DRAWS[:1])
    ((figure,),) = [[each.figure for each in drawings(study, [Spec(kind)])]]
    ranks = study.cells["rank"].to_numpy()
    if kind == "rank_ecdf":
        points = rank_bounds(199) / 200
        counts = (ranks[:, None] < rank_bounds(199)).sum(axis=0)
    else:
        points, counts = covered_counts(ranks, 199)
    line = named(figure.axes[0], "method")
    assert np.allclose(line.get_xdata()[1:-1], points)
    assert np.allclose(line.get_ydata()[1:-1], counts / 400 - points)


def test_the_title_has_the_p_value_of_its_ranks():
    study = ranked_study(WITH_DRAWS[:1])
    (drawing,) = drawings(study, [Spec("rank_ecdf")])
    ranks = study.cells["rank"].to_numpy()
    title = drawing.figure.axes[0].get_title(loc="left").replace("\n", " ")
    assert f"p = {uniformity(ranks, 199):.2g}," in title


def test_methods_without_draws_are_refused_by_name():
    study = ranked_study()
    cells = study.cells.with_columns(rank=pl.lit(None, pl.Int64))
    with pytest.raises(InputError, match="rank_ecdf: exact has answered without draws"):
        drawings(replace(study, cells=cells), [Spec("rank_ecdf")])
