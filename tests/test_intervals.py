"""``harness.interval``: one interval now, for numbers and for arrays."""

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.base.numerics.points import UnitPoints
from harness.distributions.posteriors.beta import Beta
from harness.families.catalogue import family_of
from harness.methods.catalogue import methods_for
from harness.one import tails

PROPORTION = {
    name: m for name, m in methods_for(family_of("proportion")).items() if m.deterministic
}


def test_the_papers_example_90_of_100():
    found = harness.interval("proportion", "minimal_length", x=90, n=100)
    assert (f"{found.estimate:.4f}", f"{found.lower:.4f}", f"{found.upper:.4f}") == (
        *("0.9000", "0.8313", "0.9485"),
    )


def test_numbers_give_numbers_and_arrays_give_arrays_of_their_shape():
    one = harness.interval("proportion", "wilson", x=3, n=10)
    assert [type(v) for v in (one.estimate, one.lower, one.upper)] == [float] * 3
    many = harness.interval("proportion", "wilson", x=[[3], [4]], n=[10, 20, 30])
    assert many.estimate.shape == many.lower.shape == many.upper.shape == (2, 3)
    assert (many.lower[0, 0], many.upper[0, 0]) == (one.lower, one.upper)
    single = harness.interval("proportion", "wilson", x=[3], n=10)
    assert single.lower.shape == (1,)
    none = harness.interval("proportion", "wilson", x=np.array([], int), n=10)
    assert none.lower.shape == none.estimate.shape == (0,)


@pytest.mark.parametrize("name", PROPORTION)
def test_data_and_alpha_broadcast_against_each_other(name):
    side = PROPORTION[name].sides[0]
    x, n, alpha = np.array([[0], [2], [5]]), 5, np.array([0.05, 0.5, 0.9])
    found = harness.interval("proportion", name, x=x, n=n, alpha=alpha, side=side)
    assert found.lower.shape == (3, 3)
    np.testing.assert_array_equal(found.estimate, np.repeat(x / n, 3, axis=1))
    for i in range(3):
        for j in range(3):
            one = harness.interval(
                "proportion", name, x=int(x[i, 0]), n=n, alpha=float(alpha[j]), side=side
            )
            assert (found.lower[i, j], found.upper[i, j]) == (one.lower, one.upper)


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.int64, np.float32, np.float64])
def test_counts_may_be_of_any_number_type(kind):
    found = harness.interval("proportion", "jeffreys", x=kind(9), n=kind(10))
    assert found == harness.interval("proportion", "jeffreys", x=9, n=10)


def test_what_is_given_is_left_as_it_was():
    x, n, alpha = np.array([1, 2]), np.array([3, 4]), np.array([0.1, 0.2])
    for given in (x, n, alpha):
        given.setflags(write=False)
    harness.interval("proportion", "balanced_tail", x=x, n=n, alpha=alpha, prior=(2, 5))


def test_an_alias_names_the_same_interval():
    ours = harness.interval("proportion", "exact_tail", x=3, n=10)
    assert ours == harness.interval("proportion", "clopper_pearson", x=3, n=10)


@pytest.mark.parametrize("prior", [(2, 5), [2, 5], np.array([2, 5]), np.array([2.0, 5.0])])
def test_a_prior_may_be_any_pair_of_numbers(prior):
    found = harness.interval("proportion", "balanced_tail", x=3, n=10, prior=prior)
    assert found == harness.interval("proportion", "balanced_tail", x=3, n=10, prior=(2.0, 5.0))


@pytest.mark.parametrize("name", ["one_sided", "minimal_length", "balanced_width", "balanced_tail"])
def test_a_prior_left_out_is_flat(name):
    side = PROPORTION[name].sides[0]
    flat = harness.interval("proportion", name, x=3, n=10, side=side, prior=(1, 1))
    assert flat == harness.interval("proportion", name, x=3, n=10, side=side)


def test_a_seed_changes_nothing_where_nothing_is_drawn():
    found = harness.interval("proportion", "wald", x=3, n=10, seed=7)
    assert found == harness.interval("proportion", "wald", x=3, n=10)


COMPLEMENTARY = {"wald", "wilson", "jeffreys", "one_sided", "balanced_tail", "mid_p", "scas"}
# 1 − alpha has rounded.
ROUNDED = 1e-13


@pytest.mark.parametrize("name", [name for name, m in PROPORTION.items() if "lower" in m.sides])
@pytest.mark.parametrize("alpha", [0.5, 0.75, 0.99])
def test_a_one_sided_alpha_of_one_half_and_more_works(name, alpha):
    lower = harness.interval("proportion", name, x=3, n=10, side="lower", alpha=alpha)
    upper = harness.interval("proportion", name, x=3, n=10, side="upper", alpha=1 - alpha)
    assert lower.upper == 1
    assert upper.lower == 0
    # The tails of exact and of continuity-corrected methods both hold the outcome. Of the others
    # one tail's complement is the other's.
    assert lower.lower <= upper.upper + ROUNDED
    if name in COMPLEMENTARY:
        assert lower.lower == pytest.approx(upper.upper, abs=ROUNDED)


def test_tails_are_the_posterior_mass_outside_the_limits():
    found = harness.interval("proportion", "wald", x=3, n=10)
    outside = tails("proportion", "wald", (found.lower, found.upper), x=3, n=10)
    flat = Beta(np.array([4.0]), np.array([8.0]))
    assert outside[0] == flat.cdf(UnitPoints.of(np.array([found.lower])))[0]
    assert outside[1] == flat.sf(UnitPoints.of(np.array([found.upper])))[0]
    assert type(outside[0]) is float


@pytest.mark.parametrize("name", ["minimal_length", "balanced_width", "balanced_tail"])
@pytest.mark.parametrize("prior", [None, (2, 5)])
def test_tails_of_a_posterior_method_add_up_to_alpha_under_its_prior(name, prior):
    x = np.arange(11)
    found = harness.interval("proportion", name, x=x, n=10, prior=prior, alpha=0.1)
    outside = tails("proportion", name, (found.lower, found.upper), x=x, n=10, prior=prior)
    np.testing.assert_allclose(sum(outside), 0.1, rtol=1e-12)


def test_a_population_broadcasts_against_the_data():
    for name in ("hypergeometric_exact", "hypergeometric_wang"):
        x, population, alpha = [[0], [3], [10]], [10, 50, 2000], 0.05
        found = harness.interval("proportion", name, x=x, n=10, population=population, alpha=alpha)
        assert found.lower.shape == (3, 3)
        one = harness.interval("proportion", name, x=3, n=10, population=50, alpha=alpha)
        assert (found.lower[1, 1], found.upper[1, 1]) == (one.lower, one.upper)
        assert (one.estimate, type(one.lower)) == (0.3, float)


def test_a_posterior_of_independent_trials_says_nothing_of_a_finite_population():
    found = harness.interval("proportion", "hypergeometric_exact", x=3, n=10, population=50)
    limits = found.lower, found.upper
    with pytest.raises(InputError, match="which a posterior does not take"):
        tails("proportion", "hypergeometric_exact", limits, x=3, n=10, population=50)
