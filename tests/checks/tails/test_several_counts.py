"""The tails that limits of two samples and of pairs leave, and the faults that they tell of."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import binom, multinomial, poisson

from harness.base.numerics.arrays import Floats
from harness.callers.function import FunctionHere
from harness.callers.source import CatalogueSource
from harness.checks.conformance.grid import CountGrid, GridBlock, TableList
from harness.checks.conformance.properties import Evaluation
from harness.checks.conformance.runner import check_conformance, evaluate
from harness.checks.conformance.wide_grid import OF_NUMBERS, several_count_grid
from harness.checks.expected_failures import apply_expected_failures
from harness.checks.findings import FAIL
from harness.checks.subject import Subject
from harness.checks.tails.levels import check_tails
from harness.checks.tails.tails import LimitTails, nearest_truths, tails_of_several_counts
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from tests.checks.planted.textbook import agresti_caffo

ALPHAS = (0.01, 0.05, 0.2)
TWO = {
    "proportion_difference": ("mee", 0.15),
    "balanced_accuracy": ("mover_wilson", 0.6),
    "risk_ratio": ("koopman", 1.7),
    "odds_ratio": ("score", 0.4),
    "rate_difference": ("score", 3.0),
    "rate_ratio": ("score", 2.5),
}
PAIRS = {"paired_difference": ("tango", 0.2), "paired_ratio": ("tang", 1.4)}


def _evaluation(family: str, method: str, outcomes: CountGrid) -> Evaluation:
    source = CatalogueSource(method, find(family_of(family), method), seed=1)
    subject = Subject(source, family_of(family))
    (found,) = evaluate(subject, [GridBlock(outcomes, ALPHAS)], ("two-sided",))
    return found


def _grid(family: str, sizes: tuple[float, float], *counts: list[int]) -> CountGrid:
    return CountGrid(family_of(family), sizes, tuple(np.array(each, np.float64) for each in counts))


def _log_likelihood(
    family: str, counts: Floats, sizes: tuple[float, ...], truths: Floats
) -> Floats:
    if len(sizes) == 1:
        return np.array([multinomial.logpmf(counts, sizes[0], cells) for cells in truths.T])
    law = binom.logpmf if family_of(family).is_bounded else None
    each = zip(counts, sizes, truths, strict=True)
    if law is None:
        return np.sum([poisson.logpmf(x, size * rate) for x, size, rate in each], axis=0)
    return np.sum([law(x, size, p) for x, size, p in each], axis=0)


@pytest.mark.parametrize("family", TWO)
def test_nearest_truths_of_two_samples_are_the_most_likely_ones_of_their_line(family):
    known, wanted, counts, sizes = family_of(family), TWO[family][1], (7.0, 3.0), (12.0, 9.0)
    columns = tuple(np.array([x]) for x in counts)
    found = nearest_truths(known, columns, sizes, np.array([wanted]))
    assert known.parameter_at(found)[0] == pytest.approx(wanted, rel=1e-9)
    # The line, by the second truth of each first one.
    weights, first = (
        known.combination.weights,
        np.linspace(1e-3, 0.999 if known.is_bounded else 5.0, 4001),
    )
    rest = known.combination.scale.of(np.array(wanted)) - weights[0] * known.combination.coordinate(
        first
    )
    with np.errstate(over="ignore"):
        second = known.combination.from_coordinate(rest / weights[1])
    on_line = (second > 0) & ((second < 1) | (not known.is_bounded))
    line = np.array((first[on_line], second[on_line]))
    best = _log_likelihood(family, np.array(counts), sizes, line).max()
    here = _log_likelihood(family, np.array(counts), sizes, np.array(found))[0]
    assert 0 <= here - best + 1e-9 < 1e-3


@pytest.mark.parametrize("family", PAIRS)
@pytest.mark.parametrize("table", [(9, 4, 2, 5), (3, 0, 4, 0), (0, 6, 1, 8)])
def test_nearest_tables_are_the_most_likely_ones_with_their_parameter(family, table):
    known, wanted = family_of(family), PAIRS[family][1]
    counts = tuple(np.array([float(x)]) for x in table)
    size = float(sum(table))
    found = np.array(nearest_truths(known, counts, (size,), np.array([wanted])))[:, 0]
    assert known.parameter_at(tuple(found[:, None]))[0] == pytest.approx(wanted, abs=1e-5)
    here = _log_likelihood(family, np.array(table), (size,), found[:, None])[0]
    rng = np.random.default_rng(3)
    moved = rng.dirichlet(np.array(table) + 0.5, 2000).T
    a = np.array([float(each) for each in known.of_pairs.constraint(np.array(wanted))])
    mass = a @ moved / (a[2] - a[1])
    moved[1] += mass
    moved[2] -= mass
    others = _log_likelihood(family, np.array(table), (size,), moved[:, (moved > 0).all(axis=0)])
    assert here > others.max() - 1e-4


def test_a_tail_is_the_probability_of_limits_as_far_out_at_the_nearest_truth():
    outcomes = _grid("proportion_difference", (8.0, 9.0), list(range(9)), list(range(10)))
    evaluation = _evaluation("proportion_difference", "mee", outcomes)
    tails = tails_of_several_counts(evaluation)
    limits = evaluation.lower[1]
    truths = nearest_truths(
        family_of("proportion_difference"),
        (np.array([6.0]), np.array([2.0])),
        (8.0, 9.0),
        limits[[6], [2]],
    )
    weight = np.outer(binom.pmf(range(9), 8, truths[0]), binom.pmf(range(10), 9, truths[1]))
    tied = np.abs(limits - limits[6, 2]) < 1e-9
    beyond = weight[(limits > limits[6, 2]) & ~tied].sum()
    assert tails.tail["lower"][1, 6, 2] == pytest.approx(beyond + weight[tied].sum(), rel=1e-9)
    wanted = -ndtri(beyond + 0.5 * weight[tied].sum()) / -ndtri(0.025)
    assert tails.r["lower"][1, 6, 2] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("family", ["proportion_difference", "risk_ratio", "odds_ratio"])
def test_r_of_score_limits_is_1_where_it_comes_from_the_score(family):
    n1, n2 = 10**5, 3 * 10**5
    outcomes = _grid(family, (n1, n2), [200, n1 // 3, n1 - 300], [250, n2 // 2, n2 - 100])
    tails = tails_of_several_counts(_evaluation(family, TWO[family][0], outcomes))
    assert np.isnan(tails.tail["lower"]).all()
    assert tails.r["lower"] == pytest.approx(np.ones_like(tails.r["lower"]), abs=1e-6)
    assert tails.r["upper"] == pytest.approx(np.ones_like(tails.r["upper"]), abs=1e-6)


@pytest.mark.parametrize("family", ["rate_difference", "rate_ratio"])
def test_r_of_score_limits_of_rates_is_1_where_it_comes_from_the_score(family):
    outcomes = _grid(family, (2.0, 0.3), [100, 5000, 10**6], [150, 70_000])
    tails = tails_of_several_counts(_evaluation(family, "score", outcomes))
    assert tails.r["lower"] == pytest.approx(np.ones_like(tails.r["lower"]), abs=1e-6)
    assert tails.r["upper"] == pytest.approx(np.ones_like(tails.r["upper"]), abs=1e-6)


@pytest.mark.parametrize("family", PAIRS)
def test_r_of_score_limits_of_pairs_is_1_where_it_comes_from_the_score(family):
    rows = [(4000, 300, 150, 550), (100, 200, 900, 3800), (10**5, 700, 700, 10**6)]
    for row in rows:
        columns = tuple(np.array([float(x)]) for x in row)
        outcomes = TableList(family_of(family), (float(sum(row)),), columns)
        tails = tails_of_several_counts(_evaluation(family, PAIRS[family][0], outcomes))
        assert tails.r["lower"] == pytest.approx(np.ones_like(tails.r["lower"]), abs=1e-6)
        assert tails.r["upper"] == pytest.approx(np.ones_like(tails.r["upper"]), abs=1e-6)


def _found(
    subject: Subject,
    contract: str,
    *sizes: tuple[float, ...],
    alphas: tuple[float, ...] | None = None,
) -> list[str]:
    """The failures at some of the sizes of the wider grid, at its alphas or at these."""
    grid = several_count_grid(subject.family, np.random.default_rng(1), OF_NUMBERS.several)
    chosen = [each for each in grid if each.outcomes.sizes in sizes]
    blocks = [GridBlock(each.outcomes, alphas or each.alphas) for each in chosen]
    assert len(blocks) == len(sizes)
    evaluations = evaluate(subject, blocks, (subject.sides[0],))
    findings = check_conformance(subject, evaluations=evaluations)
    findings += check_tails([tails_of_several_counts(each) for each in evaluations], contract)
    return [
        f"{each.check}: {each.message}"
        for each in apply_expected_failures(findings, subject)
        if each.verdict == FAIL and not each.check.startswith(("can be pickled", "expects failure"))
    ]


FIRST, LARGE = (16.0, 21.0), (1e5, 1e5)

SOUND = [
    ("proportion_difference", "newcombe", "approximate", (FIRST, LARGE)),
    ("proportion_difference", "agresti_caffo", "approximate", (FIRST, LARGE)),
    ("odds_ratio", "cornfield", "at-least", (FIRST,)),
    ("risk_ratio", "mover_wilson", "approximate", (FIRST, LARGE)),
    ("balanced_accuracy", "exact_union", "at-least", (FIRST,)),
    ("rate_ratio", "exact_conditional", "at-least", ((1.0, 2.5), (1.0, 1.0))),
    ("rate_difference", "mover_score", "approximate", ((1.0, 2.5), (1.0, 1.0))),
    ("paired_difference", "bonett_price", "approximate", ((12.0,), (1000.0,))),
    ("paired_ratio", "mover_wilson", "approximate", ((12.0,), (1000.0,))),
]


@pytest.mark.parametrize(("family", "method", "contract", "sizes"), SOUND)
def test_a_sound_method_is_not_accused(family, method, contract, sizes):
    subject = Subject(
        CatalogueSource(method, find(family_of(family), method), seed=1), family_of(family)
    )
    assert _found(subject, contract, *sizes, alphas=ALPHAS) == []


def _pooled(x1, n1, x2, n2, alpha):
    p = (x1 + x2 + 2) / (n1 + n2 + 4)
    half = -ndtri(alpha / 2) * np.sqrt(p * (1 - p) * (1 / (n1 + 2) + 1 / (n2 + 2)))
    estimate = (x1 + 1) / (n1 + 2) - (x2 + 1) / (n2 + 2)
    return np.maximum(estimate - half, -1.0), np.minimum(estimate + half, 1.0)


def _no_root(x1, n1, x2, n2, alpha):
    lower, upper = agresti_caffo(x1, n1, x2, n2, alpha)
    half = 0.5 * (upper - lower)
    return lower + half - half**2, upper - half + half**2


def _in_32_bits(x1, n1, x2, n2, alpha):
    with np.errstate(all="ignore"):
        product = np.float64(np.int32(n1 + 2) * np.array(n2 + 2, np.int32))
        z, p, q = -ndtri(alpha / 2), (x1 + 1) / (n1 + 2), (x2 + 1) / (n2 + 2)
        square = p * (1 - p) * (n2 + 2) + q * (1 - q) * (n1 + 2)
        half = z * np.sqrt(np.abs(square / product))
    return np.maximum(p - q - half, -1.0), np.minimum(p - q + half, 1.0)


def _where(condition: Callable[..., bool], first: Callable, second: Callable) -> Callable:
    def chosen(x1, n1, x2, n2, alpha):
        function = first if condition(n1, n2, alpha) else second
        return function(x1, n1, x2, n2, alpha)

    return chosen


def _at_alpha(change: Callable[[float], float]) -> Callable:
    return lambda x1, n1, x2, n2, alpha: agresti_caffo(x1, n1, x2, n2, change(alpha))


FAULTS = {
    "alpha ignored": (_at_alpha(lambda alpha: 0.05), FIRST, "are the same at alpha"),
    "alpha for alpha/2": (
        _at_alpha(lambda alpha: 2 * alpha),
        FIRST,
        "alpha is used where|tail probabilities",
    ),
    "alpha/4 for alpha/2": (_at_alpha(lambda alpha: alpha / 2), LARGE, "tail probabilities"),
    "0.2 taken for 0.1": (
        _at_alpha(lambda alpha: 0.1 if alpha == 0.2 else alpha),
        FIRST,
        r"alpha = 0\.2\b",
    ),
    "0.001 taken for 0.003": (
        _at_alpha(lambda alpha: 0.003 if alpha == 0.001 else alpha),
        FIRST,
        r"alpha = 0\.001\b",
    ),
    "wrong where an n exceeds 20": (
        _where(lambda n1, n2, alpha: max(n1, n2) > 20, _at_alpha(lambda a: 4 * a), agresti_caffo),
        FIRST,
        "n2 = 21",
    ),
    "pooled variance": (_pooled, LARGE, "tail probabilities"),
    "variance for its root": (_no_root, FIRST, "tail probabilities"),
    "samples swapped in one limit": (
        lambda x1, n1, x2, n2, alpha: (
            agresti_caffo(x1, n1, x2, n2, alpha)[0],
            -agresti_caffo(x1, n2, x2, n1, alpha)[0] + 0 * x1,
        ),
        FIRST,
        "is ordered|tail probabilities",
    ),
    "a 32-bit product": (_in_32_bits, LARGE, "n1 = 100000"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_and_named(fault):
    function, size, words = FAULTS[fault]
    subject = Subject(FunctionHere(fault, function), family_of("proportion_difference"))
    found = _found(subject, "approximate", size)
    assert any(re.search(words, each) for each in found), found


def test_a_limit_at_one_x_that_exceeds_alpha_breaks_at_least():
    """A wrong end at x1 = 0: the upper limit of the exact conditional interval, at a tenth."""

    def planted(x1, exposure1, x2, exposure2, alpha):
        data = tuple(
            np.broadcast_to(np.float64(each), np.shape(x1)) for each in (exposure1, exposure2)
        )
        method = find(family_of("rate_ratio"), "exact_conditional")
        lower, upper = method.limits((x1 * 1.0, data[0], x2 * 1.0, data[1]), alpha, "two-sided")
        return lower, np.where((x1 == 0) & (x2 > 0), upper / 10, upper)

    subject = Subject(FunctionHere("planted", planted), family_of("rate_ratio"))
    assert any("x1 = 0" in each for each in _found(subject, "at-least", (1.0, 2.5)))


def test_exposures_that_are_ignored_are_found():
    def planted(x1, exposure1, x2, exposure2, alpha):
        z = -ndtri(alpha / 2)
        half = z * np.sqrt(1 / (x1 + 0.5) + 1 / (x2 + 0.5))
        log = np.log(x1 + 0.5) - np.log(x2 + 0.5)
        return np.exp(log - half), np.exp(log + half)

    subject = Subject(FunctionHere("planted", planted), family_of("rate_ratio"))
    found = _found(subject, "approximate", (1.0, 2.5))
    assert any(each.startswith("tail probabilities") for each in found)


def test_drawn_sizes_follow_the_seed():
    def sizes(seed: int) -> list[tuple[float, ...]]:
        grid = several_count_grid(family_of("risk_ratio"), np.random.default_rng(seed))
        return [block.outcomes.sizes for block in grid]

    assert sizes(1) == sizes(1) != sizes(2)


def test_tails_say_at_which_outcomes_they_were_computed():
    outcomes = _grid("risk_ratio", (60.0, 60.0), list(range(61)), list(range(61)))
    tails: LimitTails = tails_of_several_counts(_evaluation("risk_ratio", "koopman", outcomes))
    looked_at = ~np.isnan(tails.tail["lower"][1])
    assert 0 < looked_at.sum() < 1000
    assert (tails.least[~looked_at & (tails.lower[1] > 0)] == 0).all()
