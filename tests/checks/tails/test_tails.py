"""The tail of each limit is a sum of probabilities, and a planted fault is found by it."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.special import ndtri

from harness.callers.function import FunctionHere
from harness.callers.source import CatalogueSource
from harness.checks.conformance.grid import CountGrid, GridBlock
from harness.checks.conformance.runner import evaluate, evaluate_widely
from harness.checks.conformance.wide_grid import OF_NUMBERS, THOROUGH, wide_grid
from harness.checks.expected_failures import apply_expected_failures
from harness.checks.subject import Subject
from harness.checks.tails.levels import NEIGHBOURS, TAIL_PROBABILITIES, check_tails, tails_of
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE
from tests.checks.planted.textbook import clopper_pearson, garwood

ALPHAS = (1e-6, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3173)


def wilson(x, n, alpha, factor=1.0):
    z = -ndtri(alpha / 2) * factor
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    center = x + z * z / 2
    return np.clip([(center - delta) / (n + z * z), (center + delta) / (n + z * z)], 0, 1)


def upper_wilson(x, n, alpha):
    """A bound at alpha/2 in the place of alpha."""
    return 0.0 * x, wilson(x, n, alpha)[1]


upper_wilson.side = "upper"


def upper_is_lower(x, n, alpha):
    return 0.0 * x, wilson(x, n, min(2 * alpha, 0.999))[0]


upper_is_lower.side = "upper"


def of_int32(x, n, alpha):
    z = -ndtri(alpha / 2)
    x, n = np.asarray(x, np.int32), np.int32(n)
    with np.errstate(over="ignore"):
        variance = np.abs((x * (n - x)).astype(float)) / n
    delta, center = z * np.sqrt(variance + z * z / 4), x + z * z / 2
    return np.clip([(center - delta) / (n + z * z), (center + delta) / (n + z * z)], 0, 1)


def mid_p(x, n, alpha):
    limits = CATALOGUE["proportion"]["mid_p"].limits
    return limits((np.asarray(x, float), np.full(np.shape(x), float(n))), alpha)


def all_of_alpha_at_the_ends(x, n, alpha):
    lower, upper = clopper_pearson(x, n, alpha)
    end = alpha ** (1.0 / n)
    return np.where(x == n, end, lower), np.where(x == 0, 1 - end, upper)


def blocks_of(family, sizes):
    """All counts of sizes up to 200, and those of the wide grid of a larger one."""
    wide = {block.outcomes.sizes[0]: block for block in wide_grid(family_of(family), 1)}
    return [GridBlock(wide[size].outcomes, ALPHAS) for size in sizes]


def findings_of(function, family, contract, sizes):
    subject = Subject(FunctionHere("f", function), family_of(family))
    records = tails_of(evaluate(subject, blocks_of(family, sizes)))
    return {finding.check: finding for finding in check_tails(records, contract)}


def test_tails_are_sums_of_binomial_probabilities():
    n, x, lower, upper = 12, 3, 0.0625, 0.5
    subject = Subject(
        FunctionHere("f", lambda x, n, alpha: (0.0 * x + lower, 0.0 * x + upper)),
        family_of("proportion"),
    )
    outcomes = CountGrid(family_of("proportion"), (float(n),), (np.arange(n + 1.0),))
    (tails,) = tails_of(evaluate(subject, [GridBlock(outcomes, (0.1,))]))

    def exact(p, counts):
        p = Fraction(p)
        return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in counts)

    from_x, up_to_x = exact(lower, range(x, n + 1)), exact(upper, range(x + 1))
    assert tails.tail["lower"][0, x] == pytest.approx(float(from_x), rel=1e-13)
    assert tails.tail["upper"][0, x] == pytest.approx(float(up_to_x), rel=1e-13)
    half = float(up_to_x - exact(upper, [x]) / 2)
    assert tails.r["upper"][0, x] == pytest.approx(ndtri(half) / ndtri(0.05), rel=1e-12)


def test_an_exact_limit_leaves_half_of_alpha_and_an_end_of_the_range_has_no_tail():
    subject = Subject(FunctionHere("f", clopper_pearson), family_of("proportion"))
    (tails,) = tails_of(evaluate(subject, blocks_of("proportion", [40])))
    for place, alpha in enumerate(tails.alphas):
        np.testing.assert_allclose(tails.tail["lower"][place, 1:], alpha / 2, rtol=1e-7)
        np.testing.assert_allclose(tails.tail["upper"][place, :-1], alpha / 2, rtol=1e-7)
    assert np.isnan(tails.tail["lower"][:, 0]).all()
    assert np.isnan(tails.tail["upper"][:, -1]).all()


SOUND = {
    "wilson": (wilson, "proportion", "nominal"),
    "clopper_pearson": (clopper_pearson, "proportion", "at-least"),
    "garwood": (garwood, "rate", "at-least"),
    "mid_p": (mid_p, "proportion", "approximate"),
    "all of alpha at x = 0": (all_of_alpha_at_the_ends, "proportion", "conservative"),
}
SIZES = {"proportion": (10, 36, 37, 38, 60, 100, 1000, 10**4, 10**6), "rate": (1.0, 50.0)}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_method_passes(name):
    function, family, contract = SOUND[name]
    found = findings_of(function, family, contract, SIZES[family])
    assert {each.verdict for each in found.values()} == {"pass"}


def too_near_at_the_ends(method):
    """Its limits with the upper one at x = 0 a tenth too small, and the mirror image at x = n."""

    def limits(x, size, alpha):
        lower, upper = method(x, size, alpha)
        mirrored = np.where(upper == 1, 1 - 0.9 * (1 - lower), lower)
        return mirrored, np.where(x == 0, 0.9 * upper, upper)

    return limits


def where(condition, wrong, right):
    return lambda x, n, alpha: (wrong if condition(n, alpha) else right)(x, n, alpha)


def wider(factor):
    return lambda x, n, alpha: wilson(x, n, alpha, factor)


PLANTED = {
    "swapped at n = 40": (
        where(lambda n, a: n == 40, lambda *given: wilson(*given)[::-1], wilson),
        ("proportion", "nominal", (39, 40)),
        (TAIL_PROBABILITIES, "the lower limit 0.", "is where the upper limit belongs"),
    ),
    "too wide at n = 37": (
        where(lambda n, a: n == 37, wider(1.1), wilson),
        ("proportion", "nominal", (36, 37, 38)),
        (
            NEIGHBOURS,
            "the lower limits change at n = 37, alpha = 0.05: their mean r over x is 1.06",
        ),
    ),
    "too narrow for large n": (
        where(lambda n, a: n > 1000, wider(0.9), wilson),
        ("proportion", "approximate", (1000, 10**4)),
        (TAIL_PROBABILITIES, "n = 10000, alpha = 0.05 leaves"),
    ),
    "products of 32 bits": (
        of_int32,
        ("proportion", "nominal", (1000, 10**6)),
        (TAIL_PROBABILITIES, "n = 1000000, alpha = 0.05 leaves"),
    ),
    "another alpha at 0.2": (
        where(lambda n, a: a == 0.2, lambda x, n, a: wilson(x, n, 0.09), wilson),
        ("proportion", "nominal", (100,)),
        (TAIL_PROBABILITIES, "n = 100, alpha = 0.2 are about those of alpha = 0.09"),
    ),
    "another alpha at 0.001": (
        where(lambda n, a: a == 0.001, lambda x, n, a: wilson(x, n, 0.003), wilson),
        ("proportion", "nominal", (100,)),
        (TAIL_PROBABILITIES, "n = 100, alpha = 0.001 are about those of alpha = 0.003"),
    ),
    "a floor of alpha": (
        lambda x, n, a: garwood(x, n, max(a, 0.005)),
        ("rate", "nominal", (1.0,)),
        (TAIL_PROBABILITIES, "are the same at alpha = 1e-06 as at alpha = 0.001"),
    ),
    "alpha in each tail": (
        lambda x, n, a: clopper_pearson(x, n, min(2 * a, 0.99)),
        ("proportion", "at-least", (30,)),
        (TAIL_PROBABILITIES, "alpha is used where alpha/2 belongs: the median tail of the lower"),
    ),
    "half of alpha on one side": (
        upper_wilson,
        ("proportion", "nominal", (200,)),
        (TAIL_PROBABILITIES, "alpha/2 is used where alpha belongs: the median tail of the upper"),
    ),
    "the other side": (
        upper_is_lower,
        ("proportion", "nominal", (30,)),
        (TAIL_PROBABILITIES, "is where the lower limit belongs: one side is taken for the other"),
    ),
    "too small a bracket": (
        lambda x, e, a: (garwood(x, e, a)[0], np.minimum(garwood(x, e, a)[1], (x + 50.0) / e)),
        ("rate", "at-least", (1.0,)),
        (TAIL_PROBABILITIES, "above, at most 0.05 allowed"),
    ),
    "the whole range": (
        where(lambda n, a: n > 5000, lambda x, n, a: (0.0 * x, 0.0 * x + 1), clopper_pearson),
        ("proportion", "at-least", (1000, 10**4)),
        (TAIL_PROBABILITIES, "n = 10000, alpha = 0.05 is the end of the range"),
    ),
    "a tenth too small at x = 0": (
        too_near_at_the_ends(clopper_pearson),
        ("proportion", "conservative", (4, 40)),
        (TAIL_PROBABILITIES, "x = 4, n = 4, alpha = 0.05 leaves 0.044 below, 0.025 expected"),
    ),
    "a tenth too small without events": (
        too_near_at_the_ends(garwood),
        ("rate", "at-least", (1.0,)),
        (TAIL_PROBABILITIES, "x = 0, exposure = 1, alpha = 0.05 leaves 0.0362 above, 0.025"),
    ),
    "a tenth too small at x = 0 of mid-P": (
        too_near_at_the_ends(mid_p),
        ("proportion", "approximate", (40,)),
        (TAIL_PROBABILITIES, "x = 40, n = 40, alpha = 0.05 leaves 0.0341 below, 0.025 expected"),
    ),
    "one limit": (
        lambda x, n, a: (wilson(x, n, a)[0], wilson(x, n, a)[1] + 0.05 * (x == 20) * (n == 60)),
        ("proportion", "approximate", (60,)),
        (NEIGHBOURS, "at x = 20, n = 60, alpha = 0.05 does not lie between"),
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found_in_words_that_name_it(name):
    function, given, (check, *words) = PLANTED[name]
    found = findings_of(function, *given)[check]
    assert found.verdict == "fail"
    for word in words:
        assert word in found.message


def test_without_a_contract_the_same_faults_are_remarks():
    for function, (family, _, sizes), (check, *_) in PLANTED.values():
        found = findings_of(function, family, "none", sizes[:1] if len(sizes) > 3 else sizes)
        assert {each.verdict for each in found.values()} <= {"pass", "remark"}, check


def test_every_n_is_asked_and_seeds_draw_others():
    one, other, again = (wide_grid(family_of("proportion"), seed) for seed in (1, 2, 1))
    sizes = [[block.outcomes.sizes[0] for block in grid] for grid in (one, other, again)]
    assert set(range(1, 201)) < {*sizes[0]}
    assert sizes[0] == sizes[2] != sizes[1]
    assert one[-1].alphas != other[-1].alphas
    for block in one:
        (n,), (x,) = block.outcomes.sizes, block.outcomes.counts
        np.testing.assert_array_equal(np.sort(n - x), x)


def test_the_grid_of_a_method_for_single_numbers_is_smaller_and_the_thorough_one_larger():
    few, some, all_of_it = (
        sum(len(block.alphas) * block.outcomes.counts[0].size for block in grid)
        for grid in (
            wide_grid(family_of("proportion"), 1, OF_NUMBERS),
            wide_grid(family_of("proportion"), 1),
            wide_grid(family_of("proportion"), 1, THOROUGH),
        )
    )
    assert 1.5 * few < some
    assert 3 * some < all_of_it


KEEPING = [
    (family, name)
    for family in ("proportion", "rate")
    for name, method in CATALOGUE[family].items()
    if method.deterministic and not method.needs_population
]
NO_CONTRACT = ("wald", "wald_cc", "wald_t")
"""Methods that no contract fits."""


@pytest.mark.parametrize(("family", "name"), KEEPING)
def test_no_sound_method_of_the_catalogue_fails(family, name):
    subject = Subject(CatalogueSource(name, CATALOGUE[family][name], seed=1), family_of(family))
    contract = subject.contract
    if contract == "none" and name not in NO_CONTRACT:
        contract = "approximate"
    records = tails_of(evaluate_widely(subject, seed=1))
    findings = check_tails(records, contract, subject.has_uneven_tails)
    failed = [each for each in apply_expected_failures(findings, subject) if each.verdict == "fail"]
    assert failed == []
