"""The cheapest numbers of cases and labels for an interval of a share that a judge reports."""

import numpy as np
import pytest
from scipy.stats import binom

import harness
from harness.base.errors import InputError
from harness.families.judged import JUDGED_SHARE, LABELLED_SHARE
from harness.methods.catalogue import find
from harness.planning.cheapest import JudgeQuestion, LabelledQuestion, label_question
from harness.planning.goals import Width

KNOWN = {"share": 0.8, "sensitivity": 0.9, "specificity": 0.85}


@pytest.mark.parametrize("cost", [1, 10])
def test_no_pair_beside_the_answer_is_cheaper(cost):
    given = {**KNOWN, "label_cost": cost}
    goal = Width(JUDGED_SHARE, 0.1, "half_width")
    question = label_question(JudgeQuestion, JUDGED_SHARE, "lang_reiczigel", 0.05, goal, given)
    n, labels = question.cheapest
    assert question.width(n, labels)[0] <= 0.1 < question.width(n - 1, labels)[0]
    prices = {
        other: question.price(cases, other)
        for other in range(max(labels // 2, 2), 2 * labels, max(labels // 25, 1))
        if (cases := question.cases(other)) is not None
    }
    # Widths are means of counts, which are whole, so that the price is no smooth function.
    assert question.price(n, labels) <= 1.02 * min(prices.values())
    found = harness.size("judged_share", "lang_reiczigel", half_width=0.1, **given)
    assert (found.sizes["n"], found.sizes["positives"]) == (n, labels)


def test_dearer_labels_are_fewer():
    few, many = (
        harness.size("judged_share", "lang_reiczigel", half_width=0.1, **KNOWN, label_cost=cost)
        for cost in (20, 0.5)
    )
    assert few.sizes["positives"] < many.sizes["positives"]
    assert few.sizes["n"] > many.sizes["n"]


def test_a_judge_that_says_hardly_anything_is_refused():
    with pytest.raises(InputError, match=r"a sum of at least 1\.2, found 1\.1"):
        harness.size("judged_share", half_width=0.1, share=0.5, sensitivity=0.6, specificity=0.5)


@pytest.mark.parametrize("cost", [5, 50])
def test_no_number_of_labelled_cases_beside_the_answer_is_cheaper(cost):
    question = label_question(
        LabelledQuestion,
        LABELLED_SHARE,
        "ppi_plus",
        0.05,
        Width(LABELLED_SHARE, 0.05, "half_width"),
        {**KNOWN, "label_cost": cost},
    )
    n, labels = question.cheapest
    assert question.width(n, labels)[0] <= 0.05 < question.width(n - 1, labels)[0]
    prices = [
        question.price(cases, other)
        for other in np.linspace(0.6 * labels, 1.6 * labels, 9).astype(int).tolist()
        if (cases := question.cases(other)) is not None
    ]
    assert question.price(n, labels) <= 1.02 * min(prices)


@pytest.mark.slow
def test_the_width_of_labelled_cases_is_that_of_other_draws():
    found = harness.size("labelled_share", half_width=0.04, **KNOWN, label_cost=20)
    assert found.assumed == {"method": "post_stratified"}
    rng, cells = np.random.default_rng(8), [0.72, 0.08, 0.03, 0.17]
    table = rng.multinomial(found.labelled, cells, 2000).astype(float)
    yes = rng.binomial(found.unlabelled, 0.75, 2000)
    verdicts = np.stack((yes, found.unlabelled - yes), axis=1).astype(float)
    lower, upper = find(LABELLED_SHARE, "post_stratified").limits(
        (table, verdicts), 0.05, "two-sided"
    )
    width = (upper - lower) / 2
    error = (width.std() ** 2 / width.size + found.std_error**2) ** 0.5
    assert abs(width.mean() - found.reached) < 4 * error
    assert found.reached <= 0.04


def test_a_given_number_of_other_cases_leaves_the_labelled_ones_to_find():
    found = harness.size("labelled_share", "ppi_plus", half_width=0.05, **KNOWN, unlabelled=2000)
    assert set(found.sizes) == {"labelled"}
    with pytest.raises(InputError, match="needs share, sensitivity"):
        harness.size(
            "labelled_share", "ppi_plus", half_width=0.05, **KNOWN, unlabelled=9, label_cost=2
        )


@pytest.mark.parametrize(
    ("method", "half_width", "share", "sensitivity", "specificity"),
    [("wilson", 0.08, 0.8, 0.9, 0.85), ("clopper_pearson", 0.06, 0.97, 0.75, 0.95)],
)
def test_the_cases_of_a_known_judge_are_those_of_sums_over_its_yes(
    method, half_width, share, sensitivity, specificity
):
    rates = {"sensitivity": sensitivity, "specificity": specificity}
    found = harness.size(
        "judged_share", method, half_width=half_width, share=share, **rates, label_cost=0
    )
    yes = share * sensitivity + (1 - share) * (1 - specificity)

    def expected(n):
        x = np.arange(n + 1)
        limits = harness.interval("judged_share", method, x=x, n=n, **rates)
        return binom.pmf(x, n, yes) @ (limits.upper - limits.lower) / 2

    widths = {n: expected(n) for n in range(1, found.n + 50)}
    assert found.n == 1 + max(n for n, width in widths.items() if width > half_width)
    assert found.reached == pytest.approx(widths[found.n], abs=1e-12)
    assert set(found.sizes) == {"n"}


def test_a_power_with_a_known_judge_is_that_of_a_sum():
    rates, alpha = {"sensitivity": 0.9, "specificity": 0.85}, 0.025
    found = harness.size(
        "judged_share",
        "wilson",
        above=0.6,
        probability=0.8,
        share=0.8,
        **rates,
        label_cost=0,
        alpha=alpha,
    )
    power = {}
    for n in range(1, found.n + 50):
        x = np.arange(n + 1)
        limits = harness.interval(
            "judged_share", "wilson", x=x, n=n, **rates, side="lower", alpha=alpha
        )
        power[n] = binom.pmf(x, n, 0.75) @ (limits.lower > 0.6)
    assert found.n == 1 + max(n for n, reached in power.items() if reached < 0.8)
    assert found.reached == pytest.approx(power[found.n], abs=1e-12)


def test_without_a_share_the_judge_is_known_and_the_share_one_half():
    found = harness.size("judged_share", half_width=0.1, sensitivity=0.9, specificity=0.85)
    assert found.assumed == {"method": "wilson", "share": 0.5}
    given = {"share": 0.5, "sensitivity": 0.9, "specificity": 0.85, "label_cost": 0}
    assert found.n == harness.size("judged_share", half_width=0.1, **given).n


def test_free_labels_need_both_error_rates():
    with pytest.raises(InputError, match="needs both sensitivity and specificity"):
        harness.size("judged_share", half_width=0.1, share=0.5, sensitivity=0.9, label_cost=0)
