"""Truths that the model draws, several estimands, sets and draws: what is recorded of them."""

import json
import re
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from scipy import stats

import harness
from harness.base.errors import ConfigError, InputError
from harness.callers.simulation.answers import AGAINST_TRUTH, FIELDS
from harness.callers.simulation.reading import AnswerReader
from harness.callers.simulation.requests import ONLY, StudyProgram
from harness.cli import main
from tests.sample import sampled
from tests.simulation import forms
from tests.simulation.studies import FORMS, TWO, form, value
from tests.study.experiments import stable_files

ONCE_IN_10_6 = 1e-6
"""The false-alarm rate of the tests of exact laws; their seeds are fixed."""


@pytest.fixture(scope="module", params=sampled(FORMS, one_in=3))
def made(request, tmp_path_factory):
    """A config of each form, and its results."""
    config = FORMS[request.param]
    return config, harness.run(config, out=tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("execution", [{"jobs": 2}, {"jobs": 2, "backend": "loky"}])
def test_jobs_and_backends_change_no_byte(made, execution, tmp_path):
    config, whole = made
    found = harness.run({**config, "execution": execution}, out=tmp_path)
    assert stable_files(found.path) == stable_files(whole.path)


def test_parts_change_no_byte(made, tmp_path):
    config, whole = made
    file = tmp_path / "study.yaml"
    file.write_text(json.dumps(config))
    for number in (2, 1):
        command = ["run", str(file), "--shard", f"{number}/2", "--out", str(tmp_path), "--quiet"]
        assert main(command) == 0
    assert main(["merge", str(tmp_path), "--out", str(tmp_path / "merged"), "--quiet"]) == 0
    assert stable_files(tmp_path / "merged" / "study") == stable_files(whole.path)


def test_a_run_that_goes_on_has_the_same_bytes(made, tmp_path):
    config, whole = made
    # The first run stops before the last shard, and lacks a method.
    trials = {"per_scenario": 800 if "batch" in config else 400}
    before = {**config, "trials": trials, "methods": config["methods"][:1]}
    harness.run(before, out=tmp_path)
    found = harness.run(config, out=tmp_path)
    assert stable_files(found.path) == stable_files(whole.path)


KILLED = """
import json, os, signal, sys

import harness.api
from harness.runner.journal.database import Journal
from harness.runner.workload import Progress


class Killing(Progress):
    shards = 0

    def advance(self, trials):
        self.shards += 1
        if self.shards == 2:
            os.kill(os.getpid(), signal.SIGKILL)


harness.api.Progress = Killing
Journal.is_due = True
harness.run(json.loads(sys.argv[1]), out=sys.argv[2])
"""


def test_a_run_that_was_killed_goes_on_to_the_same_bytes(made, tmp_path):
    config, whole = made
    command = [sys.executable, "-c", KILLED, json.dumps(config), str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / "study" / "summary.csv").exists()
    found = harness.run(config, out=tmp_path)
    assert 0 < found.calls["model"]["calls"] < whole.calls["model"]["calls"]
    assert stable_files(found.path) == stable_files(whole.path)


@pytest.fixture(scope="module")
def cluster():
    """The address of a Dask cluster of two processes."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as started:
        yield started.scheduler_address


# Dask leaves sockets of its processes to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_dask_changes_no_byte(made, cluster, tmp_path):
    config, whole = made
    execution = {"backend": "dask", "address": cluster, "jobs": 2}
    found = harness.run({**config, "execution": execution}, out=tmp_path)
    assert stable_files(found.path) == stable_files(whole.path)


def test_results_are_read_as_they_were_written(made):
    _, whole = made
    read = harness.load(whole.path)
    assert read.summary.equals(whole.summary)
    assert read.cells.equals(whole.cells)


def test_every_trial_has_the_truth_that_the_model_drew():
    found = harness.run(FORMS["truths"], out=None)
    assert found.manifest["truths"] == [None]
    drawn = found.cells.filter(method="narrow").sort("trial")["truth"].to_numpy()
    assert np.array_equal(drawn, found.cells.filter(method="conjugate")["truth"].to_numpy())
    assert len(set(drawn)) == 600
    statistic = stats.kstest(drawn, "norm")
    assert statistic.pvalue > ONCE_IN_10_6


def test_batches_record_the_truths_of_their_trials(tmp_path):
    found = harness.run(FORMS["truths in batches"], out=tmp_path)
    data = found.data(scenario=1, trial=237)
    row = found.cells.filter(trial=237).row(0, named=True)
    assert row["truth"] == data["truth"]
    assert row["estimate"] == pytest.approx(data["data"].sum() / 6)


# What measures are of truths that differ.


@pytest.fixture(scope="module")
def conjugate():
    """Of 20,000 trials of a posterior with n = 5, whose variance is 1/6."""
    config = form("normal_means", "conjugate", batch=1000, trials={"per_scenario": 20_000})
    return harness.run(config, out=None)


def test_a_conjugate_posterior_covers_its_own_truths_as_often_as_it_says(conjugate):
    covered = round(value(conjugate, "coverage", "conjugate") * 20_000)
    assert stats.binomtest(covered, 20_000, 0.95).pvalue > ONCE_IN_10_6


def test_errors_of_a_conjugate_posterior_have_its_variance(conjugate):
    # The errors x − θ are independent of N(0, 1/6), so that 6 m mse is chi-squared.
    mse = 6 * 20_000 * value(conjugate, "mse", "conjugate")
    assert 2 * min(stats.chi2.cdf(mse, 20_000), stats.chi2.sf(mse, 20_000)) > ONCE_IN_10_6
    spread = 6 * 19_999 * value(conjugate, "empirical_se", "conjugate") ** 2
    assert 2 * min(stats.chi2.cdf(spread, 19_999), stats.chi2.sf(spread, 19_999)) > ONCE_IN_10_6
    bias = value(conjugate, "bias", "conjugate") * np.sqrt(6 * 20_000)
    assert 2 * stats.norm.sf(abs(bias)) > ONCE_IN_10_6


def test_measures_are_those_of_errors(made):
    _, whole = made
    cells = whole.cells.filter(pl.col("truth").is_not_null(), pl.col("estimate").is_not_null())
    keys = [name for name in ("method", "estimand") if name in cells.columns]
    for key, rows in cells.group_by(keys, maintain_order=True):
        found = whole.summary.filter(**dict(zip(keys, key, strict=True)))
        measures = dict(found.select("measure", "estimate").rows())
        error = (rows["estimate"] - rows["truth"]).to_numpy()
        held = (rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])
        assert measures["bias"] == pytest.approx(error.mean())
        assert measures["empirical_se"] == pytest.approx(error.std(ddof=1))
        assert measures["coverage"] == pytest.approx(held.mean())


def test_measures_are_relative_to_a_reference_by_errors():
    found = harness.run(FORMS["truths"], out=None)
    # Both have the same estimates.
    assert value(found, "relative_precision", "narrow") == 0.0


# Several estimands.


@pytest.fixture(scope="module")
def two():
    return harness.run(FORMS["estimands"], out=None)


def test_each_estimand_has_rows_of_its_own_and_its_truth(two):
    assert list(two.summary["estimand"].unique(maintain_order=True)) == ["first", "second", "all"]
    assert two.manifest["truths"] == [{"first": None, "second": 0.5}]
    second = two.cells.filter(estimand="second")
    assert set(second["truth"]) == {0.5}
    assert len(set(two.cells.filter(estimand="first")["truth"])) == 600


def test_joint_coverage_is_that_of_all_estimands(two):
    held = two.cells.with_columns(
        held=(pl.col("lower") <= pl.col("truth")) & (pl.col("truth") <= pl.col("upper"))
    )
    both = held.group_by("trial").agg(pl.col("held").all())["held"].mean()
    joint = value(two, "joint_coverage", "both", estimand="all")
    assert joint == pytest.approx(both)
    # Both estimates are independent.
    assert stats.binomtest(round(joint * 600), 600, 0.95**2).pvalue > ONCE_IN_10_6


def test_a_failure_of_one_estimand_is_one_of_all():
    found = harness.run(form("two_means", "both_or_none", **TWO), out=None)
    (line,) = found.manifest["failures"]
    assert "second: expected lower ≤ upper, found 1 and 0" in line["first"]
    for name in ("first", "second"):
        failed = value(found, "failures", "both_or_none", estimand=name)
        assert round(600 * failed) == line["failed"]


@pytest.mark.parametrize(
    ("estimand", "written", "truths"),
    [
        ({"first": 0, "second": "second"}, {"first": 0, "second": "second"}, (0.0, 0.5)),
        (["second", "n"], ["second", "n"], (0.5, 5.0)),
    ],
)
def test_estimands_may_be_numbers_and_factors(estimand, written, truths):
    config = form("two_means", "both", **{**TWO, "estimand": estimand})
    config = {**config, "trials": {"per_scenario": 2}}
    found = harness.run(config, out=None)
    assert found.manifest["experiment"]["estimand"] == written
    assert tuple(found.manifest["truths"][0].values()) == truths


def test_trials_end_where_every_estimand_is_precise():
    rule = {"mcse": {"bias": 0.012, "joint_coverage": 0.012}, "max": 10_000}
    found = harness.run({**FORMS["estimands"], "trials": rule}, out=None)
    errors = found.summary.filter(pl.col("measure").is_in(["bias", "joint_coverage"]))["mcse"]
    assert errors.len() == 3
    assert errors.max() <= 0.012


# Sets and draws.


def test_a_set_covers_where_it_has_the_label_of_the_trial(tmp_path):
    found = harness.run(FORMS["sets"], out=tmp_path)
    for trial in (1, 17, 433):
        data = found.data(scenario=1, trial=trial)
        labels = forms.near(data["data"], 0.05)["set"]
        row = found.cells.filter(trial=trial).row(0, named=True)
        assert (row["covered"], row["set_size"]) == (data["truth"] in labels, len(labels))
    assert value(found, "coverage", "near") == found.cells["covered"].mean()
    assert value(found, "mean_set_size", "near") == pytest.approx(found.cells["set_size"].mean())


def test_draws_have_their_mean_quantiles_and_rank(tmp_path):
    found = harness.run(FORMS["draws"], out=tmp_path)
    data = found.data(scenario=1, trial=41)
    draws = forms.quantiles(data["data"], 0.05)["draws"]
    row = found.cells.filter(trial=41, method="quantiles").row(0, named=True)
    assert row["rank"] == (draws < data["truth"]).sum()
    assert row["draws"] == 99
    assert row["estimate"] == pytest.approx(draws.mean())
    assert row["se"] == pytest.approx(draws.std(ddof=1))
    # It gives limits of its own.
    assert row["upper"] == pytest.approx(data["data"].sum() / 6 + forms.Z / 6**0.5)
    thinned = found.cells.filter(method="drawing")
    assert set(thinned["draws"]) == {10}


def test_ranks_of_a_conjugate_posterior_are_uniform():
    config = form(
        "normal_means", "drawing", batch=1000, trials={"per_scenario": 21_000}, keep="replicates"
    )
    ranks = harness.run(config, out=None).cells["rank"].to_numpy()
    # Of 20 draws, 21 ranks of the same probability.
    assert stats.chisquare(np.bincount(ranks, minlength=21)).pvalue > ONCE_IN_10_6


# Functions that misbehave.


@pytest.fixture(scope="module")
def sound():
    return harness.run(FORMS["truths"], out=None)


def misbehaving(made, fault, place):
    """The results of a form with a function that does something wrong, and how often it does."""
    config, _ = made
    function = config[place] if place == "model" else config[place][-1]
    wrong = {**function, "function": f"{function['function']}_{fault}", "label": "wrong"}
    changed = wrong if place == "model" else [*config[place], wrong]
    trials = {"per_scenario": 800 if "batch" in config else 256}
    quick = {"execution": {"jobs": 1, "timeout": 0.4}, "trials": trials}
    found = harness.run({**config, **quick, place: changed}, out=None)
    return found, found.manifest["failures"]


METHOD_SAYS = {
    "raises": "raised ValueError: a large first value",
    "hangs": "gave no answer within 0.4 s",
    "reshapes": "expected ",
    "loses": "nan|not finite|expected a list of 100 sets|expected a set of labels",
}


@pytest.mark.parametrize("fault", METHOD_SAYS)
def test_a_method_of_any_form_that_misbehaves_is_named_and_changes_no_other(made, fault):
    config, whole = made
    found, (line,) = misbehaving(made, fault, "methods")
    assert line["method"] == "wrong"
    # One that hangs in the first trial is not called in those that follow.
    assert 0 < line["failed"] < line["trials"] + (fault == "hangs")
    assert re.search(METHOD_SAYS[fault], line["first"])
    for method in config["methods"]:
        kept = found.cells.filter(method=method["function"])
        same = whole.cells.filter(pl.col("trial") <= line["trials"], method=method["function"])
        assert kept.equals(same)


MODEL_SAYS = {
    "raises": "model raised ValueError: a large first value",
    "hangs": "model gave no answer within 0.4 s",
    "reshapes_truths": "model drew .*, expected ",
    "loses_truths": "model drew .*(is not finite|, expected )",
}


@pytest.mark.parametrize("fault", MODEL_SAYS)
def test_a_model_of_any_form_that_misbehaves_leaves_its_trials_without_answers(made, fault):
    config, whole = made
    found, lines = misbehaving(made, fault, "model")
    assert {line["method"] for line in lines} == {each["function"] for each in config["methods"]}
    assert all(re.match(MODEL_SAYS[fault], line["first"]) for line in lines)
    kept = found.cells.filter(pl.col("answered"))
    assert (fault != "hangs") <= kept.height < found.cells.height
    keys = [name for name in ("method", "estimand", "trial") if name in kept.columns]
    assert kept.join(whole.cells, kept.columns, "semi", nulls_equal=True).height == kept.height
    assert kept.select(keys).is_unique().all()


@pytest.mark.parametrize("name", ["raising", "leaving"])
def test_a_method_that_fails_changes_no_truth_and_no_other_method(name, sound):
    found = harness.run(form("normal_mean", "conjugate", name), out=None)
    (line,) = found.manifest["failures"]
    assert line["method"] == name
    kept = [each.cells.filter(method="conjugate") for each in (found, sound)]
    assert kept[0].equals(kept[1])
    assert found.cells.filter(method=name)["truth"].equals(kept[0]["truth"])


def test_a_truth_that_is_not_finite_leaves_the_trial_without_answers():
    found = harness.run(form("mean_or_nan", "conjugate"), out=None)
    (line,) = found.manifest["failures"]
    assert "model drew the truth that is not finite" in line["first"]
    rows = found.cells.filter(~pl.col("answered"))
    assert rows.height == line["failed"] == rows["truth"].null_count()
    known = found.cells["truth"].drop_nulls()
    assert known.max() <= 1
    assert value(found, "bias", "conjugate", "trials") == known.len()


@pytest.mark.parametrize(
    ("estimand", "message"),
    [
        ("mean", "as estimand mean is no factor, and returned the truth"),
        (["second", "n", "third"], "and returned the truths first"),
    ],
)
def test_a_model_without_the_truth_is_refused(estimand, message):
    model = "normal_mean" if estimand == "mean" else "two_means"
    factors = {"n": [5]} if estimand == "mean" else TWO["factors"]
    config = form(model, "conjugate", estimand=estimand, factors=factors)
    with pytest.raises(InputError, match=message):
        harness.run(config, out=None)


def test_data_and_truth_are_data_where_the_estimand_is_fixed():
    config = form("normal_mean", "conjugate", estimand=0)
    found = harness.run(config, out=None)
    assert "'dict' object has no attribute 'shape'" in found.manifest["failures"][0]["first"]


# What is read of answers.


def reader(batch=0, drawn=True, estimands=(ONLY,)):
    pairs = tuple((name, name) for name in estimands) if drawn else ()
    place = None
    return AnswerReader(StudyProgram(place, (), (), 0.1, batch, 1.0, estimands, pairs))


def read(answer, truth=0.0, ties=0.0, **keys):
    """The numbers of an answer by name, without those that are not given."""
    given = reader(**keys)
    truths = dict.fromkeys(given.program.estimands, truth)
    table = given.read(
        answer, 1, truths, lambda: np.full((len(truths), keys.get("batch", 1)), ties)
    )
    return {name: x for name, x in zip(given.names, table, strict=True) if x == x}


def test_numbers_of_an_estimand_are_fields_and_those_against_the_truth():
    assert reader(drawn=False).names == FIELDS
    assert reader().names == (*FIELDS, *AGAINST_TRUTH, "truth")
    assert reader(drawn=False, estimands=("a", "b")).names[5:7] == ("a.df", "b.estimate")


@pytest.mark.parametrize(("tie", "rank"), [(0.0, 1), (0.34, 2), (0.67, 3), (0.999, 3)])
def test_a_truth_that_is_equal_to_draws_is_placed_among_them(tie, rank):
    assert read({"draws": [-1, 0.5, 0.5, 2]}, 0.5, tie)["rank"] == rank


@pytest.mark.parametrize(
    ("answer", "truth", "covered", "size"),
    [
        ({"set": ["a", "b", "b"]}, "a", 1, 2),
        ({"set": {1, 2}}, 2.0, 1, 2),
        ({"set": np.array([1, 3])}, 2.0, 0, 2),
        ({"set": []}, "a", 0, 0),
    ],
)
def test_a_set_is_read(answer, truth, covered, size):
    assert read(answer, truth) == {"covered": covered, "set_size": size}


@pytest.mark.parametrize(
    ("answer", "keys", "message"),
    [
        ({"set": "ab"}, {}, "expected a set of labels, found 'ab'"),
        ({"set": [[1]]}, {}, r"expected a set of labels, found \[\[1\]\]"),
        ({"set": [1], "se": 2}, {}, "expected a set alone, found se beside it"),
        ({"set": [1], "converged": False}, {}, "converged is false"),
        ({"set": [1]}, {"drawn": False, "truth": None}, "a set needs a truth that the model draws"),
        ({"set": [[1], [2]]}, {"batch": 3}, "expected a list of 3 sets"),
        ({"draws": [1.0]}, {}, "expected 2 draws or more, found 1"),
        ({"draws": [[1.0, 2.0]]}, {}, "expected an array of draws of one axis"),
        ({"draws": ["a", "b"]}, {}, "expected an array of draws of one axis"),
        ({"draws": [1.0, np.nan]}, {}, "draws has numbers that are not finite"),
        ({"draws": [1.0, 2.0], "x": 1}, {}, "found the key 'x'"),
        ({"draws": np.ones((2, 5))}, {"batch": 3}, r"of shape \(3, draws\)"),
        ((1.0, 2.0), {"estimands": ("a", "b")}, r"expected {'estimates': …} with a, b, found \(1"),
        ({"estimates": {"a": (1.0, 2.0)}}, {"estimands": ("a", "b")}, "with a, b, found a"),
        ({"estimates": {"a": (1.0, 2.0)}}, {}, "found the key 'estimates'"),
    ],
)
def test_what_is_no_answer_is_said(answer, keys, message):
    with pytest.raises(ValueError, match=message):
        read(answer, **keys)


def test_a_batch_of_several_estimands_has_its_failures_by_trial():
    given = reader(3, drawn=False, estimands=("a", "b"))
    answer = {
        "estimates": {
            "a": {"estimate": np.array([1.0, 2.0, np.nan])},
            "b": (np.array([1.0, 3.0, 1.0]), np.full(3, 2.0)),
        }
    }
    numbers, answered, first = given.read(answer, 1, {}, lambda: np.zeros(0))
    assert answered.tolist() == [True, False, False]
    assert first == (1, "b: lower is above upper")
    assert np.isnan(numbers[:, 1:]).all()
    _, answered, first = given.read(
        {**answer, "converged": np.array([False, True, True])}, 1, {}, lambda: np.zeros(0)
    )
    assert (answered.any(), first) == (False, (0, "converged is false"))


def test_an_unknown_estimand_of_a_figure_is_refused():
    figures = [{"kind": "lollipop", "estimand": "third"}]
    with pytest.raises(ConfigError, match=r"expected one of several estimands \(first, second\)"):
        harness.run({**FORMS["estimands"], "figures": figures}, out=None)
