"""What every method of the catalogue promises, at every outcome and on every side.

A property that a method does not have stands in its ``exceptions`` with the reason; one that it
declares and has all the same is an error too.
"""

import pickle
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harness
from harness.base.errors import IntervalNotFoundError
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, PROPORTION, find, methods_for
from harness.methods.method import ALL_SIDES, LOWER, TWO_SIDED, UPPER, Method
from tests.methods.contract import (
    CASES,
    DATA,
    EVENTS,
    GRIDS,
    MIRROR,
    MIRRORED,
    PROPERTIES,
    PROPORTIONS,
    SUPPORT,
    WEIGHTS,
    columns,
    counts_of,
    falls,
    flat_limits,
    is_ordered,
    is_slow,
    largest_size,
    magnitude,
    swapped,
)

catalogue = pytest.mark.parametrize(("family", "name"), CASES)


@catalogue
def test_a_method_has_each_property_of_the_contract_unless_it_says_so(family, name):
    method, wrong = CATALOGUE[family][name], []
    for part, has in PROPERTIES[family].items():
        kept = all(has(family, name, side) for side in method.sides)
        declared = method.exceptions.get(part)
        if declared is None and not kept:
            wrong.append(f"breaks {part!r} and does not say so")
        elif declared is not None and kept:
            wrong.append(f"declares an exception to {part!r} that does not occur")
        elif declared is not None and not declared.strip():
            wrong.append(f"gives no reason for its exception to {part!r}")
    assert wrong == []


@catalogue
def test_declared_exceptions_are_to_properties_of_the_contract(family, name):
    assert set(CATALOGUE[family][name].exceptions) <= set(PROPERTIES[family])


def test_the_grids_hold_the_failures_of_every_success():
    for cells in (GRIDS["proportion"], PROPORTIONS):
        for sizes, both in cells.items():
            for size, counts in zip(sizes, both, strict=True):
                assert sorted(size - count for count in counts) == sorted(counts)


def always(lower, upper):
    return lambda data, alpha: (lower + 0 * data[0], upper + 0 * data[0])


BREAKING = {
    "proportion": {
        "is ordered": always(0.75, 0.25),
        "stays in range": always(-0.1, 1.0),
        "rises with x": lambda d, alpha: (0 * d[0], 1 - 0.5 * d[0] / d[1]),
        "is nested in alpha": lambda d, alpha: (0 * d[0], 0 * d[0] + alpha),
        "mirrors": lambda d, alpha: (0 * d[0], (d[0] + 1) / (d[1] + 1)),
        "has width": lambda d, alpha: (d[0] / d[1], d[0] / d[1]),
        "holds the estimate": lambda d, alpha: (0.9 * d[0] / d[1], 0.95 * d[0] / d[1]),
        "reaches the end": always(0.1, 0.1),
    },
    "rate": {
        "is ordered": lambda d, alpha: (d[0] + 2, d[0] + 1),
        "stays in range": lambda d, alpha: (d[0], d[0] + np.inf),
        "rises with x": lambda d, alpha: (0 * d[0], 1 / (d[0] + 1)),
        "is nested in alpha": lambda d, alpha: (0 * d[0], d[0] + alpha),
        "scales with exposure": lambda d, alpha: (0 * d[0], d[0] + 1),
        "has width": lambda d, alpha: (d[0] / d[1], d[0] / d[1]),
        "holds the estimate": lambda d, alpha: (0 * d[0], 0.9 * d[0] / d[1]),
        "reaches the end": always(0.1, 0.1),
    },
    "proportion_difference": {
        "is ordered": always(0.5, -0.5),
        "stays in range": always(-1.1, 1.0),
        "has width": lambda d, alpha: (d[0] / d[1] - d[2] / d[3],) * 2,
        "holds the estimate": always(0.4, 0.6),
        "is nested in alpha": lambda d, alpha: (d[0] * 0 - alpha, d[0] * 0 + alpha),
        "is monotone": lambda d, alpha: (d[0] * 0 - 1, 1 - 0.5 * d[0] / d[1]),
        "swaps": lambda d, alpha: (d[0] * 0 - 1, d[0] / d[1]),
        "mirrors": lambda d, alpha: (d[0] * 0 - 0.5, d[0] / d[1]),
        "reaches the end": always(0.0, 0.5),
    },
    "rate_difference": {"scales": lambda d, alpha: (d[0] - d[2] - 1, d[0] - d[2] + 1)},
}
"""Each property is broken by one made-up method, so that none holds of everything."""


@pytest.fixture
def plant(monkeypatch):
    def plant(family, method):
        monkeypatch.setitem(CATALOGUE[family], "made up", method)
        flat_limits.cache_clear()

    yield plant
    flat_limits.cache_clear()


@pytest.mark.parametrize(
    ("family", "part"), [(family, part) for family, each in BREAKING.items() for part in each]
)
def test_the_contract_finds_methods_that_break_it(family, part, plant):
    formula = BREAKING[family][part]
    plant(
        family,
        SimpleNamespace(promise="none", limits=lambda data, alpha, side: formula(data, alpha)),
    )
    for side in (LOWER, UPPER) if part == "reaches the end" else (TWO_SIDED,):
        assert not PROPERTIES[family][part](family, "made up", side)


def test_every_property_is_broken_by_a_made_up_method():
    broken = {part for parts in BREAKING.values() for part in parts}
    assert broken == {part for parts in PROPERTIES.values() for part in parts}


def test_limits_that_are_reversed_are_no_interval(plant):
    formula = lambda data, alpha, side, prior: always(0.5, -0.5)(data, alpha)  # noqa: E731
    plant("proportion_difference", Method("made up", "nowhere", formula, ALL_SIDES))
    with pytest.raises(IntervalNotFoundError, match="no interval found"):
        is_ordered("proportion_difference", "made up", TWO_SIDED)


# --- calls


def mixed(*cells):
    """Columns over outcomes of several sizes."""
    each = [columns(sizes, [np.array(x, float) for x in counts]) for sizes, counts in cells]
    return tuple(np.concatenate(column) for column in zip(*each, strict=True))


TWO_CLASSES = ([0, 1, 3, 7, 50, 0], [1, 1, 9, 7, 99, 3], [0, 0, 2, 5, 5, 2], [5, 5, 5, 5, 5, 5])
TWO_RATES = ([0, 1, 3, 7, 50, 0], [1, 0.2, 9, 70, 9, 3], [0, 0, 2, 5, 7, 20], [5, 5, 5, 5, 5, 5])
SOME_DATA = {
    "proportion": ([1, 4, 0, 77, 4, 0, 3, 10], [1, 10, 3, 10**6, 10, 1, 10, 10]),
    "rate": ([1, 4, 0, 77, 4, 0, 3, 10], [1, 1e-6, 3, 1e6, 50, 1, 10, 10]),
    "proportion_difference": TWO_CLASSES,
    "rate_difference": TWO_RATES,
    "balanced_accuracy": TWO_CLASSES,
    "risk_ratio": TWO_CLASSES,
    "odds_ratio": TWO_CLASSES,
    "rate_ratio": TWO_RATES,
}


def some_data(family):
    """Columns of mixed sizes."""
    return tuple(np.array(column, float) for column in SOME_DATA[family])


MANY = {
    "proportion": mixed(*(((n,), (counts_of(n),)) for n in (1, 7, 100, 10**8))),
    "rate": mixed(((50.0,), (EVENTS,))),
}


@catalogue
def test_an_array_equals_one_outcome_at_a_time(family, name):
    method = CATALOGUE[family][name]
    some = some_data(family)
    data = tuple(map(np.concatenate, zip(MANY.get(family, [[]] * len(some)), some, strict=True)))
    far = (0, 1, 2, 50, 102, 105, *range(108, data[0].size))
    places = far if family == "rate" else range(data[0].size)
    for side in method.sides:
        for alpha in (0.05,) if is_slow(family, name) else (1e-6, 0.05, 0.6):
            together = np.array(method.limits(data, alpha, side))
            for place in places:
                alone = method.limits(tuple(column[[place]] for column in data), alpha, side)
                # Every outcome is solved by itself: not a bit may differ.
                np.testing.assert_array_equal(together[:, [place]], alone)


@catalogue
def test_neither_the_data_nor_numpys_random_state_are_touched(family, name):
    method, data = CATALOGUE[family][name], some_data(family)
    for column in data:
        column.setflags(write=False)
    before = np.random.get_state()  # noqa: NPY002
    for side in method.sides:
        first = method.limits(data, 0.05, side)
        again = method.limits(data, 0.05, side)
        np.testing.assert_array_equal(first, again)
        # The limits are arrays of their own: writing to them changes no later answer.
        first[0][:] = first[1][:] = 0.5
        np.testing.assert_array_equal(method.limits(data, 0.05, side), again)
    after = np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    assert before[2:] == after[2:]
    np.testing.assert_array_equal(before[1], after[1])
    for column, untouched in zip(data, some_data(family), strict=True):
        np.testing.assert_array_equal(column, untouched)


@pytest.mark.parametrize("family", SOME_DATA)
def test_a_method_can_be_sent_to_another_process(family):
    data = tuple(column[2:3] for column in some_data(family))
    for method in methods_for(family_of(family)).values():
        sent = pickle.loads(pickle.dumps(method))
        assert sent.description == method.description
        for side in method.sides:
            first, second = (
                each.limits(data, 0.05, side, rng=np.random.default_rng(1))
                for each in (sent, method)
            )
            assert first == second


@catalogue
def test_one_interval_asked_for_by_name_is_the_methods(family, name):
    method = CATALOGUE[family][name]
    sizes = (((n,), (counts_of(n),)) for n in (1, 10, 10**6, 10**8))
    data = mixed(*sizes) if family == "proportion" else some_data(family)
    data = tuple(column[:: 3 if is_slow(family, name) else 1] for column in data)
    for side in method.sides:
        named = dict(zip(DATA[family], data, strict=True))
        found = harness.interval(family, name, alpha=0.05, side=side, **named)
        lower, upper = method.limits(data, 0.05, side)
        np.testing.assert_array_equal(found.lower, lower)
        np.testing.assert_array_equal(found.upper, upper)


@pytest.mark.parametrize(
    "name", [name for name, m in PROPORTION.items() if m.deterministic and len(m.sides) == 3]
)
def test_a_two_sided_interval_of_equal_tails_is_two_one_sided_ones(name):
    method = PROPORTION[name]
    data = mixed(*(((n,), (counts_of(n),)) for n in (1, 10, 1000)))
    for alpha in (1e-6, 0.05, 0.5):
        both = method.limits(data, alpha, TWO_SIDED)
        lower = method.limits(data, alpha / 2, LOWER)[0]
        upper = method.limits(data, alpha / 2, UPPER)[1]
        # Symmetric priors are solved for the smaller of x and n - x and mirrored.
        np.testing.assert_allclose(both, (lower, upper), rtol=0, atol=MIRRORED)


@given(
    st.sampled_from(
        [(name, side) for f, name in CASES if f == "proportion" for side in PROPORTION[name].sides]
    ),
    st.integers(1, 10**8),
    st.floats(1e-10, 0.99),
    st.floats(1e-10, 0.99),
    st.tuples(st.floats(0.05, 50), st.floats(0.05, 50)),
    st.data(),
)
def test_limits_keep_the_contract_for_any_data_prior_and_alpha(case, n, first, second, prior, data):
    name, side = case
    method = PROPORTION[name]
    small, large = sorted((first, second))
    x = np.array(sorted(data.draw(st.lists(st.integers(0, n), min_size=1, max_size=9))), float)
    size = np.full(x.size, float(n))
    chosen = prior if method.takes_prior else None
    lower, upper = method.limits((x, size), large, side, chosen)
    assert np.isfinite([lower, upper]).all()
    assert (lower >= 0).all()
    assert (upper <= 1).all()
    assert (lower <= upper).all()
    # A unit in the last place: each limit is solved by itself.
    slack = 2.0**-51
    if "rises with x" not in method.exceptions:
        assert (np.diff(lower) >= -slack).all()
        assert (np.diff(upper) >= -slack).all()
    if "is nested in alpha" not in method.exceptions:
        wider = method.limits((x, size), small, side, chosen)
        assert (wider[0] <= lower + slack).all()
        assert (wider[1] >= upper - slack).all()
    if "mirrors" not in method.exceptions:
        swapped = None if chosen is None else chosen[::-1]
        mirrored = method.limits((size - x, size), large, MIRROR[side], swapped)
        np.testing.assert_allclose(mirrored[0], 1 - upper, rtol=0, atol=slack)
        np.testing.assert_allclose(mirrored[1], 1 - lower, rtol=0, atol=slack)


@st.composite
def outcomes_of_two(draw, family, largest):
    """One outcome of any size that is taken, small ones and those at the ends more often."""
    data = []
    for _ in range(2):
        if family in ("rate_difference", "rate_ratio"):
            data += [draw(st.integers(0, 30) | st.integers(0, largest)), draw(st.floats(1e-6, 1e6))]
        else:
            n = draw(st.integers(1, min(40, largest)) | st.integers(1, largest))
            data += [draw(st.sampled_from([0, 1, n - 1, n]) | st.integers(0, n)), n]
    return tuple(np.array([float(value)]) for value in data)


ALPHAS = st.floats(-12.0, -0.02).map(lambda power: 10.0**power)
SOLVED_FOR_ANY_DATA = 1e-13
"""Of a limit that is solved for: the tests of its equation allow a larger relative error."""


@settings(max_examples=12)
@pytest.mark.parametrize(("family", "name"), [case for case in CASES if len(WEIGHTS[case[0]]) == 2])
@given(data=st.data())
def test_limits_of_two_samples_keep_the_contract_for_any_data_and_alpha(family, name, data):
    method, slow = CATALOGUE[family][name], is_slow(family, name)
    largest = int(min(10**6 if slow else 10**9, largest_size(family, name)))
    outcome = data.draw(outcomes_of_two(family, largest))
    alphas = st.floats(1e-10, 0.9) if slow else ALPHAS
    small, large = sorted(data.draw(st.tuples(alphas, alphas)))
    low, high = SUPPORT[family]
    tolerance = SOLVED_FOR_ANY_DATA
    for side in method.sides:
        lower, upper = method.limits(outcome, large, side)
        assert not np.isnan([lower, upper]).any()
        assert low <= lower <= upper <= high
        wide = method.limits(outcome, small, side)
        assert not falls(wide[0], lower, tolerance)
        assert not falls(upper, wide[1], tolerance)
        if not slow and "swaps" not in method.exceptions:
            expected = swapped(family, name, side, large, outcome)
            size = np.max(magnitude(family, outcome[1::2], outcome[::2]))
            np.testing.assert_allclose(
                (lower, upper), expected, rtol=tolerance, atol=float(tolerance * size)
            )


def test_an_interval_that_cannot_be_found_is_named_by_method_outcome_and_alpha():
    def gives_up(data, alpha, side, prior):
        x, n = data
        if (x == 2).any():
            raise IntervalNotFoundError("somewhere inside")
        return x / n, x / n

    planted = replace(PROPORTION["wilson"], formula=gives_up)
    data = np.arange(5.0), np.full(5, 4.0)
    with pytest.raises(IntervalNotFoundError) as caught:
        planted.limits(data, 0.05)
    expected = "wilson: no interval found for the outcome (2, 4) at alpha = 0.05"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("side", "lower", "upper"),
    [
        (TWO_SIDED, 0.0, np.inf),
        (TWO_SIDED, -np.inf, 1.0),
        (UPPER, 0.0, np.inf),
        (LOWER, -np.inf, np.inf),
        (LOWER, 0.0, np.nan),
        (LOWER, 0.0, -np.inf),
        (UPPER, np.nan, 1.0),
        (UPPER, np.inf, 1.0),
    ],
)
def test_an_infinite_limit_is_no_limit(side, lower, upper):
    formula = lambda *_: (np.full(3, lower), np.full(3, upper))  # noqa: E731
    planted = replace(CATALOGUE["rate"]["score"], formula=formula)
    with pytest.raises(IntervalNotFoundError, match=r"score: .* outcome \(0, 1\)"):
        planted.limits((np.arange(3.0), np.ones(3)), 0.05, side)


@pytest.mark.parametrize(
    ("side", "lower", "upper"), [(LOWER, 0.0, np.inf), (UPPER, -np.inf, 1.0), (UPPER, 0.0, 1.0)]
)
def test_the_open_end_of_a_one_sided_interval_may_be_infinite(side, lower, upper):
    formula = lambda *_: (np.full(3, lower), np.full(3, upper))  # noqa: E731
    planted = replace(CATALOGUE["rate"]["score"], formula=formula)
    found = planted.limits((np.arange(3.0), np.ones(3)), 0.05, side)
    assert (found[0][0], found[1][0]) == (lower, upper)


@pytest.mark.parametrize(
    ("name", "x", "n", "alpha", "prior"),
    [
        ("balanced_width", 1, 2, 1e-100, (0.5, 1.0)),
        ("balanced_tail", 0, 1, 0.95, (0.001, 0.001)),
        ("balanced_tail", 0, 1, 1e-20, (0.001, 0.001)),
    ],
)
def test_tails_and_priors_far_beyond_the_usual_have_intervals(name, x, n, alpha, prior):
    found = harness.interval("proportion", name, x=x, n=n, alpha=alpha, prior=prior)
    assert 0 <= found.lower <= found.upper <= 1


# --- the catalogue


def test_every_entry_says_what_it_is():
    for methods in CATALOGUE.values():
        for name, method in methods.items():
            assert method.name == name
            assert method.title
            assert method.reference
            assert method.category
            assert method.sides
            assert len(method.description.split(".")) > 1, name
            assert "Args:" not in method.description
            assert ">>>" not in method.description


@pytest.mark.parametrize("family", ["rate", "rate_difference"])
def test_the_text_of_a_method_for_rates_has_no_number_of_trials(family):
    """A count of events has no largest value."""
    for name, method in CATALOGUE[family].items():
        assert not re.search(r"\bn\b|binomial|successes", method.description), name


def test_an_alias_is_the_method_itself():
    for family, methods in CATALOGUE.items():
        for method in methods.values():
            for alias in method.aliases:
                assert alias not in methods
                assert find(family_of(family), alias) is method
    assert find(family_of("rate"), "exact_tail") is CATALOGUE["rate"]["garwood"]
