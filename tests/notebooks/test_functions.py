"""Functions of a Python session in the place of paths: a run, its files, and what fails."""

import threading

import numpy as np
import pytest

import harness
from harness.base.errors import ConfigError, InputError

CONFIG = {
    "name": "own",
    "family": "proportion",
    "n": [10],
    "truth": {"grid": {"start": 0.1, "stop": 0.9, "count": 5}},
    "engines": ["enumeration"],
    "figures": [],
}


def plus(k):
    """An interval that adds k to both counts: a closure, as a cell may make it."""

    def agresti(x, n, alpha):
        p = (x + k) / (n + 2 * k)
        half = 1.96 * np.sqrt(p * (1 - p) / (n + 2 * k))
        return np.maximum(p - half, 0.0), np.minimum(p + half, 1.0)

    return agresti


def exact(results, label):
    return results.summary.filter(method=label)["coverage"].to_list()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with a closure under its name, one under a label, and a method of the catalogue."""
    methods = [plus(2), {"function": plus(0), "label": "none added"}, "wald"]
    folder = tmp_path_factory.mktemp("own")
    return harness.run({**CONFIG, "methods": methods}, out=folder)


def test_a_function_is_a_method_by_its_name(run):
    cells = run.cells.filter(method="agresti")
    alone = harness.coverage("proportion", plus(2), n=10, p=cells["truth"].to_numpy())
    missed = alone.miss_below + alone.miss_above
    np.testing.assert_allclose(cells["actual_alpha"], missed, rtol=1e-12)


def test_closures_of_one_text_keep_what_they_enclose(run):
    assert exact(run, "agresti") != exact(run, "none added")
    # 1.96 in place of the quantile moves no limit across a truth here.
    assert exact(run, "none added") == exact(run, "wald")


def test_the_stored_config_has_the_text_of_a_function(run):
    first = run.manifest["experiment"]["methods"][0]
    assert first["function"] == "agresti"
    assert first["source"].startswith("def agresti(x, n, alpha):\n    p = (x + k)")


def test_a_function_without_a_text_is_recorded_by_a_digest():
    scope = {}
    exec("def made(x, n, alpha):\n    return 0.0 * x, 0.0 * x + 1.0", scope)
    results = harness.run({**CONFIG, "methods": [scope["made"]]}, out=None)
    assert results.manifest["experiment"]["methods"][0]["source"].startswith("sha256 of the pickle")


def test_stored_results_are_plotted_without_the_function(run):
    figure = harness.load(run.path).plot("coverage_curve", methods=["none added"])
    assert figure.axes


def test_the_same_functions_go_on_in_the_same_folder(run):
    methods = [plus(2), {"function": plus(0), "label": "none added"}, "wald"]
    again = harness.run({**CONFIG, "methods": methods}, out=run.path.parent)
    assert again.summary.equals(run.summary)


def test_a_config_of_a_function_is_not_run_from_its_file(run):
    with pytest.raises(InputError, match=r"^agresti: .*give the function to harness\.run again$"):
        harness.run(run.path / "config.yaml", out=None)


def test_a_function_that_cannot_be_pickled_is_one_sentence():
    lock = threading.Lock()

    def locked(x, n, alpha):
        with lock:
            return x / n, x / n

    with pytest.raises(ConfigError, match=r"methods\[0\]: locked cannot be sent to the process"):
        harness.run({**CONFIG, "methods": [locked]}, out=None)


def test_a_simulation_takes_functions_as_model_estimand_and_methods(tmp_path):
    def model(rng, n):
        return rng.normal(size=n)

    def mean(data, alpha):
        half = 1.96 / np.sqrt(data.size)
        middle = data.mean()
        return {"estimate": middle, "lower": middle - half, "upper": middle + half}

    study = {
        "kind": "simulation",
        "name": "means",
        "model": model,
        "factors": {"n": [5]},
        "estimand": lambda n: 0.0,
        "methods": [mean, {"function": mean, "label": "twice"}],
        "trials": {"per_scenario": 200},
        "seed": 1,
    }
    results = harness.run(study, out=tmp_path)
    coverage = results.summary.filter(measure="coverage")["estimate"].to_list()
    # Of 200 trials at 95 %, a coverage outside of [0.88, 1] has a probability below 1e-4.
    assert coverage[0] == coverage[1] >= 0.88
    with pytest.raises(InputError, match="model is a function of the Python session"):
        harness.load(results.path).data(1, 1)
