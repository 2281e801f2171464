"""What every method of the catalogue promises, at every outcome and on every side.

A part that a method does not keep stands in its ``exceptions`` with the reason; one that it
declares and keeps all the same is an error too.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import harness
from harness.errors import IntervalNotFoundError
from harness.methods.catalogue import ALIASES, CATALOGUE, find
from harness.methods.method import LOWER, TWO_SIDED, UPPER

ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9)
EVERY_OUTCOME = (1, 2, 3, 5, 10, 17, 60, 100, 1000)
SOME_OUTCOMES = (10**6, 10**8)
PROPORTION = {name: m for name, m in CATALOGUE["proportion"].items() if m.deterministic}
"""Those whose limits are a function of the outcome."""
CASES = [(name, side) for name, method in PROPORTION.items() for side in method.sides]
MIRROR = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}

# The larger of two mirrored limits carries half a unit of 2^-53 of its own, and a formula that
# takes 1 - p once more rounds once more.
MIRRORED = 2.0**-52

catalogue = pytest.mark.parametrize(("name", "side"), CASES)


def outcomes(n):
    """Every x for small n; otherwise the ends, the middle and their neighbours."""
    if n in EVERY_OUTCOME:
        return np.arange(n + 1.0)
    half = n // 2
    return np.array([0, 1, 2, half - 1, half, half + 1, n - 2, n - 1, n], float)


@functools.cache
def limits(name, side, n, alpha):
    x = outcomes(n)
    return PROPORTION[name].limits((x, np.full(x.size, float(n))), alpha, side)


def over_grid(name, side):
    """x, alpha and both limits at every size and alpha."""
    for n in EVERY_OUTCOME + SOME_OUTCOMES:
        for alpha in ALPHAS:
            yield n, outcomes(n), alpha, *limits(name, side, n, alpha)


def is_ordered(name, side):
    return all((lower <= upper).all() for _, _, _, lower, upper in over_grid(name, side))


def stays_in_range(name, side):
    return all(
        np.isfinite([lower, upper]).all()
        and (lower >= 0).all()
        and (upper <= 1).all()
        and not np.signbit([lower, upper]).any()
        for _, _, _, lower, upper in over_grid(name, side)
    )


def rises_with_x(name, side):
    return all(
        (np.diff(lower) >= 0).all() and (np.diff(upper) >= 0).all()
        for _, _, _, lower, upper in over_grid(name, side)
    )


def is_nested_in_alpha(name, side):
    for n in EVERY_OUTCOME + SOME_OUTCOMES:
        at = [limits(name, side, n, alpha) for alpha in ALPHAS]
        lowers, uppers = np.array([pair[0] for pair in at]), np.array([pair[1] for pair in at])
        if (np.diff(lowers, axis=0) < 0).any() or (np.diff(uppers, axis=0) > 0).any():
            return False
    return True


def mirrors(name, side):
    for n in EVERY_OUTCOME + SOME_OUTCOMES:
        for alpha in ALPHAS:
            lower, upper = limits(name, side, n, alpha)
            low, high = (limit[::-1] for limit in limits(name, MIRROR[side], n, alpha))
            if max(abs(lower - (1 - high)).max(), abs(upper - (1 - low)).max()) > MIRRORED:
                return False
    return True


def reaches_the_end_on_its_open_side(name, side):
    if side == LOWER:
        return all((upper == 1).all() for _, _, _, _, upper in over_grid(name, side))
    if side == UPPER:
        return all((lower == 0).all() for _, _, _, lower, _ in over_grid(name, side))
    return True


def has_width(name, side):
    """Of two-sided intervals only: a lower limit may reach 1 where alpha is above one half."""
    return side != TWO_SIDED or all(
        (lower < upper).all() for _, _, _, lower, upper in over_grid(name, side)
    )


def holds_the_estimate(name, side):
    return side != TWO_SIDED or all(
        ((lower <= x / n) & (x / n <= upper)).all()
        for n, x, _, lower, upper in over_grid(name, side)
    )


PARTS: dict[str, Callable[[str, str], bool]] = {
    "is ordered": is_ordered,
    "stays in range": stays_in_range,
    "rises with x": rises_with_x,
    "is nested in alpha": is_nested_in_alpha,
    "mirrors": mirrors,
    "reaches the end": reaches_the_end_on_its_open_side,
    "has width": has_width,
    "holds the estimate": holds_the_estimate,
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", PROPORTION)
def test_a_method_keeps_each_part_of_the_contract_unless_it_says_so(name, part):
    method = PROPORTION[name]
    kept = all(PARTS[part](name, side) for side in method.sides)
    declared = method.exceptions.get(part)
    if declared is None:
        assert kept, f"{name} breaks {part!r} and does not say so"
    else:
        assert not kept, f"{name} declares an exception to {part!r} that does not occur"
        assert declared.strip()


@pytest.mark.parametrize("name", PROPORTION)
def test_declared_exceptions_are_to_parts_of_the_contract(name):
    assert set(PROPORTION[name].exceptions) <= set(PARTS)


def test_the_contract_finds_methods_that_break_it(monkeypatch):
    """Each part is broken by one made-up method, so that none holds of everything."""
    breaking = {
        "is ordered": lambda x, n, alpha: (0.75 + 0 * x, 0.25 + 0 * x),
        "stays in range": lambda x, n, alpha: (0 * x - 0.1, 0 * x + 1),
        "rises with x": lambda x, n, alpha: (0 * x, 1 - 0.5 * x / n),
        "is nested in alpha": lambda x, n, alpha: (0 * x, 0 * x + alpha),
        "mirrors": lambda x, n, alpha: (0 * x, (x + 1) / (n + 1)),
        "has width": lambda x, n, alpha: (x / n, x / n),
        "holds the estimate": lambda x, n, alpha: (0.9 * x / n, 0.95 * x / n),
    }
    for part, function in breaking.items():
        monkeypatch.setitem(
            globals(), "limits", lambda _, __, n, a, f=function: f(outcomes(n), n, a)
        )
        assert not PARTS[part]("made up", TWO_SIDED), part
    monkeypatch.setitem(globals(), "limits", lambda _, __, n, a: (0.1 + 0 * outcomes(n),) * 2)
    assert not PARTS["reaches the end"]("made up", LOWER)
    assert not PARTS["reaches the end"]("made up", UPPER)


@catalogue
@pytest.mark.parametrize("n", [1, 7, 100, 10**8])
def test_an_array_equals_one_outcome_at_a_time(name, side, n):
    for alpha in (1e-6, 0.05, 0.6):
        x = np.arange(n + 1.0) if n <= 100 else outcomes(n)
        together = PROPORTION[name].limits((x, np.full(x.size, float(n))), alpha, side)
        for i, value in enumerate(x):
            alone = PROPORTION[name].limits((np.array([value]), np.array([float(n)])), alpha, side)
            pair = together[0][i], together[1][i]
            # Every outcome is solved by itself: not a bit may differ.
            assert pair == (alone[0][0], alone[1][0]), (value, alpha)


@catalogue
def test_sizes_may_be_mixed_in_one_call(name, side):
    method = PROPORTION[name]
    n = np.array([1.0, 10, 3, 10**6, 10, 1])
    x = np.array([1.0, 4, 0, 77, 4, 0])
    lower, upper = method.limits((x, n), 0.05, side)
    for i in range(n.size):
        alone = method.limits((x[i : i + 1], n[i : i + 1]), 0.05, side)
        assert (lower[i], upper[i]) == (alone[0][0], alone[1][0])


@catalogue
def test_neither_the_data_nor_numpys_random_state_are_touched(name, side):
    x, n = np.array([3.0, 0.0, 10.0, 3.0]), np.full(4, 10.0)
    x.setflags(write=False)
    n.setflags(write=False)
    before = np.random.get_state()  # noqa: NPY002
    first = PROPORTION[name].limits((x, n), 0.05, side)
    second = PROPORTION[name].limits((x, n), 0.05, side)
    after = np.random.get_state()  # noqa: NPY002
    assert before[0] == after[0]
    assert before[2:] == after[2:]
    np.testing.assert_array_equal(before[1], after[1])
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(x, [3, 0, 10, 3])
    # The limits are arrays of their own: writing to them changes no later answer.
    first[0][:] = first[1][:] = 0.5
    np.testing.assert_array_equal(PROPORTION[name].limits((x, n), 0.05, side), second)


@pytest.mark.parametrize("family", CATALOGUE)
def test_a_method_can_be_sent_to_another_process(family):
    outcome = {"rate": (3.0, 2.0), "rate_difference": (3.0, 2.0, 1.0, 4.0)}
    each = outcome.get(family, (3.0, 10.0, 2.0, 7.0)[: 2 if family == "proportion" else 4])
    data = tuple(np.array([value]) for value in each)
    for method in CATALOGUE[family].values():
        sent = pickle.loads(pickle.dumps(method))
        assert sent.description == method.description
        for side in method.sides:
            first, second = (
                each.limits(data, 0.05, side, rng=np.random.default_rng(1))
                for each in (sent, method)
            )
            assert first == second


@catalogue
def test_one_interval_asked_for_by_name_is_the_methods(name, side):
    for n in (1, 10, 10**6, 10**8):
        x = outcomes(n) if n > 10 else np.arange(n + 1)
        found = harness.interval("proportion", name, x=x, n=n, alpha=0.05, side=side)
        lower, upper = PROPORTION[name].limits(
            (x.astype(float), np.full(x.size, float(n))), 0.05, side
        )
        np.testing.assert_array_equal(found.lower, lower)
        np.testing.assert_array_equal(found.upper, upper)


@pytest.mark.parametrize("name", [name for name, m in PROPORTION.items() if len(m.sides) == 3])
def test_a_two_sided_interval_of_equal_tails_is_two_one_sided_ones(name):
    for n in (1, 10, 1000):
        for alpha in (1e-6, 0.05, 0.5):
            both = limits(name, TWO_SIDED, n, alpha)
            lower = limits(name, LOWER, n, alpha / 2)[0]
            upper = limits(name, UPPER, n, alpha / 2)[1]
            # Symmetric priors are solved for the smaller of x and n - x and mirrored.
            np.testing.assert_allclose(both, (lower, upper), rtol=0, atol=MIRRORED)


@given(
    st.sampled_from(CASES),
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


def test_an_interval_that_cannot_be_found_is_told_by_method_outcome_and_alpha():
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


def test_every_entry_says_what_it_is():
    for methods in CATALOGUE.values():
        for name, method in methods.items():
            assert method.name == name
            assert method.title
            assert method.reference
            assert method.category
            assert method.sides
            assert len(method.description.split(".")) > 1, name


def test_an_alias_is_the_method_itself():
    for family, aliases in ALIASES.items():
        for alias, name in aliases.items():
            assert alias not in CATALOGUE[family]
            assert find(family, alias) is CATALOGUE[family][name]
