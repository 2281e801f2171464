"""Shipped studies whose truths are drawn, or several, against laws that are known exactly.

Random numbers have fixed seeds. A normal deviate of 4.5 is one false alarm in 150,000.
"""

from math import ceil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from scipy.stats import beta, kstest, multivariate_t, norm, t

import harness
from harness.base.errors import InputError
from harness.figures.draw import drawings
from harness.figures.kinds.simulation.trials import BinnedCoverage
from tests.figures.layout import named
from tests.figures.tables import Spec
from tests.simulation.results import study

FOLDER = Path(harness.__file__).parents[1] / "configs/simulations"
Z = norm.ppf(0.975)
LARGEST_Z = 4.5


def run(name, trials, **keys):
    config = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    for function in (config["model"], *config["methods"]):
        function["path"] = str(FOLDER / function["path"])
    config |= {"name": "forms", "trials": {"per_scenario": trials}, "figures": [], **keys}
    return harness.run(config, out=None)


def share(results, measure, method, scenario=1, **more):
    rows = results.summary.filter(measure=measure, method=method, scenario=scenario, **more)
    (row,) = rows.to_dicts()
    return row["estimate"], row["trials"]


def close(value, expected, trials):
    return abs(value - expected) < LARGEST_Z * np.sqrt(expected * (1 - expected) / trials)


def posterior_coverage(truth, n):
    """The coverage of the posterior's interval given the mean θ, with a prior N(0, 1).

    Its centre is n x̄/(n + 1), so that it covers where √n(x̄ − θ) is within z√(n + 1) of θ, both
    over √n.
    """
    half = Z * np.sqrt(n + 1)
    return norm.cdf((half + truth) / np.sqrt(n)) - norm.cdf((truth - half) / np.sqrt(n))


def test_coverage_in_bins_of_the_truth_is_that_given_the_truth():
    results = run("known_prior", 4000)
    rows = results.cells.filter(scenario=1, method="posterior").sort("trial")
    truths = rows["truth"].to_numpy()
    covered = ((rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])).to_numpy()
    binned = BinnedCoverage.of(truths, covered, 8)
    expected = [posterior_coverage(part, 2).mean() for part in np.array_split(np.sort(truths), 8)]
    assert all(close(c, p, 500) for c, p in zip(binned.coverage, expected, strict=True))
    assert binned.coverage[0] < 0.9 < 0.97 < binned.coverage[4]
    # The figure shows these numbers.
    spec = Spec("coverage_by_truth", {"bins": 8})
    ((figure,),) = [[drawing.figure for drawing in drawings(results, [spec])]]
    line = named(figure.axes[0], "coverage-posterior")
    assert np.allclose(line.get_xdata(), binned.truth)
    assert np.allclose(line.get_ydata(), binned.coverage)


def test_coverage_by_truth_needs_truths_that_are_drawn():
    with pytest.raises(InputError, match="the truth is the same in all trials of a scenario"):
        drawings(study(), [Spec("coverage_by_truth")])


def test_split_conformal_intervals_cover_the_next_value_by_their_rank():
    results = run("conformal", 4000)
    for scenario, n in enumerate((19, 39, 99), 1):
        coverage, trials = share(results, "coverage", "conformal", scenario)
        assert close(coverage, ceil(0.95 * (n + 1)) / (n + 1), trials)


CONTENT = """\
import numpy as np

def draw(rng, n):
    return rng.exponential(size=n)

def content(data, alpha):
    rank = int(np.ceil((len(data) + 1) * (1 - alpha)))
    return {"estimate": 1 - np.exp(-np.sort(data)[rank - 1])}
"""


def test_what_conformal_intervals_cover_given_the_data_has_a_beta_law(tmp_path):
    # With k = ⌈(n + 1)(1 - α)⌉ the coverage given n values is Beta(k, n + 1 - k) (Angelopoulos and
    # Bates 2021, arXiv 2107.07511, section 3.2). One seed in 10,000 fails.
    path = tmp_path / "content.py"
    path.write_text(CONTENT)
    config = {
        "kind": "simulation",
        "name": "content",
        "model": {"path": str(path), "function": "draw"},
        "factors": {"n": [39]},
        "estimand": 0.95,
        "methods": [{"path": str(path), "function": "content"}],
        "alpha": 0.05,
        "trials": {"per_scenario": 2000},
        "seed": 3,
        "keep": "replicates",
        "figures": [],
    }
    contents = harness.run(config, out=None).cells["estimate"].to_numpy()
    assert kstest(contents, beta(38, 2).cdf).pvalue > 1e-4


def test_conformal_sets_hold_the_next_label_by_their_rank():
    results = run("label_sets", 2000, keep="replicates")
    for scenario, n in ((1, 49), (3, 199)):
        coverage, trials = share(results, "coverage", "conformal", scenario)
        assert close(coverage, 1 - (n + 1) // 10 / (n + 1), trials)
    # Each label is in the set or not, and the set has what it covers.
    sets = results.cells.filter(method="conformal")
    assert sets.filter(pl.col("covered") & (pl.col("set_size") == 0)).is_empty()
    assert sets["set_size"].max() <= 3


def joint_law(n, level):
    """The probability that the intervals of intercept and slope both hold, by a bivariate t."""
    x = np.linspace(0, 1, n)
    design = np.column_stack([np.ones(n), x])
    covariance = np.linalg.inv(design.T @ design)
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    q = t.ppf(0.5 + level / 2, n - 2)
    law = multivariate_t(shape=correlation, df=n - 2, seed=1)
    corners = [(1, q, q), (-1, -q, q), (-1, q, -q), (1, -q, -q)]
    return sum(sign * law.cdf([a, b], maxpts=200_000) for sign, a, b in corners)


@pytest.mark.parametrize(("method", "level"), [("each alone", 0.95), ("Bonferroni", 0.975)])
def test_intervals_of_a_line_hold_together_as_a_bivariate_t_says(method, level):
    results = run("line", 3000)
    for scenario, n in ((1, 5), (2, 20)):
        coverage, trials = share(results, "joint_coverage", method, scenario, estimand="all")
        assert trials == 3000
        assert close(coverage, joint_law(n, level), trials)
        alone, trials = share(results, "coverage", method, scenario, estimand="slope")
        assert close(alone, level, trials)


def test_bins_have_as_many_trials_but_for_one():
    truths = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    binned = BinnedCoverage.of(truths, np.array([True, False, True, True, False]), 2)
    assert binned.truth.tolist() == [2.0, 4.5]
    assert binned.coverage == pytest.approx([2 / 3, 1 / 2])
    assert (binned.lower < binned.coverage).all()
    assert (binned.coverage < binned.upper).all()
