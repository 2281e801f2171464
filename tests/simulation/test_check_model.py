"""The check of a method on a model of the user's own finds planted faults, and nothing else.

Trials have a fixed seed. A sound method fails a check by its coverage with a probability of at
most 1e-4, and by nothing else: answers are compared, and no other fault is a matter of chance.
"""

import json
import runpy
from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.callers.command import Command
from harness.checks.check import check
from harness.cli import main

MODELS = """\
import numpy as np

def draw(rng, n, mean=3.0, spread=2.0):
    return rng.normal(mean, spread, n)

def true_mean(n, mean=3.0, spread=2.0):
    return mean

def nowhere(n):
    return float("nan")

def of_globals(rng, n):
    return np.random.normal(3.0, 2.0, n)

def broken(rng, n):
    raise ValueError("no data")
"""

METHODS = """\
import numpy as np

T = {5: 2.7764451, 20: 2.0930241}
Z = 1.9599640

def interval(data, se, quantile, answered_se=None):
    mean = data.mean()
    limits = {"lower": mean - quantile * se, "upper": mean + quantile * se}
    return {"estimate": mean, "se": se if answered_se is None else answered_se, **limits}

def se(data, ddof=1):
    return data.std(ddof=ddof) / len(data) ** 0.5

def t(data, alpha, factor=1):
    return interval(data, se(data), factor * T[len(data)])

def variance_with_n(data, alpha):
    return interval(data, se(data, ddof=0), T[len(data)])

def z_for_t(data, alpha):
    return interval(data, se(data), Z)

def se_for_its_square(data, alpha):
    variance = se(data)
    return interval(data, variance**0.5, T[len(data)])

def variance_as_se(data, alpha):
    return interval(data, se(data), T[len(data)], se(data) ** 2)

def sides_exchanged(data, alpha):
    found = t(data, alpha)
    return found["upper"], found["lower"]

def sorts_its_data(data, alpha):
    data.sort()
    return t(data, alpha)

def of_globals(data, alpha):
    found = t(data, alpha)
    return found["lower"] + 1e-6 * np.random.normal(), found["upper"]

def sets_errors(data, alpha):
    np.seterr(all="raise")
    return t(data, alpha)

def of_entropy(data, alpha):
    found = t(data, alpha)
    return found["lower"] + 1e-6 * np.random.default_rng().normal(), found["upper"]

def of_its_stream(data, alpha, rng):
    found = t(data, alpha)
    return found["lower"] + 1e-6 * rng.normal(), found["upper"]

FIRST = []

def of_first_data(data, alpha):
    FIRST.append(data[0])
    found = t(data, alpha)
    return found["lower"] - 1e-6 * FIRST[0], found["upper"]

def wide(data, alpha):
    return t(data, alpha, 1.07)

def much_too_wide(data, alpha):
    return t(data, alpha, 1.5)

def estimates(data, alpha):
    return {"estimate": data.mean()}

def rarely_fails(data, alpha):
    if data[0] > 8:
        raise ValueError("a large number")
    return t(data, alpha)
"""


FEW = 1200
"""Trials where coverage is not what the test is about; they are enough for a verdict on it."""
USUAL = None
"""The default number of trials."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "models.py").write_text(MODELS)
    (folder / "methods.py").write_text(METHODS)
    return folder


def checked(folder: Path, method: str, model: str = "draw", **options):
    given = {"estimand": 3, "factors": {"n": [5]}, "trials": FEW, **options}
    method = f"{folder / 'methods.py'}:{method}"
    return check(method, model=f"{folder / 'models.py'}:{model}", **given)


def failed(report) -> dict[str, str]:
    return {each.check: each.message for each in report.of_verdict("fail")}


# The planted faults.


def test_the_sound_t_interval_passes_in_every_scenario(folder):
    factors = {"n": [5, 20], "spread": [2], "mean": [0.5]}
    report = checked(folder, "t", estimand="mean", factors=factors, trials=USUAL)
    assert (report.verdict, report.exit_code) == ("pass", 0), str(report)
    assert report.headline.endswith("methods.py:t (on " + report.model + "): PASS nominal")
    assert report.behaviour["trials"].to_list() == [4000, 4000]
    assert report.behaviour["coverage"].is_between(0.935, 0.965).all()
    assert {each.verdict for each in report.findings} == {"pass"}


@pytest.mark.parametrize(
    ("method", "name", "words"),
    [
        ("variance_with_n", "coverage", "at least 0.95 is required"),
        ("z_for_t", "coverage", "at least 0.95 is required"),
        ("se_for_its_square", "coverage", "0.9"),
        (
            "sides_exchanged",
            "answers",
            "no answer in 1,200 of 1,200 trials, first in trial 1: expec",
        ),
        ("sorts_its_data", "leaves the data as they are", "first in trial 1"),
        ("of_globals", "ignores the global random state", "lower "),
        ("sets_errors", "leaves NumPy and warnings as they are", "numerical errors, first in"),
        ("of_entropy", "repeats its answers", "asked twice"),
        ("of_first_data", "keeps order of trials", "asked without the trials before"),
        ("rarely_fails", "answers", "raised ValueError: a large number"),
        ("much_too_wide", "coverage", "wider than needed, at most 0.965 is allowed"),
    ],
)
def test_a_planted_fault_is_found_and_named(folder, method, name, words):
    report = checked(folder, method, trials=USUAL if name == "coverage" else FEW)
    assert report.exit_code == 3
    assert list(failed(report)) == [name]
    assert words in failed(report)[name]
    assert failed(report)[name].startswith("at n = 5, alpha = 0.05: ")


def test_functions_of_the_session_are_checked_as_those_of_files(folder):
    models, methods = (runpy.run_path(str(folder / f"{each}.py")) for each in ("models", "methods"))
    given = {"factors": {"n": [5]}, "trials": FEW}
    report = check(methods["z_for_t"], model=models["draw"], estimand=models["true_mean"], **given)
    of_files = checked(folder, "z_for_t", estimand=f"{folder / 'models.py'}:true_mean")
    assert report.behaviour.equals(of_files.behaviour)
    assert report.about == "A method on the model draw, whose true value is true_mean."


def test_a_method_that_draws_from_its_own_stream_passes(folder):
    assert checked(folder, "of_its_stream").passed


def test_a_variance_instead_of_a_standard_error_is_remarked_on(folder):
    factors = {"n": [20], "spread": [1]}
    report = checked(folder, "variance_as_se", factors=factors)
    assert report.passed
    (remark,) = report.of_verdict("remark")
    assert remark.check == "standard error"
    assert remark.message.endswith("it is near the square of that")


# What is no fault of the method, or of none.


def test_an_interval_may_be_a_little_wider_or_as_wide_as_it_likes_by_contract(folder):
    (remark,) = checked(folder, "wide", trials=8000).of_verdict("remark")
    assert remark.check == "coverage"
    assert checked(folder, "much_too_wide", contract="at-least").passed


def test_the_model_is_to_blame_for_its_own_draws(folder):
    found = failed(checked(folder, "t", "of_globals", trials=FEW))
    assert list(found) == ["the model: ignores the global random state"]


@pytest.mark.parametrize(
    ("method", "model", "options", "name"),
    [
        ("t", "broken", {}, "the model: answers"),
        ("estimates", "draw", {}, "coverage"),
        ("t", "draw", {"trials": 100}, "coverage"),
        ("t", "draw", {"timeout": 1e-6}, "finishes in time"),
    ],
)
def test_a_check_that_cannot_conclude_ends_with_4(folder, method, model, options, name):
    report = checked(folder, method, model, **options)
    assert report.exit_code == 4, str(report)
    assert [each.check for each in report.of_verdict("inconclusive")] == [name]


# Baselines.


def test_a_baseline_names_the_first_trial_with_another_answer(folder, tmp_path):
    baseline = tmp_path / "baseline"
    stored = checked(folder, "t", update=baseline)
    assert stored.stored.endswith("the answers of 1 scenarios written")
    same = checked(folder, "t", against=baseline, update=baseline)
    assert same.stored.endswith("nothing changed")
    assert same.passed
    assert sum(each.kind == "against" for each in same.findings) == 2
    other = checked(folder, "t", against=baseline, factors={"n": [20]})
    assert [each.check for each in other.of_verdict("inconclusive")] == [
        "against its baseline: answers"
    ]
    changed = tmp_path / "methods.py"
    changed.write_text(METHODS.replace("mean - quantile * se", "mean - 1.0001 * quantile * se"))
    (tmp_path / "models.py").write_text(MODELS)
    report = checked(tmp_path, "t", against=baseline, seed=4)
    assert list(failed(report)) == ["against its baseline: answers"]
    message = failed(report)["against its baseline: answers"]
    assert message.startswith("at n = 5, alpha = 0.05: trial 1: lower ")
    assert " instead of " in message
    assert message.endswith("(in 20 of 20)")


def test_a_baseline_is_of_one_method_on_one_model(folder, tmp_path):
    with pytest.raises(InputError, match="holds no baseline of t on draw"):
        checked(folder, "t", against=tmp_path)
    report = checked(folder, "z_for_t", update=tmp_path / "baseline")
    assert "the check did not pass" in report.stored
    assert not (tmp_path / "baseline").exists()


# The command, and wrong input.


def test_the_command_reads_levels_as_yaml_and_writes_every_format(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    words = "check methods.py:t --model models.py:draw --estimand models.py:true_mean --trials 1200"
    files = "--html page.html --junit junit.xml --markdown report.md --format json"
    code = main([*words.split(), "--factor", "n=5", "--factor", "mean=-1,1.5", *files.split()])
    assert code == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["mean"] for row in report["behaviour"]] == [-1, 1.5]
    assert report["model"] == "models.py:draw"
    assert "A method on the model models.py:draw" in (folder / "page.html").read_text()
    assert "| 5 | " in (folder / "report.md").read_text()
    assert 'name="coverage"' in (folder / "junit.xml").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"family": "rate"}, "family is no option of a check on a model; leave it out"),
        ({"grid": "n=5"}, "grid is no option"),
        ({"same": "wilson"}, "same is no option"),
        ({"margin": 0.1}, "margin is no option"),
        ({"against": "wilson"}, "wilson holds no baseline of t on draw"),
        ({"contract": "strict"}, "contract should be one of nominal"),
        ({"estimand": None}, "estimand should be a factor, a number or file.py:function"),
        ({"estimand": "slope"}, "estimand: expected a factor"),
        ({"factors": ["n"]}, "a factor should be NAME=LEVEL,LEVEL, each name once, found 'n'"),
        ({"estimand": "models.py:nowhere"}, "should return one finite number, and returned nan"),
        ({"factors": {"size": [5]}}, "is to be called with"),
        ({"factors": {"n": [5], "alpha": [1]}}, "another name of a factor than alpha"),
        ({"trials": 0}, "trials should be"),
        ({"alphas": [2.0]}, "alphas should lie between 0 and 1"),
    ],
)
def test_wrong_options_are_refused_by_one_sentence(folder, options, words, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match=words):
        checked(folder, "t", **options)


def test_a_method_of_the_catalogue_has_no_model(folder):
    for method in ("wilson", Command("cat")):
        with pytest.raises(InputError, match=r"a method on a model should be file.py:function"):
            check(method, model=f"{folder}/models.py:draw", estimand=3)
    with pytest.raises(InputError, match=r"model should be file.py:function or package"):
        check(f"{folder}/methods.py:t", model="draw", estimand=3)
    with pytest.raises(InputError, match="give the model as well"):
        check("wilson", estimand=3)
