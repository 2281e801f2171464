"""The contract of a stochastic method, checked by trials."""

import textwrap
from contextlib import ExitStack

import numpy as np
import pytest
from scipy.special import gammaincinv

import harness
from harness.callers.function import FunctionHere, FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.callers.process import TIMEOUT
from harness.callers.source import Observed
from harness.checks.check import check
from harness.checks.contract import simulated
from harness.checks.contract.simulated import MEAN, WORST, OutcomeTrials, check_by_trials
from harness.checks.scenarios import trials_needed
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.method import AT_LEAST, NOMINAL, NONE
from tests.checks.planted.textbook import wilson

SIZES, ALPHAS = (10.0, 30.0), (0.05, 0.1)


def jittered(x, n, alpha, rng):
    """Wilson's limits, moved by up to a hundredth of the width."""
    lower, upper = wilson(x, n, alpha)
    moved = 0.01 * (upper - lower) * rng.random(np.shape(x))
    return np.maximum(lower - moved, 0.0), np.minimum(upper + moved, 1.0)


def too_short(x, n, alpha, rng):
    lower, upper = wilson(x, n, alpha)
    inwards = 0.3 * (upper - lower) * rng.random(np.shape(x))
    return lower + inwards, upper - inwards


def whole(x, n, alpha, rng):
    """Never misses."""
    return 0.0 * x, 0.0 * x + 1.0


def findings_of(function, contract, trials=20_000, family="proportion", sizes=SIZES, **options):
    subject = Subject(FunctionHere(function.__name__, function, seed=1), family_of(family))
    return check_by_trials(contract, OutcomeTrials(subject, sizes, ALPHAS, trials, **options))[0]


def verdicts(findings, name):
    return [finding.verdict for finding in findings if finding.check == name]


# By the 95 % interval: of the four means and four worst truths, far from the margins.
def test_a_method_near_wilson_keeps_what_wilson_keeps():
    found = findings_of(jittered, NOMINAL)
    assert verdicts(found, MEAN) == verdicts(found, WORST) == ["pass"] * 4
    for finding in found:
        assert finding.cell["trials"] in (20_000, 2_000)
        assert f"in {finding.cell['trials']} trials" in finding.message


def test_one_that_is_too_short_fails_in_the_mean():
    assert verdicts(findings_of(too_short, NOMINAL), MEAN) == ["fail"] * 4


def test_one_that_never_misses_is_as_far_from_nominal():
    assert verdicts(findings_of(whole, NOMINAL), MEAN) == ["fail"] * 4


def as_often_as_it_may(x, n, alpha, rng):
    """Misses with a probability of alpha, whatever the truth."""
    missed = rng.random(np.shape(x)) < alpha
    return np.where(missed, 2.0, 0.0), np.where(missed, 2.0, 1.0)


def test_the_contract_at_least_is_checked_at_a_few_truths():
    assert set(verdicts(findings_of(too_short, AT_LEAST), WORST)) == {"fail"}
    assert set(verdicts(findings_of(whole, AT_LEAST), WORST)) == {"pass"}
    # By 36 intervals that hold at once: just alpha is refuted with one seed in forty.
    found = findings_of(as_often_as_it_may, AT_LEAST)
    assert set(verdicts(found, WORST)) == {"inconclusive"}
    assert "trials would conclude it" in found[0].message


def test_a_margin_of_zero_is_never_kept():
    subject = Subject(FunctionHere("f", as_often_as_it_may), family_of("proportion"))
    found, _ = check_by_trials(NOMINAL, OutcomeTrials(subject, (10.0,), (0.05,), 500, margin=0.0))
    assert found[0].verdict == "inconclusive"


# 40 seeds of 27 intervals; of a family-wise 2.5 % more than 4 occur once in 400 times.
def test_a_method_that_misses_with_probability_alpha_seldom_fails(monkeypatch):
    # Only the message has this number, and finding it takes most of the time.
    monkeypatch.setattr(simulated, "trials_needed", lambda concludes, start: None)
    failed = 0
    for seed in range(40):
        subject = Subject(FunctionHere("f", as_often_as_it_may, seed=seed), family_of("proportion"))
        simulation = OutcomeTrials(subject, (10.0, 30.0, 100.0), (0.05,), 20_000, seed=seed)
        found, _ = check_by_trials(AT_LEAST, simulation)
        assert {each.check for each in found} == {WORST}
        failed += any(each.verdict == "fail" for each in found)
    assert failed <= 4


def test_the_contract_nominal_does_not_apply_at_fewer_than_ten_trials():
    (found,) = findings_of(too_short, NOMINAL, sizes=(2.0, 9.0))
    assert (found.verdict, found.message.split()[:3]) == ("inconclusive", ["no", "size", "of"])


def test_the_contract_none_makes_no_trials():
    assert findings_of(too_short, NONE) == []


def test_what_few_trials_cannot_conclude_says_how_many_would():
    found = findings_of(jittered, NOMINAL, trials=300)
    open_ones = [each for each in found if each.verdict == "inconclusive" and each.check == MEAN]
    assert open_ones
    for finding in open_ones:
        needed = int(finding.message.split("; ")[1].split()[0])
        assert 300 < needed < 100_000


def test_the_margin_can_be_set():
    assert verdicts(findings_of(too_short, NOMINAL, margin=0.5), MEAN) == ["pass"] * 4


def flat_posterior(x, exposure, alpha, rng):
    """The central interval of the flat prior's posterior, whose mean alpha error is 0, jittered."""
    moved = 1e-6 * rng.random(np.shape(x))
    x = np.asarray(x, float)
    low, high = (gammaincinv(x + 1.0, tail) for tail in (alpha / 2, 1.0 - alpha / 2))
    return low / exposure, high / exposure + moved


@pytest.mark.parametrize("exposure", [0.5, 10.0])
def test_the_mean_of_a_rate_is_free_of_where_its_range_is_cut_off(exposure):
    found = findings_of(flat_posterior, NOMINAL, family="rate", sizes=(exposure,))
    assert verdicts(found, MEAN) == ["pass"] * 2
    # A few standard errors of 20,000 trials; the mean over the rates 0 … 20 is off by 0.01.
    assert all(abs(each.cell["found"]) < 0.007 for each in found if each.check == MEAN)


def test_two_samples_are_drawn_too():
    def pair(x1, n1, x2, n2, alpha, rng):
        low = rng.random(np.shape(x1)) - 1.0
        return low, low

    pairs = findings_of(pair, NOMINAL, family="proportion_difference", sizes=((10.0, 15.0),))
    assert verdicts(pairs, MEAN) == ["fail"] * 2
    assert "n1 = 10, n2 = 15" in pairs[0].message


def test_the_whole_check_of_a_stochastic_function():
    report = check(jittered, alphas=(0.05, 0.1))
    assert report.passed, str(report)
    assert {finding.kind for finding in report.findings} == {"conformance", "contract"}
    assert report.behaviour.is_empty()
    worse = check(too_short, against="wilson", alphas=(0.1,))
    assert "against wilson: miss rate" in {each.check for each in worse.of_verdict("fail")}


def test_a_method_of_the_catalogue_that_draws_fails_the_nominal_contract():
    """The percentile bootstrap has no width at x = 0 and n."""
    report = check("bootstrap_percentile", contract="nominal", alphas=(0.05,), sizes=(10,))
    assert report.verdict == "fail"
    assert {each.check for each in report.of_verdict("fail")} <= {MEAN, WORST}


IN_A_FILE = """
    import numpy as np

    def f(x, n, alpha, rng):
        draws = rng.beta(np.asarray(x) + 1.0, n - np.asarray(x) + 1.0, (400, *np.shape(x)))
        return tuple(np.quantile(draws, [alpha / 2, 1 - alpha / 2], axis=0))

    f.expected_failures = {"holds the estimate": "at x = 0 and n it lies at the end of the range"}

    def one_at_a_time(x, n, alpha, rng):
        draws = sorted(rng.beta(x + 1.0, n - x + 1.0) for _ in range(39))
        if x == 3 and n == 7:
            raise ValueError("no")
        return (draws[0], draws[-1])
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.py").write_text(textwrap.dedent(IN_A_FILE))
    return tmp_path / "mine.py"


def test_a_stochastic_function_in_a_file_is_checked_by_trials(file):
    """The central interval of a flat posterior, whose mean alpha error is 0, from 400 draws."""
    report = check(f"{file}:f", sizes=(10,), alphas=(0.1,), trials=4000)
    assert report.passed, str(report)


def test_what_is_drawn_follows_from_the_seed_alone(file):
    observed = Observed(family_of("proportion"), (5,), (np.arange(4.0),))
    for name in ("f", "one_at_a_time"):
        location = FunctionLocation(name, path=str(file))
        with ExitStack() as opened:
            functions = [FunctionInProcess(name, location, TIMEOUT, seed) for seed in (1, 1, 2)]
            for each in functions:
                opened.callback(each.close)
            first, again, other = (each.limits(observed, 0.1, "two-sided") for each in functions)
            np.testing.assert_array_equal(first.lower, again.lower)
            assert (first.lower != other.lower).all()
            assert not any(each.deterministic for each in functions)


TRIALS = 800
CONFIG = {
    "name": "drawn",
    "family": "proportion",
    "n": 7,
    "alpha": 0.1,
    "methods": [],
    "trials": {"per_size": TRIALS},
    "seed": 5,
}


def test_a_run_draws_the_limits_of_every_trial_anew_and_counts_failures(file, tmp_path):
    methods = [
        {"path": str(file), "function": name, "label": name} for name in ("f", "one_at_a_time")
    ]
    config = {**CONFIG, "methods": [*methods, "wilson"]}
    runs = [harness.run({**config, "execution": {"jobs": jobs}}, out=None) for jobs in (1, 2)]
    assert runs[0].cells.equals(runs[1].cells)
    summary = runs[0].summary.filter(runs[0].summary["engine"] == "monte_carlo")
    rows = {row["method"]: row for row in summary.iter_rows(named=True)}
    # Central intervals under the truth's own distribution: four standard errors.
    assert rows["f"]["actual_alpha"] == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / TRIALS))
    assert rows["f"]["failed"] == 0.0
    # 39 draws of a Beta: the smallest and the largest leave 2/40 outside.
    failing = rows["one_at_a_time"]
    assert failing["failed"] == pytest.approx(1 / 8, abs=4 * np.sqrt(1 / 8 * 7 / 8 / TRIALS))
    assert failing["alpha_without_failed"] == pytest.approx(
        0.05, abs=4 * failing["std_error_without_failed"]
    )
    (line,) = runs[0].manifest["failures"]
    assert line["first"] == "failed at x = 3, n = 7, alpha = 0.1: ValueError: no"
    assert (line["method"], line["trials"]) == ("one_at_a_time", TRIALS)
    assert line["failed_trials"] == round(failing["failed"] * TRIALS)
    assert runs[0].manifest["agreement"]["not_checked"] == ["f", "one_at_a_time"]


def test_adding_a_user_function_changes_no_draws_of_other_methods(file):
    mine = {"path": str(file), "function": "f", "label": "f"}
    others = ["bootstrap_percentile", "wilson"]
    several, alone = (
        harness.run({**CONFIG, "methods": methods}, out=None)
        for methods in ([mine, *others], others)
    )
    shared = several.cells.filter(several.cells["method"] != "f").select(alone.cells.columns)
    assert shared.equals(alone.cells)


@pytest.mark.parametrize(("threshold", "start"), [(2, 1), (77, 10), (1025, 1024), (5000, 3)])
def test_the_smallest_number_of_trials_is_found(threshold, start):
    assert trials_needed(lambda count: count >= threshold, start) == threshold


def test_no_number_of_trials_may_be_enough():
    assert trials_needed(lambda count: False, 10) is None
