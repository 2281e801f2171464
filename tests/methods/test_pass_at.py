"""pass@k and pass^k: reference values, the beta-binomial fit, truths and what is refused."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

import harness
from harness.base.errors import InputError
from harness.catalogue import scenario_for, with_settings
from harness.distributions.list_laws import BetaTasks, MixtureTasks, PointTasks
from harness.distributions.list_truths import TaskTruth
from harness.families.tasks import share_of_draws

# Values computed apart from this package: the mean over tasks with Student's limits, cut at 1.
REFERENCE = [
    (
        "pass_at", 2, 10, [0, 9, 6, 9, 4, 10, 5, 9, 3, 9, 10, 7, 10, 7, 1, 10, 7, 4, 10, 5],
        0.8144444444444444, 0.6820151581306882, 0.9468737307582006,
    ),
    (
        "pass_at", 4, 4, [2, 4, 2, 3, 0, 3, 2, 4, 4, 2, 1, 1, 4, 0, 3, 4, 0, 3, 4, 1],
        0.85, 0.6785440695301583, 1.0,
    ),
    (
        "pass_hat", 4, 10, [8, 5, 5, 3, 5, 5, 10, 4, 3, 6, 10, 5, 10, 7, 0, 4, 8, 7, 7, 1],
        0.21833333333333335, 0.05338342124301365, 0.38328324542365305,
    ),
    ("pass_hat", 1, 4, [2, 4, 4, 3, 1, 3, 0, 4], 0.65625, 0.34150053429969685, 0.9709994657003032),
    ("pass_hat", 2, 4, [3, 4, 3, 4, 4, 2, 4, 2], 0.6666666666666667, 0.3506804595982045,
     0.982652873735129),
]  # fmt: skip


@pytest.mark.parametrize(("family", "k", "n", "x", "estimate", "lower", "upper"), REFERENCE)
def test_the_t_interval_is_that_of_the_reference(family, k, n, x, estimate, lower, upper):
    found = harness.interval(family, "student_t", x=x, n=n, k=k)
    assert (found.estimate, found.lower, found.upper) == pytest.approx(
        (estimate, lower, upper), abs=1e-12
    )


def test_the_share_of_draws_is_a_quotient_of_binomials_of_large_numbers_too():
    for x, n, k in ((3, 10, 2), (1, 10, 2), (9990, 10_000, 500), (6000, 10_000, 40), (7, 7, 7)):
        exact = math.comb(x, k) / math.comb(n, k)
        assert share_of_draws(np.array([float(x)]), np.array([float(n)]), k) == pytest.approx(
            [exact], rel=1e-12
        )


def test_at_one_sample_both_are_the_mean_share_and_a_pass_is_one_less_that_of_failures():
    x, n = [3, 5, 9, 0, 10], [10, 12, 9, 8, 10]
    failures = [b - a for a, b in zip(x, n, strict=True)]
    for method in ("student_t", "beta_binomial", "gaffke", "betting"):
        one = [harness.interval(each, method, x=x, n=n, k=1) for each in ("pass_at", "pass_hat")]
        assert one[0].estimate == pytest.approx(np.mean(np.divide(x, n)), rel=1e-14)
        assert [*one[0]] == pytest.approx([*one[1]], rel=1e-9)
        found = harness.interval("pass_at", method, x=x, n=n, k=3)
        other = harness.interval("pass_hat", method, x=failures, n=n, k=3)
        assert [*found] == pytest.approx([1 - other.upper, 1 - other.lower], rel=1e-9)


def _log_likelihood(x, n, mu, rho):
    total = 1 / rho - 1
    return stats.betabinom.logpmf(x, n, mu * total, (1 - mu) * total).sum()


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_beta_binomial_limits_are_those_of_a_fit_by_another_program(seed, k):
    rng = np.random.default_rng(seed)
    n = rng.integers(3, 12, 40)
    x = rng.binomial(n, rng.beta(1.5, 1.0, 40))

    def of_logits(at):
        return -_log_likelihood(x, n, *(1 / (1 + np.exp(-at))))

    best = optimize.minimize(of_logits, [0.3, -0.8], method="Nelder-Mead",
                             options={"xatol": 1e-9, "fatol": 1e-12}).x  # fmt: skip

    def log_theta(at):
        mu, rho = 1 / (1 + np.exp(-at))
        i = np.arange(k)
        return np.log((mu * (1 - rho) + i * rho) / (1 - rho + i * rho)).sum()

    h, unit = 1e-4, np.eye(2)
    slope = np.array([(log_theta(best + h * e) - log_theta(best - h * e)) / (2 * h) for e in unit])
    hessian = [
        [
            sum(a * b * of_logits(best + h * (a * d + b * e)) for a in (1, -1) for b in (1, -1))
            / (4 * h * h)
            for d in unit
        ]
        for e in unit
    ]
    error = math.sqrt(slope @ np.linalg.solve(hessian, slope))
    theta = math.exp(log_theta(best))
    half = stats.t.ppf(0.975, 39) * error / (1 - theta)
    centre = math.log(theta / (1 - theta))
    limits = 1 / (1 + np.exp(-np.array([centre - half, centre + half])))
    found = harness.interval("pass_hat", "beta_binomial", x=x, n=n, k=k)
    assert [*found] == pytest.approx(limits, abs=2e-6)


def test_the_fit_has_limits_at_the_ends_of_its_range():
    for x in ([5, 5, 5, 5], [4, 5, 5, 6], [0, 10, 10, 0], [0, 10, 10, 1], [9, 10, 10, 10]):
        for family in ("pass_at", "pass_hat"):
            found = harness.interval(family, "beta_binomial", x=x, n=10, k=2)
            assert 0 < found.lower < found.upper < 1
    many = harness.interval("pass_hat", "beta_binomial", x=[9000, 4000, 10_000], n=10_000, k=100)
    assert 0 < many.lower < many.upper < 1


@pytest.mark.parametrize(
    "law",
    [
        BetaTasks(2.0, 4.0),
        MixtureTasks(0.3, 0.3),
        PointTasks((0.1, 0.5, 1.0), (0.25, 0.5, 0.25)),
    ],
)
@pytest.mark.parametrize("family", ["pass_at", "pass_hat"])
def test_the_mean_estimate_of_drawn_tasks_is_the_closed_moment(law, family):
    # 200,000 tasks: 4 standard errors, which a right program exceeds once in 16,000 seeds.
    known = with_settings(family, {"k": 3})
    scenario = scenario_for(known, (200_000, 5), TaskTruth(law))
    ((x, n),) = (
        observed.counts for observed in scenario.draw_observed(0, 1, np.random.default_rng(1))
    )
    mean, sd, *_ = known.columns((x, n), ())
    _, truth = scenario.listed_truths()
    assert abs(mean[0] - truth[0]) < 4 * sd[0] / math.sqrt(200_000)


def test_tasks_of_one_value_are_a_point_and_a_remark_says_so():
    found = harness.interval("pass_at", "student_t", x=[9, 10, 8], n=10, k=5)
    assert (found.lower, found.upper) == (1, 1)
    assert "all tasks have one value" in found.remarks[-1]
    assert not harness.interval("pass_at", "student_t", x=[9, 2, 8], n=10, k=5).remarks


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x": [1, 2], "n": 3, "k": 4}, "n should be from k = 4 to 1,000,000 in every task"),
        ({"x": [1, 2], "n": [9, 3], "k": 4}, "found 3 in task 2"),
        ({"x": [1], "n": [9]}, "x should be of at least 2 tasks, found 1"),
        ({"x": [1, 4], "n": 3}, "x = 4 of task 2 is larger than n = 3"),
        ({"x": [1, 4], "n": [5, 5, 5]}, "found that x has 2, n has 3"),
        ({"x": [1, 4], "n": 5, "k": 0}, "k should be a whole number from 1 on, found 0"),
        ({"x": [1, 4], "n": 5, "k": 1.5}, "k should be a whole number from 1 on, found 1.5"),
        ({"x": [1, 4], "n": 5, "k": 20_000}, "k should be a whole number from 1 to 10,000"),
        ({"x": [1, 4], "n": "5"}, "n should be a number, or a list of numbers"),
    ],
)
def test_wrong_data_are_refused_in_a_sentence(given, words):
    with pytest.raises(InputError) as refused:
        harness.interval("pass_at", "student_t", **given)
    assert words in str(refused.value)


def test_fewer_samples_than_k_have_no_coverage():
    with pytest.raises(InputError, match="samples should be at least k = 5, found 4"):
        harness.coverage("pass_at", "student_t", tasks=9, samples=4, mean=0.5, sd=0.3, k=5)
