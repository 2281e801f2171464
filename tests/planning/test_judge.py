"""The cheapest numbers of cases and labels for an interval of a share that a judge reports."""

import pytest

import harness
from harness.base.errors import InputError
from harness.families.judged import JUDGED_SHARE
from harness.planning.judge import judge_question

KNOWN = {"share": 0.8, "sensitivity": 0.9, "specificity": 0.85}


@pytest.mark.parametrize("cost", [1, 10])
def test_no_pair_beside_the_answer_is_cheaper(cost):
    given = {**KNOWN, "label_cost": cost}
    question = judge_question(JUDGED_SHARE, "lang_reiczigel", 0.05, 0.1, True, given)
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
