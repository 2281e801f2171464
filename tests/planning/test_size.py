"""``harness.size``: how many suffice, by exact sums."""

import json
import math
import statistics

import numpy as np
import pytest
from scipy.stats import binom

import harness
from harness.base.errors import InputError, MethodError
from harness.families.catalogue import family_of
from harness.planning.expectations import Expectations
from harness.planning.goals import Exposures, WholeNumbers, Width, second_sizes
from tests.test_imports import modules_of_command

WALDS_FORMULA = 865


def half_width(method, n, p, alpha=0.05):
    """The expected half-width, by the exact coverage's expected length."""
    return harness.coverage("proportion", method, n=n, p=p, alpha=alpha).mean_length / 2


def probability(holds, n, p):
    """The probability of the outcomes that hold, by logarithms of factorials."""
    x = np.arange(n + 1)
    logs = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in x.tolist()]
    return float(np.exp(np.array(logs) + x * np.log(p) + (n - x) * np.log1p(-p))[holds].sum())


def test_walds_formula_gives_865_for_09_and_002():
    z = statistics.NormalDist().inv_cdf(0.975)
    assert math.ceil(z * z * 0.9 * 0.1 / 0.02**2) == WALDS_FORMULA


@pytest.mark.parametrize(
    ("method", "n", "smaller"),
    [("wald", 862, (1,)), ("wilson", 865, ()), ("clopper_pearson", 911, ())],
)
def test_expected_half_width_of_002_at_09(method, n, smaller):
    found = harness.size("proportion", method, p=0.9, half_width=0.02)
    assert (found.n, found.smaller) == (n, smaller)
    assert found.checked_to >= 4 * n
    assert found.reached == pytest.approx(half_width(method, n, 0.9), rel=1e-12)
    assert found.reached <= 0.02 < half_width(method, n - 1, 0.9)


def test_jeffreys_has_002_with_90_per_cent_assurance_from_960_on_and_first_at_955():
    found = harness.size("proportion", "jeffreys", p=0.9, half_width=0.02, assurance=0.9)
    assert (found.n, found.smaller, found.goal) == (960, (955,), "probability")
    for n, does in ((954, False), (955, True), (956, False), (959, False), (960, True)):
        limits = harness.interval("proportion", "jeffreys", x=np.arange(n + 1), n=n)
        narrow = (limits.upper - limits.lower) / 2 <= 0.02
        assert (probability(narrow, n, 0.9) >= 0.9) is does


def test_a_length_is_twice_a_half_width():
    found = harness.size("proportion", "wilson", p=0.7, length=0.1)
    half = harness.size("proportion", "wilson", p=0.7, half_width=0.05)
    assert found.n == half.n
    assert found.reached == pytest.approx(2 * half.reached, rel=1e-12)


@pytest.mark.parametrize("direction", ["above", "below"])
def test_a_bound_is_beyond_the_value_with_the_probability_asked_for(direction):
    p, value = (0.8, 0.7) if direction == "above" else (0.2, 0.3)
    found = harness.size(
        "proportion", "clopper_pearson", p=p, probability=0.8, **{direction: value}
    )
    does = []
    for n in range(1, found.checked_to + 1):
        side = "lower" if direction == "above" else "upper"
        limits = harness.interval(
            "proportion", "clopper_pearson", x=np.arange(n + 1), n=n, side=side
        )
        beyond = limits.lower > value if direction == "above" else limits.upper < value
        does.append(probability(beyond, n, p) >= 0.8)
    assert all(does[found.n - 1 :])
    assert not does[found.n - 2]
    assert found.smaller == tuple(n for n in range(1, found.n) if does[n - 1])
    assert found.smaller


def test_bounds_from_a_few_limits_enclose_the_sum_over_all():
    family = family_of("proportion_difference")
    method = harness.methods.catalogue.find(family, "newcombe")
    sums = Expectations(
        family, Width(family, 0.1, "length"), lambda data: method.limits(data, 0.05)
    )
    sizes, truths = np.array([[30.0, 50.0], [200.0, 90.0]]), (0.3, 0.8)
    exact = sums.means(sizes, truths)
    widths = []
    for nodes in (12, 24, 48):
        low, high = sums.bounds(sizes, truths, nodes)
        assert (low < exact).all()
        assert (exact < high).all()
        widths.append(high - low)
    assert (widths[0] > widths[1]).all()
    assert (widths[1] > widths[2]).all()


def test_a_method_whose_limits_fall_somewhere_is_summed_in_full():
    found = harness.size("proportion", "logit", p=0.6, half_width=0.1)
    assert found.reached == pytest.approx(half_width("logit", found.n, 0.6), rel=1e-12)
    assert half_width("logit", found.n - 1, 0.6) > 0.1


def test_two_samples_have_sizes_in_a_ratio():
    given = {"p1": 0.7, "p2": 0.4, "half_width": 0.15}
    found = harness.size("proportion_difference", "wald", ratio=1.5, **given)
    assert found.sizes == {"n1": found.n1, "n2": math.ceil(1.5 * found.n1)}

    def reached(n1):
        n2 = math.ceil(1.5 * n1)
        sizes = {"n1": n1, "n2": n2}
        return harness.coverage(
            "proportion_difference", "wald", p1=0.7, p2=0.4, **sizes
        ).mean_length

    assert reached(found.n1) / 2 == pytest.approx(found.reached, rel=1e-11)
    assert found.reached <= 0.15 < reached(found.n1 - 1) / 2


def test_exposures_have_three_digits_rounded_upwards():
    found = harness.size("rate", "garwood", rate=2.0, half_width=0.6)
    assert found.exposure == float(f"{found.exposure:.3g}")
    step = 10.0 ** (math.floor(math.log10(found.exposure)) - 2)

    def reached(exposure):
        return harness.coverage("rate", "garwood", exposure=exposure, rate=2.0).mean_length / 2

    assert reached(found.exposure) <= 0.6 < reached(found.exposure - step)
    assert found.reached == pytest.approx(reached(found.exposure), rel=1e-11)


def test_at_every_truth_of_a_range_the_worst_one_decides():
    found = harness.size("proportion", "wilson", p=(0.3, 0.9), half_width=0.1)
    at_half = harness.size("proportion", "wilson", p=0.5, half_width=0.1)
    assert found.n == at_half.n
    assert found.reached == pytest.approx(at_half.reached, rel=1e-9)
    inside = harness.size("proportion", "wilson", p=(0.8, 0.9), half_width=0.1)
    assert inside.n == harness.size("proportion", "wilson", p=0.8, half_width=0.1).n


def test_a_function_is_a_method_like_any_other():
    def mine(x, n, alpha):
        found = harness.interval("proportion", "wilson", x=x, n=n, alpha=alpha)
        return found.lower, found.upper

    ours = harness.size("proportion", "wilson", p=0.5, half_width=0.2)
    assert harness.size("proportion", mine, p=0.5, half_width=0.2).n == ours.n


def of_one_count(largest=10**6):
    """A Wilson interval of one count that refuses larger sizes, and the sizes of its calls."""
    asked = []

    def mine(x, n, alpha):
        if n > largest:
            raise ValueError("too many cases")
        asked.append(n)
        z = statistics.NormalDist().inv_cdf(1 - alpha / 2)
        center, half = x + z**2 / 2, z * math.sqrt(x * (n - x) / n + z**2 / 4)
        return max(center - half, 0.0) / (n + z**2), min((center + half) / (n + z**2), 1.0)

    return mine, asked


@pytest.mark.parametrize(
    ("p", "goal"),
    [
        (0.3, {"half_width": 0.15}),
        (0.9, {"half_width": 0.04}),
        ((0.5, 0.9), {"half_width": 0.1}),
        (0.8, {"length": 0.2, "assurance": 0.9}),
    ],
)
def test_a_function_of_one_count_is_called_some_thousand_times(p, goal):
    mine, asked = of_one_count()
    assert harness.size("proportion", mine, p=p, **goal).n == (
        harness.size("proportion", "wilson", p=p, **goal).n
    )
    assert len(asked) <= 50_000


def test_a_function_that_refuses_sizes_beyond_the_answer_has_one():
    mine, _ = of_one_count(largest=1000)
    expected = harness.size("proportion", "wilson", p=0.5, half_width=0.05)
    assert harness.size("proportion", mine, p=0.5, half_width=0.05).n == expected.n
    with pytest.raises(MethodError, match=r"failed at x = .*too many cases"):
        harness.size("proportion", mine, p=0.5, half_width=0.02)


def test_ladders_number_their_sizes():
    ladder = Exposures.of_scale(2.0, 1e4)
    numbers = np.arange(1, ladder.last + 1)
    sizes = ladder.sizes(numbers)
    assert (np.diff(sizes) > 0).all()
    assert [ladder.number_from(size) for size in sizes[::997].tolist()] == numbers[::997].tolist()
    answers = ladder.sizes(ladder.answers(numbers))
    assert all(size == float(f"{size:.3g}") for size in answers[:3000].tolist())
    assert ladder.sizes(np.array([ladder.answer_from(2)]))[0] == answers[1]
    assert WholeNumbers().number_from(7.2) == 8


def test_the_second_size_is_rounded_up_but_not_for_rounding():
    second = second_sizes(family_of("proportion_difference"), np.array([10.0, 11.0, 100.0]), 1.1)
    assert second.tolist() == [11, 13, 110]


def test_the_command_prints_the_size_and_what_it_reaches(run_command):
    argv = ["size", "proportion", "--method", "wald", "--p", "0.9", "--half-width", "0.1"]
    result = run_command(*argv, "--format", "json")
    assert (result.code, result.err) == (0, "")
    found = json.loads(result.out)
    expected = harness.size("proportion", "wald", p=0.9, half_width=0.1)
    assert found == {
        "n": expected.n,
        "half_width": expected.reached,
        "checked_to": expected.checked_to,
        "smaller": list(expected.smaller),
    }


def test_the_table_says_in_a_sentence_which_sizes_are_enough(run_command):
    found = harness.size("proportion", "wilson", p=0.8, above=0.75, probability=0.5)
    words = ["size", "proportion", "--method", "wilson", "--p", "0.8"]
    result = run_command(*words, "--above", "0.75", "--probability", "0.5")
    assert "checked_to" not in result.out
    luck = ", ".join(str(n) for n in found.smaller)
    assert f"every n from {found.n} to {found.checked_to} is enough; " in result.err
    assert found.smaller
    assert result.err.splitlines()[0].endswith(f": {luck}")


def test_the_command_takes_a_range_and_draws_a_figure(run_command, here):
    argv = ["size", "proportion", "--method", "wilson", "--p", "0.8:0.9", "--half-width", "0.15"]
    result = run_command(*argv, "--figure", "curve.svg")
    assert result.code == 0
    drawn = (here / "curve.svg").read_text(encoding="utf-8")
    assert drawn.count("<svg") == 1


def test_size_loads_matplotlib_for_a_figure_only(tmp_path):
    argv = ("size", "proportion", "--method", "wald", "--p", "0.9", "--half-width", "0.2")
    loaded = modules_of_command(tmp_path, *argv, "--format", "json")
    assert not loaded & {"matplotlib", "joblib", "yaml", "polars", "sqlite3", "scipy.stats"}


# --- pairs, and ratios


def expected_half_width(family, method, n, p11, p10, p01):
    found = harness.coverage(family, method, n=n, p11=p11, p10=p10, p01=p01)
    return found.mean_length / 2


@pytest.mark.parametrize("method", ["tango", "newcombe"])
def test_of_pairs_it_is_the_first_size_from_which_on_all_are_narrow_enough(method):
    truth = {"p11": 0.6, "p10": 0.2, "p01": 0.1}
    found = harness.size("paired_difference", method, **truth, half_width=0.3)
    widths = {
        n: expected_half_width("paired_difference", method, n, **truth)
        for n in range(1, found.checked_to + 1)
        if n <= found.n + 5
    }
    assert found.reached == pytest.approx(widths[found.n], rel=1e-12)
    assert widths[found.n - 1] > 0.3
    assert all(width <= 0.3 for n, width in widths.items() if n >= found.n)
    assert found.smaller == tuple(n for n, width in widths.items() if n < found.n and width <= 0.3)


def test_of_pairs_a_range_and_cells_above_1_are_refused():
    with pytest.raises(InputError, match="p10 of pairs should be one number"):
        harness.size("paired_difference", "wald", p11=0.5, p10=(0.1, 0.2), p01=0.1, length=0.1)
    with pytest.raises(InputError, match="p00 = 1 − p11 − p10 − p01 should be at least 0"):
        harness.size("paired_difference", "wald", p11=0.8, p10=0.2, p01=0.1, length=0.1)


def test_of_a_ratio_an_infinite_length_is_too_long():
    with pytest.raises(InputError, match="the size of risk_ratio needs an assurance"):
        harness.size("risk_ratio", "koopman", p1=0.5, p2=0.4, length=1.5)
    found = harness.size("risk_ratio", "koopman", p1=0.5, p2=0.4, length=1.5, assurance=0.8)
    n = found.sizes["n1"]
    x = np.arange(n + 1)
    first, second = np.meshgrid(x, x, indexing="ij")
    limits = harness.interval("risk_ratio", "koopman", x1=first, n1=n, x2=second, n2=n)
    with np.errstate(divide="ignore"):
        short = np.log(limits.upper) - np.log(limits.lower) <= 1.5
    chance = np.outer(binom.pmf(x, n, 0.5), binom.pmf(x, n, 0.4))
    assert found.reached == pytest.approx(chance[short].sum(), rel=1e-9)
    assert found.reached >= 0.8
