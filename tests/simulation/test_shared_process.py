"""What a function changes for all functions of its process is named, and changes no other answer.

The random numbers are fixed by the seeds of the studies: nothing here is a matter of chance.
"""

import json
import os
from pathlib import Path

import pytest

import harness
from harness.cli import main
from tests.simulation.studies import study

CARELESS = Path(__file__).with_name("careless.py")
FEW = {"per_scenario": 300}


def careless(*methods, model="normal", **keys):
    reference = "usual" if "usual" in methods else methods[0]
    found = study(**{"trials": FEW, "reference": reference, **keys})
    path = str(CARELESS)
    found["methods"] = [{"path": path, "function": name} for name in methods]
    if model != "normal":
        found["model"] = {"path": path, "function": model}
    return found


def rows_of(results, method):
    return results.summary.filter(method=method)


@pytest.fixture(scope="module")
def sound():
    return harness.run(careless("usual", "dividing"), out=None)


def test_a_model_that_draws_from_global_generators_is_named_with_exit_3(tmp_path, capsys):
    config = tmp_path / "study.yaml"
    config.write_text(json.dumps(careless("usual", model="from_globals")))
    assert main(["run", str(config), "--out", str(tmp_path)]) == 3
    printed = " ".join(capsys.readouterr().err.split())
    assert "usual: model drew from a global generator of random numbers" in printed
    assert "the same numbers in every block of trials" in printed


def test_data_that_are_a_number_are_not_taken_as_changed():
    found = harness.run(careless("around", model="number", factors={}), out=None)
    assert found.manifest.get("changed", []) == []


def test_a_method_that_draws_from_global_generators_is_named():
    found = harness.run(careless("from_random", "usual"), out=None)
    (line,) = found.manifest["changed"]
    assert (line["method"], line["first_trial"]) == ("from_random", 1)
    assert line["first"] == "drew from a global generator of random numbers"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("setting_errors", "changed how NumPy treats numerical errors"),
        ("warning_errors", "made warnings errors"),
        ("patching", "replaced sqrt of numpy"),
        ("removing_modules", "removed sys of sys.modules"),
    ],
)
def test_what_a_method_changes_for_others_is_set_back_and_named(name, what, sound, capfd):
    found = harness.run(careless(name, "usual", "dividing"), out=None)
    (line,) = found.manifest["changed"]
    assert (line["method"], line["first"]) == (name, what)
    assert line["first_trial"] > 1
    assert not [line for line in found.manifest["failures"] if line["method"] != name]
    assert "Traceback" not in capfd.readouterr().err
    for other in ("usual", "dividing"):
        assert rows_of(found, other).equals(rows_of(sound, other))


def test_errors_that_a_file_sets_when_it_is_loaded_are_those_of_its_functions(tmp_path, sound):
    strict = tmp_path / "strict.py"
    strict.write_text(f"import numpy as np\nnp.seterr(all='raise')\n{CARELESS.read_text()}")
    config = careless("usual", "dividing")
    config["methods"].insert(0, {"path": str(strict), "function": "dividing", "label": "strict"})
    found = harness.run(config, out=None)
    (line,) = found.manifest["failures"]
    assert line["method"] == "strict"
    assert "FloatingPointError" in line["first"]
    assert rows_of(found, "dividing").equals(rows_of(sound, "dividing"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_method_that_counts_its_calls_is_named_for_any_number_of_jobs(jobs):
    config = careless("usual", "counting", execution={"jobs": jobs}, trials={"per_scenario": 1000})
    found = harness.run(config, out=None)
    (line,) = found.manifest["unrepeated"]
    assert line["method"] == "counting"
    (sentence,) = [each for each in _sentences(found) if each.startswith("counting")]
    assert "asked again" in sentence


def test_the_manifest_of_a_study_that_repeats_has_no_word_of_it(sound):
    assert "unrepeated" not in sound.manifest
    assert sound.manifest["changed"] == []


def _sentences(found):
    from harness.kinds.simulation.tables import failed_calls

    return list(failed_calls(found.manifest))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("keys", [{"methods": ("forking", "usual")}, {"model": "forking_model"}])
def test_a_function_that_forks_and_returns_is_called_once_in_a_shard(keys, sound, tmp_path):
    methods = keys.get("methods", ("usual",))
    found = harness.run(careless(*methods, model=keys.get("model", "normal")), out=None)
    (line,) = found.manifest["failures"]
    assert line["first_trial"] == 1
    assert line["failed"] == 300
    assert "made a copy of its process that returned too" in line["first"]
    if "methods" in keys:
        assert rows_of(found, "usual").equals(rows_of(sound, "usual"))
