"""The share that is right, from a judge's verdicts and labels of some cases."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

import harness
from harness.base.errors import InputError
from harness.catalogue import scenario_for
from harness.designs.judged import table_probabilities
from harness.distributions.paired_truths import LabelledTruth
from harness.families.judged import COUNTS, LABELLED_SHARE
from harness.methods.catalogue import methods_of
from harness.methods.labelled import post_stratified, power

# ppi_python 0.2.3, NumPy 2.4.6: with y and f the labels and verdicts of labelled cases, u the
# verdicts of others, as zeros and ones of these counts,
#   >>> ppi_mean_ci(y, f, u, alpha=0.1, lam=1)     # ppi
#   >>> ppi_mean_ci(y, f, u, alpha=0.1)            # ppi_plus
REFERENCE = [
    ((70, 10, 5, 15), (700, 300), "ppi", 0.6824808122075601, 0.8175191877924399),
    ((70, 10, 5, 15), (700, 300), "ppi_plus", 0.7230309470846267, 0.8333362985729417),
    ((18, 0, 0, 2), (900, 100), "ppi", 0.8843955483637334, 0.9156044516362667),
    ((18, 0, 0, 2), (900, 100), "ppi_plus", 0.8845489192888235, 0.9154510807111765),
    ((12, 3, 1, 4), (80, 20), "ppi", 0.7267039171231529, 1.0732960828768472),
    ((12, 3, 1, 4), (80, 20), "ppi_plus", 0.691715339014109, 0.9682308975450306),
    ((3, 9, 8, 5), (40, 60), "ppi", 0.15731478379624786, 0.7226852162037521),
    ((3, 9, 8, 5), (40, 60), "ppi_plus", 0.3156462782724753, 0.6443537217275246),
    ((20, 30, 25, 25), (10, 990), "ppi", -0.06181804173178918, 0.1818180417317892),
    ((20, 30, 25, 25), (10, 990), "ppi_plus", 0.4177573186524264, 0.5822426813475736),
]
TABLES = [(70, 10, 5, 15), (12, 3, 1, 4), (50, 3, 2, 45), (5, 5, 5, 5), (190, 2, 4, 10)]
VERDICTS = [(700, 300), (20, 80), (50, 50), (1, 1)]
EMPTY = [(20, 0, 0, 0), (18, 0, 0, 2), (0, 3, 5, 12), (190, 0, 0, 10)]


@pytest.mark.parametrize(("table", "verdicts", "name", "lower", "upper"), REFERENCE)
def test_prediction_powered_limits_are_those_of_ppi_py_cut_at_the_range(
    table, verdicts, name, lower, upper
):
    found = harness.interval("labelled_share", name, table=table, verdicts=verdicts, alpha=0.1)
    expected = max(lower, 0.0), min(upper, 1.0)
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-10)


def mass_below(table, verdicts, limit, draws, rng):
    """The share of draws from the three posteriors at which the share right is below a limit."""
    a, b = (rng.beta(table[i] + 0.5, table[i + 2] + 0.5, draws) for i in (0, 1))
    yes, no = (table[i] + table[i + 2] + verdicts[i] + 0.5 for i in (0, 1))
    q = rng.beta(yes, no, draws)
    return float(np.mean(q * a + (1 - q) * b < limit))


# Numbers of draws at which the standard error of a tail of 0.025 is 1.6e-4.
DRAWS = 10**6


@pytest.mark.parametrize(
    ("tables", "room"),
    # What Gauss's rules leave of the tail: more where a cell has no cases, as a density is then
    # infinite at an end of its range.
    [(TABLES, 1e-3), (EMPTY, 7e-3)],
)
def test_limits_of_the_posterior_have_the_tails_of_draws_from_it(tables, room):
    rng = np.random.default_rng(42)
    # Five standard errors beside: a false alarm in one of 2 · 20 comparisons once in 4e4 seeds.
    error = 5 * math.sqrt(0.025 * 0.975 / DRAWS)
    for table, verdicts in product(tables, VERDICTS):
        lower, upper = harness.interval("labelled_share", table=table, verdicts=verdicts)
        below = mass_below(table, verdicts, lower, DRAWS, rng)
        above = 1 - mass_below(table, verdicts, upper, DRAWS, rng)
        assert (below, above) == pytest.approx((0.025, 0.025), abs=room + error)


def test_limits_of_the_posterior_tend_to_those_of_its_parts():
    # All verdicts are yes: the share is that of the labelled cases with a yes, but for 1e-5.
    found = harness.interval("labelled_share", table=(30, 0, 10, 0), verdicts=(10**6, 0))
    expected = stats.beta(30.5, 10.5).ppf([0.025, 0.975])
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("name", methods_of(LABELLED_SHARE))
def test_limits_mirror_where_right_and_wrong_and_yes_and_no_change_places(name):
    for table, verdicts in product(TABLES + EMPTY, VERDICTS):
        found = harness.interval("labelled_share", name, table=table, verdicts=verdicts)
        mirrored = harness.interval(
            "labelled_share", name, table=table[::-1], verdicts=verdicts[::-1]
        )
        assert (1 - mirrored.upper, 1 - mirrored.lower) == pytest.approx(
            (found.lower, found.upper), abs=1e-12
        )


def test_power_is_0_without_any_spread_of_the_verdicts_and_never_above_1():
    tables = np.array([[5.0, 0, 5, 0], [50, 0, 0, 50], [0, 50, 50, 0]])
    verdicts = np.array([[10.0, 0], [5, 5], [500, 500]])
    found = power((tables, verdicts))
    assert found[0] == found[2] == 0
    assert 0 < found[1] <= 1


def test_counts_and_lists_are_the_same_data_and_counts_broadcast():
    counts = dict(zip(COUNTS, (70, 10, 5, 15, 700, 1000), strict=True))
    one = harness.interval("labelled_share", table=(70, 10, 5, 15), verdicts=(700, 300))
    several = harness.interval("labelled_share", **{**counts, "yes": [700, 800]})
    assert several.lower[0] == one.lower
    assert several.lower[1] > one.lower
    assert one.estimate == pytest.approx(775 / 1100 * 70 / 75 + 325 / 1100 * 10 / 25, rel=1e-15)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"yes": 1001}, "yes = 1001 is larger than unlabelled = 1000"),
        ({"right_no": -1}, "right_no should be a whole number from 0 to 10^9, found -1"),
        ({"unlabelled": 0, "yes": 0}, "unlabelled should be at least 1, found 0"),
        ({"beyond": 1}, "labelled_share needs the data right_yes, right_no"),
    ],
)
def test_counts_that_cannot_be_are_refused_in_a_sentence(change, words):
    counts = dict(zip(COUNTS, (70, 10, 5, 15, 700, 1000), strict=True))
    with pytest.raises(InputError, match=words.replace("^", r"\^")):
        harness.interval("labelled_share", **{**counts, **change})


def test_lists_of_another_length_are_refused():
    with pytest.raises(InputError, match="table should be 4 counts"):
        harness.interval("labelled_share", table=[70, 10, 5], verdicts=[700, 300])


def test_a_remark_says_that_few_labels_tell_the_judge_wrong():
    data = {"table": (18, 0, 0, 2), "verdicts": (900, 100)}
    words = "ppi: the judge is wrong in 0 of the labelled cases"
    assert any(words in each for each in harness.interval("labelled_share", "ppi", **data).remarks)
    assert not harness.interval("labelled_share", **data).remarks
    many = {"table": (70, 10, 5, 15), "verdicts": (700, 300)}
    assert not harness.interval("labelled_share", "ppi", **many).remarks


def test_draws_have_the_probabilities_of_the_cells():
    truth = LabelledTruth((0.8,), (0.9,), (0.85,))
    scenario = scenario_for(LABELLED_SHARE, (20, 300), truth)
    (observed,) = scenario.draw_observed(0, 50_000, np.random.default_rng(3))
    table, verdicts = observed.counts
    assert (table.sum(axis=1) == 20).all()
    assert (verdicts.sum(axis=1) == 300).all()
    expected = np.array([0.72, 0.08, 0.03, 0.17])
    # Five standard errors: once in 10^6 seeds.
    error = 5 * np.sqrt(expected * (1 - expected) / (20 * 50_000))
    assert (np.abs(table.mean(axis=0) / 20 - expected) < error).all()
    assert abs(verdicts[:, 0].mean() / 300 - 0.75) < 5 * math.sqrt(0.75 * 0.25 / 300 / 50_000)


def test_enumeration_is_the_sum_over_all_outcomes(tmp_path):
    config = {
        "name": "small",
        "family": "labelled_share",
        "labelled": 4,
        "unlabelled": 6,
        "methods": ["labels_only", "post_stratified"],
        "truth": {"share": [0.5, 0.8], "sensitivity": [0.9], "specificity": [0.85]},
        "trials": {"per_truth": 20_000},
        "engines": ["monte_carlo", "enumeration"],
        "seed": 7,
    }
    results = harness.run(config, out=tmp_path / "small")
    tables = np.array([t for t in product(range(5), repeat=4) if sum(t) == 4], float)
    yes = np.arange(7.0)
    table, y = np.repeat(tables, 7, axis=0), np.tile(yes, len(tables))
    lower, upper = post_stratified((table, np.stack((y, 6 - y), axis=1)), 0.025)
    missed = []
    for share in (0.5, 0.8):
        p = np.array([share * 0.9, share * 0.1, (1 - share) * 0.15, (1 - share) * 0.85])
        weight = [stats.multinomial(4, p).pmf(t) for t in table]
        assert table_probabilities(table, p) == pytest.approx(weight, rel=1e-12)
        weight = weight * stats.binom(6, p[0] + p[2]).pmf(y)
        missed.append(weight[(share < lower) | (share > upper)].sum())
    rows = {
        row["engine"]: row
        for row in results.summary.rows(named=True)
        if row["method"] == "post_stratified"
    }
    exact = rows["enumeration"]["actual_alpha"]
    assert exact == pytest.approx(np.mean(missed), abs=1e-12)
    drawn = rows["monte_carlo"]
    # At most once in 10^6 seeds.
    assert abs(drawn["actual_alpha"] - exact) < 5 * drawn["std_error"]


def test_size_counts_the_labels_that_a_half_width_needs():
    truth = {"share": 0.8, "sensitivity": 0.9, "specificity": 0.85}
    alone, helped = (
        harness.size(
            "labelled_share", method=name, half_width=0.1, unlabelled=1000, **truth
        ).labelled
        for name in ("labels_only", "ppi_plus")
    )
    assert helped < alone
