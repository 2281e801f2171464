"""Default intervals say something wherever the data do."""

import numpy as np
import pytest

import harness
from harness.base.errors import IntervalNotFoundError
from harness.families.catalogue import FAMILIES
from harness.families.uninformative import UNINFORMATIVE, WITHOUT_INTERVAL, uninformative
from harness.methods.catalogue import default_method
from harness.methods.method import TWO_SIDED

N = 20
WALKED = [
    name for name, family in FAMILIES.items() if family.has_counts_of_samples or family.shares_size
]
KNOWN = {}
"""Outcomes of default methods that are the whole range, or of no width, though the data say
something: by family."""

LIMITED = {"rate_ratio"}
"""Families whose default interval is limited, by a prior alone, where every value is possible:
``mover_jeffreys`` at no event in either sample. Its intervals have a remark there."""


def outcomes(name):
    """All outcomes of 20 cases in each group; events up to 40 where they have no largest number."""
    family = FAMILIES[name]
    if family.shares_size:
        cells = np.indices((N + 1,) * 3).reshape(3, -1)
        cells = cells[:, cells.sum(axis=0) <= N]
        return tuple(np.vstack([cells, N - cells.sum(axis=0)]).astype(np.float64))
    most = 2 * N if family.model.NAME == "rate" else N
    counts = np.indices((most + 1,) * family.samples).reshape(family.samples, -1)
    columns = []
    for x in counts.astype(np.float64):
        columns += [x, np.full(x.size, float(N))]
    return tuple(columns)


def at_fault(name, data):
    """The outcomes at which the default interval is the whole range, or has no width, for no
    reason."""
    family = FAMILIES[name]
    lower, upper = default_method(family, TWO_SIDED).limits(data, 0.05)
    low, high = family.support
    whole, nothing = (lower <= low) & (upper >= high), uninformative(family, data)
    assert name in LIMITED or whole[nothing].all()
    bad = (whole & ~nothing) | (upper <= lower)
    return {tuple(int(number) for number in outcome) for outcome in np.array(data).T[bad]}


@pytest.mark.parametrize("name", WALKED)
def test_a_default_interval_says_something_at_a_sample_of_the_outcomes(name):
    data = outcomes(name)
    some = np.random.default_rng(20).choice(data[0].size, min(data[0].size, 60), replace=False)
    ends = np.flatnonzero(sum(np.equal(column, 0) for column in data) >= len(data) - 1)
    chosen = np.union1d(some, ends)
    assert at_fault(name, tuple(column[chosen] for column in data)) <= KNOWN.get(name, set())


@pytest.mark.parametrize("name", WALKED)
def test_a_default_interval_says_something_at_every_outcome_that_does(name):
    assert at_fault(name, outcomes(name)) == KNOWN.get(name, set())


def test_a_family_with_uninformative_outcomes_is_of_the_catalogue():
    assert set(UNINFORMATIVE) <= set(FAMILIES)
    assert all(each.words for each in UNINFORMATIVE.values())


NO_EVENT = {"x1": 0, "exposure1": 1, "x2": 0, "exposure2": 1}


def test_limits_of_a_prior_alone_are_remarked():
    limited = harness.interval("rate_ratio", "mover_jeffreys", **NO_EVENT)
    assert limited.lower > 0
    (remark,) = limited.remarks
    assert "as there is no event in either sample, and the limits come from a prior" in remark
    some = harness.interval("rate_ratio", "mover_jeffreys", **{**NO_EVENT, "x1": [1, 0]})
    assert some.remarks == limited.remarks
    assert harness.interval("rate_ratio", "exact_conditional", **NO_EVENT).remarks == ()


@pytest.mark.parametrize("side", ["lower", "upper"])
def test_one_limit_of_a_prior_alone_is_remarked_too(side):
    found = harness.interval("rate_ratio", "mover_jeffreys", side=side, **NO_EVENT)
    assert len(found.remarks) == 1


def test_equal_values_have_no_interval_of_any_method():
    words = WITHOUT_INTERVAL["mean"].words
    for method in (None, "student_t", "bootstrap_percentile", "bootstrap_t"):
        for side in ("two-sided", "lower", "upper"):
            with pytest.raises(IntervalNotFoundError, match=words):
                harness.interval("mean", method, values=[0.1] * 3, seed=1, side=side)


def test_equal_values_go_on_to_count_in_a_run():
    """They have the formula of the method: an interval of no width."""
    data = (np.array([0.1]), np.zeros(1), np.array([3.0]), np.full((1, 3), 0.1))
    lower, upper = default_method(FAMILIES["mean"], TWO_SIDED).limits(data, 0.05)
    assert lower == upper == 0.1
