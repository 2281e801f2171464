"""The power of a one-sided limit, the sizes that reach one, and the differences that are seen."""

import json

import numpy as np
import pytest
from scipy.stats import binom, multinomial, poisson

import harness
from harness.base.errors import InputError
from harness.families.catalogue import FAMILIES
from harness.methods.catalogue import find, methods_for
from harness.methods.method import LOWER, UPPER
from harness.planning.decisions import LEFT_OUT

EXACT = 1e-12


def outcomes(family, sizes, truths):
    """Every outcome of small sizes with its probability, by SciPy."""
    record = FAMILIES[family]
    if record.shares_size:
        (n,) = sizes
        grid = np.stack(np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        cells = np.column_stack([grid, n - grid.sum(axis=1)])
        cells = cells[cells[:, 3] >= 0]
        chance = multinomial.pmf(cells, n, [*truths, 1.0 - sum(truths)])
        return tuple(cells.T.astype(float)), chance
    is_count = record.model.SIZE_IS_COUNT
    columns, chances = [], []
    for size, truth in zip(sizes, truths, strict=True):
        x = np.arange(size + 1 if is_count else 80)
        columns.append(x)
        chances.append(binom.pmf(x, size, truth) if is_count else poisson.pmf(x, size * truth))
    data, chance = [], np.ones(())
    for x, size, each in zip(np.meshgrid(*columns, indexing="ij"), sizes, chances, strict=True):
        data += [x.ravel().astype(float), np.full(x.size, float(size))]
        chance = np.multiply.outer(chance, each)
    return tuple(data), chance.ravel()


def brute(family, method, sizes, truths, goal, alpha):
    """The power from the limits of every outcome."""
    data, chance = outcomes(family, sizes, truths)
    ((direction, value),) = goal.items()
    side = LOWER if direction == "above" else UPPER
    lower, upper = find(FAMILIES[family], method).limits(data, alpha, side)
    return float(chance[lower > value if side == LOWER else upper < value].sum())


CASES = {
    "proportion": ((17,), (0.8,), {"above": 0.6}),
    "rate": ((4.0,), (2.0,), {"below": 3.1}),
    "proportion_difference": ((9, 12), (0.8, 0.4), {"above": -0.1}),
    "rate_difference": ((3.0, 2.0), (2.0, 1.0), {"above": 0.1}),
    "balanced_accuracy": ((9, 12), (0.8, 0.7), {"above": 0.55}),
    "risk_ratio": ((9, 12), (0.8, 0.4), {"above": 1.1}),
    "odds_ratio": ((9, 12), (0.3, 0.6), {"below": 0.9}),
    "rate_ratio": ((3.0, 2.0), (2.0, 1.0), {"above": 1.0}),
    "paired_difference": ((11,), (0.4, 0.3, 0.1), {"above": -0.05}),
    "paired_ratio": ((11,), (0.4, 0.3, 0.1), {"above": 0.95}),
}


def power_of(family, method, sizes, truths, goal, alpha):
    record = FAMILIES[family]
    given = dict(zip(record.sizes, sizes, strict=True))
    given |= dict(zip(record.free_symbols, truths, strict=True))
    return harness.power(family, method, alpha=alpha, **given, **goal).probability


@pytest.mark.parametrize(
    ("family", "method"),
    [
        ("proportion", "logit"),
        ("rate", "garwood"),
        ("proportion_difference", "one_sided"),
        ("proportion_difference", "wald"),
        ("balanced_accuracy", "one_sided"),
        ("risk_ratio", "one_sided"),
        ("odds_ratio", "scas"),
        ("rate_ratio", "score"),
        ("paired_difference", "one_sided"),
        ("paired_ratio", "mover_wilson"),
    ],
)
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_power_is_the_sum_over_all_outcomes(family, method, alpha):
    expected = brute(family, method, *CASES[family], alpha)
    assert power_of(family, method, *CASES[family], alpha) == pytest.approx(expected, abs=EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("family", CASES)
def test_power_of_every_method_is_the_sum_over_all_outcomes(family):
    sizes, truths, goal = CASES[family]
    (other,) = {"above", "below"} - set(goal)
    for name, method in methods_for(FAMILIES[family]).items():
        if LOWER not in method.sides or not method.deterministic:
            continue
        for alpha in (0.01, 0.05, 0.2):
            for asked in (goal, {other: next(iter(goal.values()))}):
                expected = brute(family, name, sizes, truths, asked, alpha)
                found = power_of(family, name, sizes, truths, asked, alpha)
                assert found == pytest.approx(expected, abs=EXACT), (name, alpha, asked)


@pytest.mark.parametrize(
    ("family", "method", "truths", "goal", "probability"),
    [
        ("proportion", "wilson", (0.8,), {"above": 0.5}, 0.8),
        ("proportion", "logit", (0.2,), {"below": 0.5}, 0.9),
        ("proportion", "one_sided", (0.9,), {"above": 0.6}, 0.9),
        pytest.param(
            "proportion_difference", "mee", (0.9, 0.3), {"above": 0.0}, 0.8, marks=pytest.mark.slow
        ),
        ("proportion_difference", "wald", (0.9, 0.3), {"above": 0.1}, 0.8),
        pytest.param(
            "proportion_difference",
            "one_sided",
            (0.2, 0.9),
            {"below": 0.0},
            0.9,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "risk_ratio", "koopman", (0.8, 0.2), {"above": 1.0}, 0.8, marks=pytest.mark.slow
        ),
        pytest.param(
            "paired_difference",
            "tango",
            (0.3, 0.5, 0.05),
            {"above": 0.0},
            0.8,
            marks=pytest.mark.slow,
        ),
        ("paired_difference", "wald", (0.3, 0.5, 0.05), {"above": -0.1}, 0.8),
        ("paired_ratio", "bonett_price", (0.3, 0.5, 0.05), {"above": 1.0}, 0.7),
    ],
)
def test_the_size_is_that_of_a_search_over_all_outcomes(family, method, truths, goal, probability):
    record = FAMILIES[family]
    given = dict(zip(record.free_symbols, truths, strict=True))
    found = harness.size(family, method, probability=probability, **given, **goal)
    first = next(iter(found.sizes.values()))
    last = min(first + 6, int(found.checked_to))
    powers = [
        brute(family, method, (n,) * len(record.sizes), truths, goal, 0.05)
        for n in range(1, last + 1)
    ]
    reached = [power >= probability for power in powers]
    assert all(reached[first - 1 :])
    assert not reached[first - 2]
    assert found.smaller == tuple(n for n in range(1, first) if reached[n - 1])
    assert found.reached == pytest.approx(powers[first - 1], abs=EXACT)


@pytest.mark.parametrize(
    ("family", "method", "truths", "alpha", "answer"),
    [
        ("proportion", "wilson", {"p": 0.8, "above": 0.75, "probability": 0.9}, 0.05, 615),
        pytest.param(
            "paired_difference",
            "tango",
            {"p11": 0.86, "p10": 0.04, "p01": 0.02, "above": 0, "probability": 0.8},
            0.025,
            1147,
            marks=pytest.mark.slow,
        ),
        (
            "proportion_difference",
            "mee",
            {"p1": 0.03, "p2": 0.02, "above": 0, "probability": 0.8},
            0.025,
            3798,
        ),
    ],
)
def test_sizes_that_were_found_by_all_limits(family, method, truths, alpha, answer):
    found = harness.size(family, method, alpha=alpha, **truths)
    assert next(iter(found.sizes.values())) == answer
    assert found.checked_to >= 1.25 * answer
    assert found.one_sided_alpha == alpha
    assert "was computed exactly" in found.checked


def test_outcomes_left_out_have_a_probability_of_1e_10_at_most():
    found = harness.size("proportion_difference", "mee", p1=0.6, p2=0.3, above=0, probability=0.8)
    sizes = np.array([[40.0, 40.0], [80.0, 80.0]])
    question = found.question
    whole = question.probabilities(sizes, 60.0)
    assert np.abs(question.probabilities(sizes) - whole).max() <= LEFT_OUT


def test_a_detectable_difference_has_the_power_and_less_has_not():
    sizes = {"n1": 60, "n2": 80}
    found = harness.detectable(
        "proportion_difference", "mee", p2=0.3, above=0, probability=0.8, **sizes
    )
    p1 = found.truths["p1"]
    assert found.parameter == pytest.approx(p1 - 0.3)
    assert brute("proportion_difference", "mee", (60, 80), (p1, 0.3), {"above": 0}, 0.05) >= 0.8
    less = brute("proportion_difference", "mee", (60, 80), (p1 - 1e-6, 0.3), {"above": 0}, 0.05)
    assert less < 0.8


def test_pairs_move_the_discordant_ones_and_keep_their_sum():
    given = {"n": 200, "p11": 0.7, "p10": 0.1, "p01": 0.1, "above": 0}
    found = harness.detectable("paired_difference", "tango", probability=0.8, **given)
    assert found.truths["p10"] + found.truths["p01"] == pytest.approx(0.2)
    assert found.truths["p11"] == 0.7
    given |= found.truths
    assert harness.power("paired_difference", "tango", **given).probability >= 0.8


def test_power_of_a_confusion_table_is_a_sum_too():
    given = {"p_tp": 0.4, "p_fp": 0.1, "p_fn": 0.1, "above": 0.6}
    for method in ("wilson", "rindskopf"):
        found = harness.power("precision", method, n=30, alpha=0.025, **given).probability
        cases = np.arange(1, 31)
        powers = [brute("proportion", method, (m,), (0.8,), {"above": 0.6}, 0.025) for m in cases]
        assert found == pytest.approx(binom.pmf(cases, 30, 0.5) @ powers, abs=EXACT)


def test_sizes_beyond_the_largest_of_a_method_are_refused_with_one_that_answers():
    with pytest.raises(InputError, match="chan_zhang takes sizes of at most 100, and about n1 = 5"):
        harness.size(
            "proportion_difference", "chan_zhang", p1=0.9, p2=0.85, above=0, probability=0.8
        )
    with pytest.raises(InputError, match=r"no p has a lower limit above 0\.99"):
        harness.detectable("proportion", "wilson", n=20, above=0.99, probability=0.9)
    with pytest.raises(InputError, match="power needs one of above and below"):
        harness.power("proportion", "wilson", n=20, p=0.9)


@pytest.mark.slow
def test_a_refusal_names_methods_that_can_answer():
    given = {"p11": 0.8, "p10": 0.08, "p01": 0.04, "above": 1, "probability": 0.8, "alpha": 0.025}
    with pytest.raises(InputError, match=r"the answer is above n = \d+, .*; tang and "):
        harness.size("paired_ratio", "wald_log", **given)


def test_the_command_finds_power_and_what_is_detected(run_command):
    argv = ["size", "proportion", "--method", "wilson", "--n", "200", "--above", "0.75"]
    result = run_command(*argv, "--p", "0.8", "--format", "json")
    assert result.code == 0
    found = json.loads(result.out)
    assert (
        found["power"]
        == harness.power("proportion", "wilson", n=200, p=0.8, above=0.75).probability
    )
    assert found["one_sided_alpha"] == 0.05
    result = run_command(*argv, "--probability", "0.8", "--format", "json")
    assert json.loads(result.out)["detectable"] == pytest.approx(0.8249, abs=1e-4)
    assert "p moved" in result.err
