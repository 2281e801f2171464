"""Measures of a user's own: their values, their jackknife errors, and functions that fail."""

import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

import harness
from harness.base.errors import ConfigError, InputError
from harness.kinds.load import load_experiment
from harness.kinds.simulation.functions import GROUPS, jackknife_error
from tests.simulation.studies import study, value

FILE = str(Path(__file__).with_name("measured.py"))


def own(name, label=None):
    """A function of the file of measures."""
    found = {"path": FILE, "function": name}
    return found if label is None else {**found, "label": label}


def measured(*measures, method="t", **keys):
    """The results of a study of one method, with measures of its own."""
    config = study(method, measures=[own(name) for name in measures], **keys)
    return harness.run(config, out=None)


@pytest.mark.parametrize("count", [2, 7, 100])
def test_the_jackknife_of_a_mean_with_a_group_of_each_value_is_its_standard_error(count):
    values = np.random.default_rng(1).exponential(size=count)
    left_out = (values.sum() - values) / (count - 1)
    error = jackknife_error(values.mean(), left_out, np.ones(count, np.int64))
    assert error == pytest.approx(values.std(ddof=1) / np.sqrt(count), rel=1e-9)


def test_the_jackknife_of_a_mean_with_unequal_groups_is_near_its_standard_error():
    # 100 groups of 20 or 21 values: the error of the error is 7 %, and 4 of these are allowed.
    values = np.random.default_rng(2).normal(size=2050)
    group = np.arange(values.size) % GROUPS
    left_out = np.array([values[group != each].mean() for each in range(GROUPS)])
    error = jackknife_error(values.mean(), left_out, np.bincount(group))
    assert error == pytest.approx(1 / np.sqrt(values.size), rel=0.28)


def test_one_trial_has_no_jackknife_error():
    assert np.isnan(jackknife_error(1.0, np.empty(0), np.array([1])))


def test_a_measure_of_ones_own_that_is_the_bias_has_its_value_and_error():
    results = measured("mean_error", trials={"per_scenario": 100})
    for column in ("estimate", "mcse", "trials"):
        found = value(results, "mean_error", "t", column)
        assert found == pytest.approx(value(results, "bias", "t", column), rel=1e-9)


def test_alpha_and_limits_reach_a_measure():
    results = measured("covered", alpha=0.05)
    found = value(results, "covered", "t")
    assert found == pytest.approx(value(results, "coverage", "t") - 0.95, abs=1e-12)


def test_the_median_bias_of_a_variance_is_that_of_the_chi_squared_law():
    # Of n = 5 normal values: median of chi-squared with 4 degrees of freedom over 4, less 1. With
    # fixed seeds; right code is farther off than 4 errors with a probability of 6e-5.
    config = study(
        measures=[own("median_bias")],
        methods=[own("variance")],
        estimand=1,
        trials={"per_scenario": 4000},
    )
    results = harness.run(config, out=None)
    error = value(results, "median_bias", "variance", "mcse")
    exact = chi2.median(4) / 4 - 1
    assert value(results, "median_bias", "variance") == pytest.approx(exact, abs=4 * error)
    # The error of a median is 1/(2 f √m); that of the jackknife of 100 groups has an error of 30 %.
    density = 4 * chi2.pdf(chi2.median(4), 4)
    assert error == pytest.approx(1 / (2 * density * np.sqrt(4000)), rel=0.35)


def test_a_measure_gets_the_trials_with_an_answer_as_arrays_of_its_own():
    config = study(methods=[own("positive")], measures=[own("number_of_trials"), own("sorting")])
    results = harness.run(config, out=None)
    lost = round(value(results, "failures", "positive") * 600)
    assert 0 < lost < 600
    assert value(results, "number_of_trials", "positive") == 600 - lost
    assert value(results, "number_of_trials", "positive", "trials") == 600 - lost
    assert value(results, "sorting", "positive") == 1.0


def test_measures_of_methods_with_and_without_failures_stand_side_by_side():
    config = study(methods=[own("positive"), own("variance")], measures=[own("mean_error")])
    results = harness.run(config, out=None)
    assert value(results, "mean_error", "positive") == 1.0
    assert value(results, "mean_error", "variance") == value(results, "bias", "variance")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("text", "should return one finite number, and returned 'large'"),
        ("nan", "should return one finite number, and returned nan"),
        ("raising", "raised KeyError"),
        ("leaving", "ended with exit code 3"),
    ],
)
def test_a_measure_that_fails_is_named_and_the_others_are_there(name, why):
    results = measured(name, "mean_error")
    assert value(results, "mean_error", "t") == pytest.approx(value(results, "bias", "t"))
    assert results.summary.filter(measure=name).is_empty()
    (failure,) = results.manifest["unmeasured"]
    assert (failure["scenario"], failure["method"], failure["measure"]) == (1, "t", name)
    assert why in failure["why"]


@pytest.mark.slow
def test_a_measure_that_hangs_costs_one_timeout():
    start = time.monotonic()
    results = measured("hanging", factors={"n": [5, 6, 7, 8]}, execution={"jobs": 1, "timeout": 1})
    assert time.monotonic() - start < 4
    first, *later = results.manifest["unmeasured"]
    assert "gave no answer within 1 s" in first["why"]
    assert len(later) == 3
    assert all("was not called any more" in each["why"] for each in later)


def test_a_run_with_a_measure_that_fails_ends_with_3_and_a_sentence(run_command, config_file):
    result = run_command("run", config_file(study("t", measures=[own("raising")])))
    assert result.code == 3
    assert "raising: no value of t in scenario 1: raised KeyError" in " ".join(
        (result.out + result.err).split()
    )


@pytest.fixture
def config_file(here):
    """Writes a config, and gives the name of its file."""
    import json

    def written(config):
        (here / "study.yaml").write_text(json.dumps(config))
        return "study.yaml"

    return written


def test_a_measure_that_takes_other_arguments_is_refused_before_any_trial():
    with pytest.raises(InputError, match=r"of_one is to be called with \(trials, alpha\)"):
        measured("of_one")


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ([own("nan", "bias")], "expected a label of its own, found 'bias'"),
        ([own("nan"), own("text", "nan")], "expected a label of its own, found 'nan'"),
        ([{"r": "a.R", "function": "f"}], "R file|functions of Python"),
    ],
)
def test_a_label_or_a_language_that_does_not_fit_is_refused(measures, message):
    with pytest.raises(ConfigError, match=message):
        load_experiment(study("t", measures=measures))


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"trials": {"mcse": {"mean_error": 0.1}}}, "trials.mcse.mean_error"),
        ({"trials": None, "solve": {"factor": "n", "measure": "mean_error", "equals": 0}}, "solve"),
    ],
)
def test_stopping_rules_and_searches_refuse_a_measure_of_ones_own_in_a_sentence(keys, place):
    config = {**study("t", measures=[own("mean_error")]), **keys}
    given = {name: each for name, each in config.items() if each is not None}
    with pytest.raises(ConfigError) as fault:
        load_experiment(given)
    (line,) = str(fault.value).splitlines()
    assert place in line
    assert "stopping rules and searches take none of `measures`" in line
    assert line.endswith("found 'mean_error'")


def test_a_figure_shows_a_measure_of_ones_own_and_no_other():
    figures = [{"kind": "lollipop", "measure": "mean_error"}]
    load_experiment(study("t", measures=[own("mean_error")], figures=figures))
    with pytest.raises(
        ConfigError, match=r"expected one of the measures bias, .* found 'mean_error'"
    ):
        load_experiment(study("t", figures=figures))


def test_the_digest_of_a_measure_is_among_the_sources_and_the_config_round_trips():
    results = measured("mean_error")
    assert len(results.manifest["sources"]["measures mean_error"]) == 64
    document = results.manifest["experiment"]
    assert document["measures"] == [{**own("mean_error"), "label": "mean_error"}]
    assert load_experiment(document).document["measures"] == document["measures"]


def test_trials_of_a_run_are_not_made_again_for_a_new_measure(tmp_path):
    config = study("t")
    first = harness.run(config, out=tmp_path)
    assert first.calls["t"]["calls"] == 600
    again = harness.run({**config, "measures": [own("mean_error")]}, out=tmp_path)
    assert not again.calls
    assert again.summary.height == first.summary.height + 1


def test_functions_of_the_session_are_measures():
    def largest(trials, alpha):
        return trials["estimate"].max()

    results = harness.run(
        {**study("t"), "measures": [{"function": largest, "label": "largest"}]}, out=None
    )
    assert value(results, "largest", "t") > 0
