"""Distributions of true values."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import harness
from harness.base.errors import ConfigError
from harness.distributions.list_laws import LAWS_OF_RUNS, runs_truth
from harness.distributions.list_truths import RunTruth
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
    trials_per_value,
)

# Truths: their draws, their support, and the content that keys random streams.


DRAWS = 100_000
# Each of the tests below raises a false alarm with this probability; the seed is fixed.
FALSE_ALARM = 1e-5


def generator():
    return np.random.default_rng(2003)


@pytest.mark.parametrize("limits", [(0.0, 1.0), (0.2, 0.7), (0.999, 1.0), (0.0, 1e-6)])
def test_a_uniform_truth_is_uniform_on_its_range(limits):
    truth = UniformTruth(*limits)
    p = truth.draw(DRAWS, generator())
    low, high = limits
    assert truth.support == limits
    assert p.shape == (DRAWS,)
    assert low <= p.min() <= p.max() <= high
    assert stats.kstest((p - low) / (high - low), "uniform").pvalue > FALSE_ALARM


@pytest.mark.parametrize("shapes", [(1.0, 1.0), (2.0, 8.0), (0.5, 0.5), (30.0, 0.5)])
def test_a_beta_truth_is_a_beta_distribution(shapes):
    truth = BetaTruth(*shapes)
    p = truth.draw(DRAWS, generator())
    assert truth.support == (0.0, 1.0)
    assert 0 <= p.min() <= p.max() <= 1
    assert stats.kstest(p, stats.beta(*shapes).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("shapes", [(1.0, 1.0), (2.0, 0.01), (0.5, 300.0)])
def test_a_gamma_truth_is_a_gamma_distribution(shapes):
    shape, rate = shapes
    truth = GammaTruth(shape, rate)
    r = truth.draw(DRAWS, generator())
    assert truth.support == (0.0, np.inf)
    assert r.min() > 0
    assert stats.kstest(r, stats.gamma(shape, scale=1 / rate).cdf).pvalue > FALSE_ALARM
    assert stats.gamma(shape, scale=1 / rate).sf(truth.effective_support[1]) == pytest.approx(
        1e-17, rel=1e-6
    )
    assert truth.mean == shape / rate


def test_a_uniform_truth_beyond_one_keeps_to_its_range():
    r = UniformTruth(0.0, 458.0).draw(DRAWS, generator())
    assert 0 < r.min() < 1
    assert 457 < r.max() <= 458
    assert stats.kstest(r / 458.0, "uniform").pvalue > FALSE_ALARM


def test_two_discrete_truths_are_crossed():
    pair = PairTruth(DiscreteTruth((0.1, 0.2)), DiscreteTruth((0.3, 0.4, 0.5)))
    first, second = pair.values
    assert pair.count == 6
    assert pair.is_discrete
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [
        *((0.1, each) for each in (0.3, 0.4, 0.5)),
        *((0.2, each) for each in (0.3, 0.4, 0.5)),
    ]
    assert not PairTruth(UniformTruth(0.0, 1.0), UniformTruth(0.0, 1.0)).is_discrete


def test_the_check_of_a_distribution_can_fail():
    p = UniformTruth(0.0, 1.0).draw(DRAWS, generator())
    assert stats.kstest(0.99 * p, "uniform").pvalue < FALSE_ALARM


def test_values_are_drawn_with_equal_weights():
    truth = DiscreteTruth((0.0, 0.25, 0.5, 1.0))
    counts = trials_per_value(truth, DRAWS, generator())
    assert truth.support == (0.0, 1.0)
    assert counts.sum() == DRAWS
    assert counts.dtype == np.int64
    assert stats.chisquare(counts).pvalue > FALSE_ALARM


def test_a_single_value_takes_every_trial():
    assert trials_per_value(DiscreteTruth((0.3,)), 17, generator()).tolist() == [17]
    assert DiscreteTruth((0.3,)).support == (0.3, 0.3)


@pytest.mark.parametrize(
    "truth", [UniformTruth(0.1, 0.2), BetaTruth(1.0, 2.0), GammaTruth(1.0, 2.0)], ids=str
)
def test_the_same_generator_gives_the_same_draws_and_any_number_of_them(truth):
    first, again = (truth.draw(50, generator()) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert truth.draw(0, generator()).sum() == 0


def test_content_tells_different_truths_apart_and_is_plain_data():
    truths = [
        UniformTruth(0.0, 1.0),
        UniformTruth(0.0, 0.5),
        BetaTruth(0.0, 1.0),
        BetaTruth(1.0, 1.0),
        DiscreteTruth((0.0, 1.0)),
        DiscreteTruth((0.0, 0.5, 1.0)),
        DiscreteTruth((0.1 + 0.2,)),
        DiscreteTruth((0.3,)),
    ]
    texts = [json.dumps(dict(truth.content()), sort_keys=True) for truth in truths]
    assert len(set(texts)) == len(truths)


# The laws of the value of one run.


SETTINGS = {
    "normal": {"mean": 0.75, "sd": 0.02},
    "gamma": {"mean": 0.75, "sd": 0.02, "skewness": -1.5},
    "beta": [9, 1.5],
    "mixture": {
        "normal": {"mean": 0.75, "sd": 0.02},
        "failed": {"share": 0.1, "mean": 0.1, "sd": 0},
    },
    "points": {"values": [0.5, 0, 1], "weights": [0.3, 0.2, 0.5]},
}
SKEWNESS = {
    "normal": 0.0,
    "gamma": -1.5,
    "beta": 2 * (1.5 - 9) * math.sqrt(11.5) / (12.5 * math.sqrt(9 * 1.5)),
}
RUN_DRAWS = 200_000
# 5.2 standard errors: a right implementation fails one of the comparisons with a probability
# below 1e-6 each; the seed is fixed.
FAR = 5.2


@pytest.mark.parametrize("name", LAWS_OF_RUNS)
def test_draws_have_the_mean_the_sd_and_the_skewness_of_the_law(name):
    truth = runs_truth(name, SETTINGS[name])
    drawn = truth.draw(np.random.default_rng(6), (RUN_DRAWS // 4, 4))
    assert drawn.shape == (RUN_DRAWS // 4, 4)
    standard = (drawn.ravel() - truth.mean) / truth.sd
    moments = [(1, 0.0), (2, 1.0)]
    moments += [(3, SKEWNESS[name])] if name in SKEWNESS else []
    for power, expected in moments:
        terms = standard**power
        assert abs(terms.mean() - expected) < FAR * terms.std() / math.sqrt(RUN_DRAWS)


def test_a_gamma_law_ends_on_the_side_of_its_short_tail():
    for skewness in (-2.0, 0.5, 2.0):
        drawn = runs_truth("gamma", {"mean": 1, "sd": 3, "skewness": skewness}).draw(
            np.random.default_rng(1), 10_000
        )
        end = 1 - 3 * 2 / skewness
        assert (drawn <= end).all() if skewness < 0 else (drawn >= end).all()


def test_a_share_of_the_runs_fails():
    truth = runs_truth("mixture", SETTINGS["mixture"])
    failed = (truth.draw(np.random.default_rng(2), RUN_DRAWS) == 0.1).sum()
    assert abs(failed - 0.1 * RUN_DRAWS) < FAR * math.sqrt(0.09 * RUN_DRAWS)
    assert truth.mean == pytest.approx(0.685)


PROBABILITIES = (1e-6, 0.05, 0.5, 0.9)


@pytest.mark.parametrize("p", PROBABILITIES)
def test_quantiles_are_those_of_scipys_distributions(p):
    laws = [(name, SETTINGS[name]) for name in ("normal", "beta")]
    known = [stats.norm(0.75, 0.02), stats.beta(*SETTINGS["beta"])]
    for skewness in (-1.5, 0.01, 2.0):
        laws.append(("gamma", {"mean": 0.75, "sd": 0.02, "skewness": skewness}))
        known.append(stats.pearson3(skewness, loc=0.75, scale=0.02))
    for law, distribution in zip(laws, known, strict=True):
        assert runs_truth(*law).quantile(p) == pytest.approx(distribution.ppf(p), rel=1e-9)


@pytest.mark.parametrize("p", [0.02, 0.05, 0.1, 0.5, 0.9])
@pytest.mark.parametrize(("mean", "sd"), [(0.1, 0), (0.75, 0), (0.9, 0), (0.7, 0.1), (0.1, 0.2)])
def test_a_quantile_of_a_mixture_is_the_first_value_with_its_probability_below(p, mean, sd):
    """SciPy's normal distribution on both sides of it, but for the rounding of a probability."""
    failed = {"share": 0.1, "mean": mean, "sd": sd}
    truth = runs_truth("mixture", SETTINGS["mixture"] | {"failed": failed})
    found = truth.quantile(p)

    def below(x):
        failed = stats.norm.cdf(x, mean, sd) if sd else float(x >= mean)
        return 0.9 * stats.norm.cdf(x, 0.75, 0.02) + 0.1 * failed

    assert below(found) >= p - 1e-14
    assert below(np.nextafter(found, -1)) <= p + 1e-14


def test_failed_runs_of_one_value_are_a_quantile_of_exactly_this_value():
    for mean, p in ((0.1, 0.05), (0.75, 0.5), (0.9, 0.95)):
        failed = {"share": 0.1, "mean": mean, "sd": 0}
        truth = runs_truth("mixture", SETTINGS["mixture"] | {"failed": failed})
        assert truth.quantile(p) == mean


def test_a_quantile_of_points_is_the_first_value_with_its_probability_up_to_it():
    law = runs_truth("points", SETTINGS["points"])
    assert [law.quantile(p) for p in (0.1, 0.2, 0.21, 0.5, 0.6, 0.999)] == [0, 0, 0.5, 0.5, 1, 1]


@pytest.mark.parametrize("name", sorted({*LAWS_OF_RUNS} - {"points"}))
def test_a_share_p_of_the_draws_is_below_the_p_quantile(name):
    truth = runs_truth(name, SETTINGS[name])
    drawn = truth.draw(np.random.default_rng(9), RUN_DRAWS)
    for p in (0.2, 0.5, 0.9):
        error = math.sqrt(p * (1 - p) / RUN_DRAWS)
        assert abs((drawn <= truth.quantile(p)).mean() - p) < FAR * error


def test_the_median_of_a_normal_law_is_its_mean():
    law = runs_truth("normal", SETTINGS["normal"])
    assert RunTruth(law, 0.5).values == RunTruth(law).values
    assert not RunTruth(law, 0.5).has_closed_form


def test_only_the_normal_law_is_normal():
    assert [name for name in LAWS_OF_RUNS if runs_truth(name, SETTINGS[name]).is_normal] == [
        "normal"
    ]


@pytest.mark.parametrize("name", LAWS_OF_RUNS)
def test_the_content_of_a_law_gives_it_again(name):
    truth = runs_truth(name, SETTINGS[name])
    ((key, settings),) = truth.content().items()
    assert key == name
    assert runs_truth(name, settings) == truth
    begins = {"mixture": "normal runs", "points": "values 0 (20 %)"}
    assert truth.title.startswith(begins.get(name, f"{name} runs"))


DIFFERENCE = {
    "name": "difference",
    "family": "proportion_difference",
    "n1": [5],
    "n2": [4],
    "methods": ["wald"],
    "truth": {"difference": 0.1, "second": {"grid": {"start": 0, "stop": 0.9, "count": 10}}},
    "trials": {"per_truth": 200},
    "seed": 5,
}


def test_pairs_with_one_difference_are_not_crossed() -> None:
    results = harness.run(DIFFERENCE, out=None)
    cells = results.cells.filter(given="truth", engine="enumeration").sort("truth2")
    tenths = [i / 10 for i in range(11)]
    assert cells["truth2"].to_list() == tenths[:-1]
    assert cells["truth1"].to_list() == tenths[1:]
    assert results.manifest["agreement"]["agrees"]
    assert results.manifest["identity"]["holds"]
    assert results.manifest["experiment"]["truth"] == DIFFERENCE["truth"]


def test_a_difference_that_leaves_the_range_is_refused() -> None:
    config = DIFFERENCE | {"truth": {"difference": 0.2, "second": {"values": [0.5, 0.9]}}}
    with pytest.raises(ConfigError, match=r"from 0 to 1, found 1\.1"):
        harness.run(config, out=None)
