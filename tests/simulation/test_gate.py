"""A contract for estimates: ``summarize --contract`` and ``assert_coverage``."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import harness
from harness.base.errors import InputError
from harness.checks.estimates import BIAS, COVERAGE, TYPE_I, gate_on_estimates, gate_on_results
from harness.testing import assert_coverage
from tests.cli.conftest import is_one_sentence
from tests.simulation.studies import study

N = 5
T4 = float(t.ppf(0.975, N - 1))


def estimates(seed, trials, quantile, shift=0.0):
    """Means of five standard normal values, with limits of their standard errors."""
    values = np.random.default_rng(seed).normal(size=(trials, N))
    mean, se = values.mean(axis=1) + shift, values.std(axis=1, ddof=1) / np.sqrt(N)
    return pl.DataFrame(
        {"b": mean, "se": se, "lower": mean - quantile * se, "upper": mean + quantile * se}
    )


def gate(data, contract="nominal", **options):
    return gate_on_estimates(
        data, contract=contract, estimate="b", se="se", **{"true": 0.0, "null": None, **options}
    )


LIMITS = {"lower": "lower", "upper": "upper"}


def test_z_in_place_of_t_at_n_5_is_found():
    # The coverage is 87.84 %: 1,000 trials fail to show it with a probability below 1e-6.
    judged = gate(estimates(1, 1000, 1.96), **LIMITS)
    assert judged.exit_code == 3
    (broken,) = [promise for promise in judged.promises if promise.verdict == "fail"]
    assert broken.name == COVERAGE
    assert "at least 0.95 is required" in str(broken)


@pytest.mark.parametrize(
    ("true", "verdict", "found"), [(0.1, "pass", 0.0), (0.3, "inconclusive", -np.inf)]
)
def test_equal_estimates_are_held_against_the_promise_of_a_bias(true, verdict, found):
    judged = gate(pl.DataFrame({"b": [0.1] * 2000, "se": [0.3] * 2000}), true=true)
    (bias,) = [promise for promise in judged.promises if promise.name == BIAS]
    assert (bias.verdict, bias.value) == (verdict, found)
    assert ("all estimates are equal" in str(judged)) == (true == 0.3)


def test_one_promise_is_written_as_one():
    judged = gate(pl.DataFrame({"b": [0.1, 0.2], "se": [0.3, 0.3]}), "at-least")
    assert str(judged).startswith("INCONCLUSIVE at-least: 1 promise at")


def test_a_sound_method_fails_no_more_often_than_the_joint_level():
    # A gate fails with a probability of at most 0.05, here of 0.0125: only one side of one of its
    # two promises is near its bound. More than 10 of 200 fail with a probability below 1e-4.
    failed = [gate(estimates(seed, 2000, T4), **LIMITS).exit_code == 3 for seed in range(200)]
    assert sum(failed) <= 10


def test_limits_of_all_promises_hold_at_once():
    # One of 500 methods that all miss 5 % is below its own 95 % limit in nearly every study.
    rng = np.random.default_rng(3)
    rows = pl.DataFrame({"method": np.repeat(np.arange(500), 400)})
    study = rows.with_columns(b=rng.normal(size=rows.height), se=pl.lit(1.0))
    judged = gate(study, "at-least", by="method")
    assert len(judged.promises) == 500
    assert not [promise for promise in judged.promises if promise.verdict == "fail"]


@pytest.mark.parametrize(
    ("contract", "quantile", "exit_code"),
    [("nominal", 4.0, 3), ("approximate", 4.0, 3), ("conservative", 4.0, 0), ("at-least", 4.0, 0)],
)
def test_limits_that_are_too_wide_break_what_is_promised_on_both_sides(
    contract, quantile, exit_code
):
    assert gate(estimates(1, 5000, quantile), contract, **LIMITS).exit_code == exit_code


@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "pass"), (0.03, "pass"), (0.15, "fail")])
def test_a_bias_of_more_than_a_tenth_of_the_empirical_error_is_found(shift, verdict):
    # The empirical standard error is 0.447, a tenth of it 0.045.
    judged = gate(estimates(1, 10_000, T4, shift))
    (bias,) = [promise for promise in judged.promises if promise.name == BIAS]
    assert bias.verdict == verdict
    assert bias.value == pytest.approx(shift * np.sqrt(5), abs=0.03)


def test_p_values_that_are_too_small_break_the_type_i_error():
    data = estimates(1, 4000, T4)
    uniform = np.random.default_rng(2).random(data.height)
    sound = gate(data.with_columns(p=pl.lit(uniform)), **LIMITS, p_value="p", null=0.0)
    assert [promise.name for promise in sound.promises] == [COVERAGE, BIAS, TYPE_I]
    assert sound.exit_code == 0
    wrong = gate(data.with_columns(p=pl.lit(uniform**1.5)), **LIMITS, p_value="p", null=0.0)
    assert [each.name for each in wrong.promises if each.verdict == "fail"] == [TYPE_I]


def test_tests_by_the_limits_are_judged_as_their_coverage():
    judged = gate(estimates(1, 4000, T4), **LIMITS, null=0.0)
    assert TYPE_I not in [promise.name for promise in judged.promises]


def test_too_few_trials_say_how_many_would_decide_and_so_many_do():
    few = gate(estimates(1, 20, T4), "at-least", **LIMITS)
    (promise,) = few.promises
    assert few.exit_code == 4
    assert f"too few trials; {promise.trials_needed:,} trials would decide" in str(few)
    enough = gate(estimates(1, promise.trials_needed, T4), "at-least", **LIMITS)
    assert enough.exit_code == 0


def test_what_is_not_decided_is_no_failure_and_says_how_many_trials_would_decide():
    # 28 misses in 400 trials: 7 % where 5 % is allowed.
    data = pl.DataFrame({"b": np.r_[np.full(28, 3.0), np.zeros(372)], "se": np.ones(400)})
    judged = gate(data, "conservative")
    (promise,) = judged.promises
    assert (judged.exit_code, promise.verdict) == (0, "remark")
    more = pl.concat([data] * (promise.trials_needed // 400 + 1))
    assert gate(more, "conservative").exit_code == 3


def test_a_trial_without_an_answer_is_not_covered():
    data = estimates(1, 2000, T4).with_columns(
        b=pl.when(pl.int_range(2000) < 200).then(None).otherwise("b")
    )
    judged = gate(data, "at-least", **LIMITS)
    assert judged.exit_code == 3
    assert "200 trials have no answer" in str(judged)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A study of five normal values with t and with z."""
    folder = tmp_path_factory.mktemp("gate")
    config = study("t", "z", trials={"per_scenario": 1500}, null=0)
    return harness.run(config, out=folder)


def test_the_gate_on_results_names_scenario_and_method(results):
    judged = gate_on_results(results.path, "conservative")
    assert judged.exit_code == 3
    (broken,) = [promise for promise in judged.promises if promise.verdict == "fail"]
    assert str(broken).startswith("scenario = 1, n = 5, method = z: coverage 0.8")


def test_the_command_shows_each_promise_and_exits_with_3(run_command, results):
    argv = "summarize", str(results.path)
    table = run_command(*argv, "--contract", "nominal")
    assert table.code == 3
    assert "FAIL nominal: 4 promises" in table.out
    rows = json.loads(run_command(*argv, "--contract", "nominal", "--format", "json").out)
    failed = [(row["method"], row["promise"]) for row in rows if row["verdict"] == "fail"]
    assert failed == [("z", COVERAGE)]
    measured = json.loads(run_command(*argv, "--format", "json").out)
    assert measured == results.summary.to_dicts()


def test_the_command_judges_a_file(run_command, here):
    estimates(1, 1000, 1.96).write_csv(here / "b.csv")
    given = {"estimate": "b", "true": "0", "se": "se", **LIMITS}
    argv = ["summarize", "b.csv", *(f"--{name}={value}" for name, value in given.items())]
    assert run_command(*argv).code == 0
    assert run_command(*argv, "--contract", "nominal").code == 3


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--contract", "usual"], "contract should be one of"),
        (["--contract", "none"], "promises nothing"),
        (["--estimate", "b"], "--estimate is for the estimates of a file"),
    ],
)
def test_a_wrong_option_is_refused_in_a_sentence(run_command, results, argv, sentence):
    refused = run_command("summarize", str(results.path), *argv)
    assert is_one_sentence(refused)
    assert (refused.code, sentence in refused.err) == (2, True)


def test_a_table_without_what_is_promised_is_refused():
    with pytest.raises(InputError, match="needs true values"):
        gate_on_estimates({"b": [1.0, 2.0]}, contract="nominal", estimate="b")


def test_assert_coverage_is_an_assertion(results):
    with pytest.raises(AssertionError, match="method = z: coverage"):
        assert_coverage(results)
    data = estimates(1, 4000, T4)
    assert not assert_coverage(data, estimate="b", se="se", **LIMITS, true=0.0).exit_code
