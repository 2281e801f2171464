"""Tables and programs as methods of an experiment."""

import json
import sys

import numpy as np
import pytest

import harness
from harness.base.errors import ConfigError, InputError
from harness.cli import main
from harness.families.catalogue import family_of
from harness.kinds.load import load_experiment
from harness.methods.catalogue import find

PROGRAM = """
import sys
for line in sys.stdin:
    x, n, alpha = map(float, line.split())
    print(max(x / n - alpha, 0), min(x / n + alpha, 1))
"""
FUNCTION = """
import numpy as np
def near(x, n, alpha):
    return np.maximum(x / n - alpha, 0), np.minimum(x / n + alpha, 1)
"""
CONFIG = {"name": "t", "family": "proportion", "n": [4, 9], "alpha": [0.05, 0.1]}


@pytest.fixture
def folder(tmp_path):
    """The folder of a config, which is not the working folder."""
    (tmp_path / "near.py").write_text(PROGRAM)
    (tmp_path / "mine.py").write_text(FUNCTION)
    method = find(family_of("proportion"), "wilson")
    lines = ["x,n,alpha,lower,upper"]
    for n in CONFIG["n"]:
        for alpha in CONFIG["alpha"]:
            x = np.arange(n + 1.0)
            rows = zip(x, *method.limits((x, np.full(n + 1, n)), alpha), strict=True)
            lines += [f"{x:.0f},{n},{alpha},{low:.17g},{high:.17g}" for x, low, high in rows]
    (tmp_path / "wilson.csv").write_text(
        "\n".join(lines).replace("np.float64(", "").replace(")", "")
    )
    return tmp_path


def written(folder, *methods, **more):
    file = folder / "c.yaml"
    document = {**CONFIG, "engines": ["enumeration"], **more, "methods": list(methods)}
    file.write_text(json.dumps(document))
    return file


def command(**more):
    return {"command": f"{sys.executable} -I -S -u near.py", "label": "program", **more}


def test_a_table_and_a_program_give_what_the_same_limits_give(folder):
    table, function = {"table": "wilson.csv"}, {"path": "mine.py", "function": "near"}
    file = written(folder, table, "wilson", command(), function)
    rows = harness.run(file, out=None).summary.to_dicts()
    by_method = {}
    for row in rows:
        numbers = {name: value for name, value in row.items() if name != "method"}
        by_method.setdefault(row["method"], []).append(numbers)
    assert by_method["wilson.csv"] == by_method["wilson"]
    assert by_method["program"] == by_method["near"]
    assert by_method["wilson"] != by_method["near"]


def test_an_outcome_that_a_table_lacks_is_a_failure_of_the_run(folder):
    file = folder / "wilson.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(line for line in lines if not line.startswith("3,9,0.05")))
    results = harness.run(written(folder, {"table": "wilson.csv"}), out=None)
    assert "the table has no x = 3, n = 9, alpha = 0.05" in json.dumps(results.manifest["failures"])


def test_a_resolved_config_has_methods_as_they_are_written(folder):
    methods = [
        {"table": "wilson.csv", "side": "upper", "label": "t"},
        command(lines="json", side="lower"),
        {"r": "a::b", "arg": {"level": "1 - alpha"}, "limits": "value[1:2]", "label": "r"},
    ]
    resolved = load_experiment(written(folder, *methods)).document["methods"]
    assert resolved == [{"side": "two-sided", **method} for method in methods]


REFUSED = {
    '{"table": "none.csv"}': "expected an existing CSV file, relative to the config",
    '{"table": "mine.py"}': "expected a CSV file, ending in .csv",
    '{"command": ""}': "command should be a program with its arguments",
    '{"command": "a", "lines": "xml"}': "expected a form of lines",
    '{"r": "binom.test"}': "a function of R should be r:package::function",
}


@pytest.mark.parametrize("method", REFUSED)
def test_a_method_that_is_none_is_an_issue_of_the_config(folder, method):
    with pytest.raises(ConfigError, match=r"methods\[0\]") as caught:
        load_experiment(written(folder, json.loads(method)))
    assert REFUSED[method] in str(caught.value)


def test_a_program_that_does_not_start_ends_a_run(folder, capsys):
    file = written(folder, {"command": "no-such-program"})
    assert main(["run", str(file), "--out", str(folder / "results")]) == 2
    assert "the program 'no-such-program' cannot be started" in capsys.readouterr().err


def test_a_wrong_row_of_a_table_ends_a_run(folder):
    with (folder / "wilson.csv").open("a") as file:
        file.write("\n3,4,0.05,a,b\n")
    with pytest.raises(InputError, match=r"wilson\.csv:32: expected a number in lower, found 'a'"):
        harness.run(written(folder, {"table": "wilson.csv"}), out=None)
