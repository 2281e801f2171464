"""Whatever a function of a study does, the run ends, names it, and keeps the other numbers."""

import json
import shutil

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import ConfigError, InputError, MethodError
from harness.callers.simulation.answers import read_answer, read_answers
from harness.callers.simulation.process import EndedError, TrialProcess
from harness.callers.simulation.requests import IDLE
from harness.cli import main
from harness.kinds.simulation.trials import SHARD
from tests.simulation.studies import MODELS, function, study, value

R = pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs Rscript")
FIRST_LARGE = "first in trial "


@pytest.fixture(scope="module")
def sound():
    return harness.run(study("z"), out=None)


@pytest.fixture(scope="module")
def first_large():
    """The first trial whose first value is above 2."""
    found = harness.run(study("raising"), out=None)
    return found.manifest["failures"][0]["first_trial"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("raising", "raised ValueError: a large first value"),
        ("hanging", "gave no answer within 0.5 s"),
        ("leaving", "ended its process with exit code 7"),
        ("nan", "lower is nan"),
        ("text", "expected a number as lower, found 'low'"),
        ("four", "found 4 values"),
        ("reversed_limits", "expected lower ≤ upper, found 1 and 0"),
        ("unconverged", "converged is false"),
        ("negative_se", "se is below 0, found -0.1"),
    ],
)
def test_a_method_that_fails_is_named_and_changes_no_other(name, why, sound, first_large):
    trials = {"per_scenario": 256} if name == "hanging" else {"per_scenario": 600}
    config = study("z", name, trials=trials, execution={"jobs": 2, "timeout": 0.5})
    found = harness.run(config, out=None)
    (line,) = found.manifest["failures"]
    assert (line["method"], line["scenario"]) == (name, 1)
    assert why in line["first"]
    every = ("text", "four", "reversed_limits", "unconverged", "negative_se")
    assert line["first_trial"] == (1 if name in every else first_large)
    if trials["per_scenario"] == 600:
        assert found.summary.filter(method="z").equals(sound.summary)
    share = value(found, "failures", name)
    assert share == line["failed"] / line["trials"]
    if share < 1:
        parts = ("coverage", "miss_below", "miss_above", "failures")
        assert abs(sum(value(found, part, name) for part in parts) - 1) < 1e-12
        answered = value(found, "coverage_answered", name)
        assert abs(answered * (1 - share) - value(found, "coverage", name)) < 1e-12


def test_a_function_that_always_hangs_costs_one_timeout_a_shard(monkeypatch):
    ended, answer = [], TrialProcess.trials

    def counted(process, asked):
        try:
            return answer(process, asked)
        except EndedError:
            ended.append(asked.first)
            raise

    monkeypatch.setattr(TrialProcess, "trials", counted)
    config = study("z", "always_hanging", execution={"jobs": 1, "timeout": 0.3})
    found = harness.run({**config, "trials": {"per_scenario": 2 * SHARD}}, out=None)
    (line,) = found.manifest["failures"]
    assert line["failed"] == 2 * SHARD
    assert line["first"] == "gave no answer within 0.3 s (and was not called in trials 2 to 256)"
    assert ended == [1, 1 + SHARD]


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("model_that_fails", "model raised RuntimeError: no data"),
        ("model_that_leaves", "model ended its process with exit code 5"),
    ],
)
def test_a_model_that_fails_leaves_the_trial_without_answers(model, why, first_large):
    found = harness.run(study("t", "z", model=model), out=None)
    for line in found.manifest["failures"]:
        assert line["first_trial"] == first_large
        assert line["first"].startswith(why)
    assert len(found.manifest["failures"]) == 2


def test_a_method_that_changes_its_data_is_named_and_changes_no_other(sound):
    found = harness.run(study("changing", "z"), out=None)
    (line,) = found.manifest["changed"]
    assert (line["method"], line["first_trial"]) == ("changing", 1)
    for measure in ("coverage", "bias", "mean_length"):
        assert value(found, measure, "z") == value(sound, measure, "z")


def test_a_method_that_catches_what_a_write_raises_may_write(sound):
    found = harness.run(study("falling_back", "z"), out=None)
    assert value(found, "mean_length", "falling_back") == 2.0
    assert found.manifest["changed"][0]["method"] == "falling_back"
    assert value(found, "coverage", "z") == value(sound, "coverage", "z")


def test_arrays_are_locked_after_a_first_call_that_has_not_changed_them():
    found = harness.run(study("telling_locks", keep="replicates"), out=None)
    opened = found.cells.filter(lower=1.0)["trial"].to_list()
    assert opened == [1, 1 + SHARD, 1 + 2 * SHARD]


def test_a_method_that_changes_some_data_is_named_and_answers_as_with_a_copy(sound, first_large):
    found = harness.run(study("clipping", "clipping_a_copy", "z"), out=None)
    (line,) = found.manifest["changed"]
    assert (line["method"], line["first_trial"]) == ("clipping", first_large)
    assert found.manifest["failures"] == []
    for measure in ("coverage", "bias", "mean_length"):
        assert value(found, measure, "z") == value(sound, measure, "z")
        copied = value(found, measure, "clipping_a_copy")
        assert value(found, measure, "clipping") == copied


def test_a_method_whose_library_takes_no_locked_array_answers():
    found = harness.run(study("needing_writable", "t"), out=None)
    assert found.manifest["failures"] == found.manifest["changed"] == []
    assert value(found, "bias", "needing_writable") == value(found, "bias", "t")


def test_a_method_that_prints_much_is_no_failure(capfd):
    found = harness.run(study("printing"), out=None)
    assert found.manifest["failures"] == []
    assert len(capfd.readouterr().err) >= 10_000_000


def test_a_run_with_failures_ends_with_3_and_says_how_to_draw_the_trial(tmp_path, capsys):
    config = tmp_path / "study.yaml"
    config.write_text(json.dumps(study("raising", "t")))
    assert main(["run", str(config), "--out", str(tmp_path)]) == 3
    printed = capsys.readouterr()
    assert "raising: no answer in" in printed.err
    assert "replay" in printed.out


def test_a_process_that_ends_between_two_calls_is_an_error_and_no_endless_run(monkeypatch):
    """As one that is killed for want of memory while it sends its answers."""

    def ended(*_, **__):
        raise EndedError(IDLE, 0, "ended its process with exit code -9")

    monkeypatch.setattr(TrialProcess, "trials", ended)
    with pytest.raises(MethodError, match="scenario 1, trials 1 to 256: the process"):
        harness.run(study("t"), out=None)


# One trial again.


def test_replay_shows_the_answers_of_the_run(tmp_path, capsys):
    found = harness.run(study("t", "raising", keep="replicates"), out=tmp_path)
    assert main(["replay", str(found.path), "--scenario", "1", "--trial", "41"]) == 0
    printed = capsys.readouterr().out
    row = found.cells.filter(pl.col("trial") == 41, method="t")
    assert f"estimate: {row['estimate'][0]:.4f}" in printed


def test_replay_shows_the_exception_with_the_lines_of_the_function(tmp_path, capsys):
    found = harness.run(study("raising"), out=tmp_path)
    trial = found.manifest["failures"][0]["first_trial"]
    assert main(["replay", str(found.path), "--scenario", "1", "--trial", str(trial)]) == 3
    printed = capsys.readouterr().out
    assert 'raise ValueError("a large first value")' in printed
    assert "models.py" in printed


def test_replay_says_where_a_file_has_changed(tmp_path, capsys):
    file = tmp_path / "mine.py"
    shutil.copy(MODELS, file)
    config = study("z")
    config["methods"] = [{"path": str(file), "function": "t", "label": "mine"}]
    found = harness.run(config, out=tmp_path)
    file.write_text(file.read_text() + "\n# more\n")
    assert main(["replay", str(found.path), "--scenario", "1", "--trial", "1"]) == 0
    assert "the file of methods mine has changed since the run" in capsys.readouterr().err


@pytest.mark.parametrize("batch", [None, 100])
def test_the_data_of_a_trial_are_those_of_the_run(batch, tmp_path):
    model = "normal" if batch is None else "normals"
    keys = {} if batch is None else {"batch": batch}
    found = harness.run(study("t", model=model, keep="replicates", **keys), out=tmp_path)
    data = harness.load(found.path).data(scenario=1, trial=241)
    row = found.cells.filter(pl.col("trial") == 241)
    assert np.isclose(data.mean(), row["estimate"][0], rtol=1e-14)


@pytest.mark.parametrize(("scenario", "trial"), [(2, 1), (0, 1), (1, 0)])
def test_a_trial_that_there_is_not_is_refused(scenario, trial, tmp_path):
    found = harness.run(study("t"), out=tmp_path)
    with pytest.raises(InputError, match="should be"):
        harness.load(found.path).data(scenario=scenario, trial=trial)


# What an answer may be.


@pytest.mark.parametrize(
    ("found", "numbers"),
    [
        ((1.0, 2.0), [None, None, 1, 2, None, None]),
        ([1, 2, np.float32(3)], [1, None, 2, 3, None, None]),
        (np.array([1.0, 2.0]), [None, None, 1, 2, None, None]),
        ({"estimate": np.array(1.5), "se": 2, "df": None}, [1.5, 2, None, None, None, None]),
        ((-np.inf, 2.0), [None, None, -np.inf, 2, None, None]),
        ({"p_value": 0.5, "converged": True}, [None, None, None, None, 0.5, None]),
    ],
)
def test_an_answer_is_read(found, numbers):
    expected = [np.nan if each is None else each for each in numbers]
    assert np.array_equal(read_answer(found), expected, equal_nan=True)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "found None"),
        ("ab", "found 'ab'"),
        (3.0, "found 3.0"),
        ((1.0,), "found 1 values"),
        ({}, "found {}"),
        ({"estimat": 1}, "found the key 'estimat'; did you mean estimate"),
        ({"lower": 1.0}, "expected both lower and upper"),
        ((1.0, np.array([2.0, 3.0])), "expected a number as upper"),
        ((1.0, 2j), "expected a number as upper"),
        ((True, 2.0), "expected a number as lower"),
        ({"estimate": float("nan")}, "estimate is nan"),
    ],
)
def test_what_is_no_answer_is_said(found, message):
    with pytest.raises(ValueError, match=r"expected|found|is nan") as caught:
        read_answer(found)
    assert message in str(caught.value)


def test_a_batch_of_answers_has_its_failures_by_trial():
    found = {"lower": np.array([0.0, np.nan, 2.0]), "upper": np.array([1.0, 1.0, 1.0])}
    numbers, answered, first = read_answers(found, 3)
    assert answered.tolist() == [True, False, False]
    assert first == (1, "lower is nan")
    assert np.isnan(numbers[:, 1:]).all()


def test_a_batch_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"expected lower of shape \(3,\), found shape \(2,\)"):
        read_answers((np.zeros(2), np.ones(2)), 3)


# Configs and functions that are wrong.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"factors": {"estimate": [1]}}, "a column of the tables"),
        ({"factors": {"rng": [1]}}, "which has a meaning"),
        ({"factors": {"a b": [1]}}, "names of Python"),
        ({"factors": [{"n": 5}, {"m": 5}]}, "expected the factors n in row 2, found m"),
        ({"factors": {"n": [5, 5]}}, "expected each scenario once"),
        ({"estimand": ["a", "a"]}, "expected each estimand once, found a in 0 and 1"),
        ({"estimand": ["a", "all"]}, "expected another name of an estimand than all"),
        ({"estimand": {"a b": 1}}, "expected estimands with names of Python, found 'a b'"),
        ({"estimand": {"a": "x"}, "factors": {"x": ["u"]}}, "expected a factor with numbers"),
        ({"estimand": "truth", "factors": {"rank": [1]}}, "than rank, a column of the tables"),
        ({"methods": [{**function("t"), "thin": 0}]}, "expected a whole number from 1 to 10^6"),
        ({"methods": [function("t"), function("t")]}, "expected a unique label"),
        ({"reference": "zz"}, "expected the label of a method (t), found 'zz'"),
        ({"trials": {"mcse": {"biass": 1}}}, "did you mean bias"),
        ({"seed": None}, "expected a whole number"),
        ({"figures": [{"kind": "ranking"}]}, "expected a figure of a simulation"),
        ({"alpha": 1}, "expected a number above 0, from 1e-284 on, and below 1"),
        ({"model": {"path": "no.py", "function": "f"}}, "expected an existing Python file"),
    ],
)
def test_a_wrong_config_is_refused_with_a_sentence(change, message):
    with pytest.raises(ConfigError) as caught:
        harness.run({**study("t"), **change}, out=None)
    assert message in str(caught.value)


def test_a_model_that_takes_other_factors_is_refused():
    with pytest.raises(InputError, match="is to be called with"):
        harness.run(study("t", factors={"n": [5], "m": [1]}), out=None)


def test_a_method_that_takes_other_arguments_is_refused():
    with pytest.raises(InputError, match=r"without_alpha.* is to be called with \(data, alpha\)"):
        harness.run(study("without_alpha"), out=None)


def test_an_estimand_that_is_no_finite_number_is_refused():
    config = study("t", estimand=function("nan_for_truth"))
    with pytest.raises(InputError, match="should return one finite number, and returned nan"):
        harness.run(config, out=None)


def test_figures_of_trials_need_replicates():
    config = study("t", figures=[{"kind": "zip_plot"}])
    with pytest.raises(ConfigError, match="expected keep: replicates with zip_plot"):
        harness.run(config, out=None)


def test_a_function_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="has no function 'absent'"):
        harness.run(study("absent"), out=None)


# Functions of R.

SOURCE = """
draw <- function(n) rnorm(n)
t_interval <- function(data, alpha) {
  found <- t.test(data, conf.level = 1 - alpha)
  list(estimate = found$estimate[[1]], lower = found$conf.int[1], upper = found$conf.int[2])
}
failing <- function(data, alpha) stop("no interval")
printing <- function(data, alpha) { print(data); cat("done\\n"); quantile(data, c(0.1, 0.9)) }
ending <- function(data, alpha) if (data[1] > 1) quit("no", 3) else c(-1, 1)
"""


@R
def test_a_model_of_r_and_methods_of_r(tmp_path):
    (tmp_path / "study.R").write_text(SOURCE)
    place = str(tmp_path / "study.R")
    config = study("t", trials={"per_scenario": 300})
    config["model"] = {"r": place, "function": "draw"}
    config["methods"] = [{"r": place, "function": name} for name in ("t_interval", "failing")]
    found = harness.run(config, out=None)
    assert 0.88 < value(found, "coverage", "t_interval") < 0.99
    assert found.manifest["failures"][0]["first"] == "raised RError: no interval"


@R
def test_what_one_method_of_r_does_changes_no_answer_of_another(tmp_path):
    (tmp_path / "study.R").write_text(SOURCE)
    place = str(tmp_path / "study.R")
    config = study("t", trials={"per_scenario": 60}, keep="replicates")
    config["model"] = {"r": place, "function": "draw"}

    def answers(*names):
        config["methods"] = [{"r": place, "function": name} for name in names]
        return harness.run(config, out=None)

    alone, found = answers("t_interval"), answers("printing", "ending", "t_interval")
    assert found.cells.filter(method="t_interval").equals(alone.cells)
    assert value(found, "failures", "printing") == 0
    (line,) = found.manifest["failures"]
    assert line["method"] == "ending"
    assert line["first"].startswith("raised RError: R ended with exit code 3")


@R
def test_a_method_of_r_has_the_arrays_of_a_python_model(tmp_path):
    (tmp_path / "study.R").write_text(SOURCE)
    config = study("t", keep="replicates", trials={"per_scenario": 50})
    config["methods"].append({"r": str(tmp_path / "study.R"), "function": "t_interval"})
    found = harness.run(config, out=None).cells
    python, r = (found.filter(method=name) for name in ("t", "t_interval"))
    for column in ("estimate", "lower", "upper"):
        assert np.allclose(python[column], r[column], rtol=1e-12)
