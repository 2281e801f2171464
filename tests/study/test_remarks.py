"""Limits outside the range, and limits that depend on earlier questions, are remarked on."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.cli import main

CONFIG: dict[str, Any] = {
    "name": "remarked",
    "figures": [],
    "family": "proportion",
    "n": [4, 40],
    "alpha": [0.1, 0.05],
    "methods": [{"path": "mine.py", "function": "f", "label": "mine"}],
    "trials": {"per_size": 1000},
    "seed": 7,
    "execution": {"jobs": 1},
}
SOUND = """
    import numpy as np

    def f(x, n, alpha):
        spread = np.sqrt(np.log(2 / alpha) / (2 * n))
        return np.clip(x / n - spread, 0, 1), np.clip(x / n + spread, 0, 1)
"""
UNCLIPPED = SOUND.replace("np.clip(x / n - spread, 0, 1)", "x / n - spread")
FORGETS_ALPHA = """
    from functools import cache
    from math import log, sqrt

    known = {}

    def f(x, n, alpha):
        if (x, n) not in known:
            known[x, n] = sqrt(log(2 / alpha) / (2 * n))
        spread = known[x, n]
        return max(x / n - spread, 0.0), min(x / n + spread, 1.0)
"""
COUNTS = """
    calls = 0

    def f(x, n, alpha):
        global calls
        calls += 1
        return 0.0, 1.0 - 1e-6 * calls
"""
DRAWS = """
    import random

    def f(x, n, alpha):
        return 0.1 * random.random(), 1.0
"""
LOOKS_AT_THE_OTHERS = """
    import numpy as np

    def f(x, n, alpha):
        lower, upper = np.zeros(np.shape(x)), np.ones(np.shape(x))
        if np.size(x) > 20:
            upper[5] = 0.9
        return lower, upper
"""
DRAWS_OUTSIDE_ITS_STREAM = """
    import numpy as np

    def f(x, n, alpha, rng):
        return np.zeros(np.shape(x)), 1 - 0.1 * np.random.random(np.shape(x))
"""
DRAWS_FROM_ITS_STREAM = """
    import numpy as np

    def f(x, n, alpha, rng):
        return np.zeros(np.shape(x)), 1 - 0.1 * rng.random(np.shape(x))
"""
OTHER_ROUNDING = """
    import numpy as np

    def f(x, n, alpha):
        return np.zeros(np.shape(x)), 0.5 + 1e-14 * np.cumsum(np.ones(np.shape(x)))
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def run(text: str, **changes: Any) -> tuple[int, dict[str, Any]]:
        Path("mine.py").write_text(textwrap.dedent(text))
        Path("c.yaml").write_text(json.dumps({**CONFIG, **changes}))
        code = main(["run", "c.yaml"])
        return code, json.loads(Path("results/remarked/manifest.json").read_text())

    return run


def test_limits_outside_the_range_are_kept_and_remarked_on(run, capsys):
    code, manifest = run(UNCLIPPED)
    assert code == 0
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("harness: remarked: mine: limits -0.6")
    assert "at x = 0, n = 4, alpha = 0.1, where the range is 0 … 1" in err
    assert [(each["n"], each["alpha"]) for each in manifest["remarks"]] == [
        (4, 0.1),
        (4, 0.05),
        (40, 0.1),
        (40, 0.05),
    ]
    line = manifest["remarks"][0]
    assert (line["outcomes"], line["outcomes_asked"]) == (3, 5)
    cells = harness.load("results/remarked").cells
    assert cells["lower"].min() < -0.5


def test_a_function_that_declares_it_is_not_remarked_on(run, capsys):
    code, manifest = run(
        UNCLIPPED + "\n    f.expected_failures = {'stays in range': 'it is not clipped'}\n"
    )
    assert (code, capsys.readouterr().err) == (0, "")
    assert "remarks" not in manifest


def test_rounding_is_not_remarked_on(run, capsys):
    _, manifest = run("def f(x, n, alpha):\n    return 0 * x - 1e-10, 0 * x + 1 + 1e-10\n")
    assert "remarks" not in manifest
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("lower", "remarked"), [(-0.01, True), (-1e-7, False)])
def test_rounding_of_a_rate_is_relative_to_one_event(tmp_path, monkeypatch, lower, remarked):
    monkeypatch.chdir(tmp_path)
    text = f"def f(x, exposure, alpha):\n    return 0 * x + {lower}, (x + 4.0) / exposure\n"
    Path("mine.py").write_text(text)
    config = {key: value for key, value in CONFIG.items() if key not in ("n", "trials")}
    config |= {"family": "rate", "exposure": 1e-3, "truth": {"values": [1, 5]}}
    results = harness.run({**config, "engines": ["enumeration"]}, out="results")
    assert ("remarks" in results.manifest) == remarked


def test_no_method_of_the_catalogue_is_remarked_on(tmp_path):
    config = {**CONFIG, "n": [1, 10], "alpha": [1e-6, 0.05, 0.9], "engines": ["enumeration"]}
    del config["trials"]
    names = ["wald", "wilson", "agresti_coull", "arcsine", "logit", "clopper_pearson"]
    assert "remarks" not in harness.run({**config, "methods": names}, out=tmp_path).manifest


@pytest.mark.parametrize(
    "text",
    [FORGETS_ALPHA, COUNTS, DRAWS, LOOKS_AT_THE_OTHERS, DRAWS_OUTSIDE_ITS_STREAM],
    ids=["cache", "counter", "random", "others", "other stream"],
)
def test_limits_that_depend_on_what_was_asked_before_end_with_exit_code_3(run, capsys, text):
    code, manifest = run(text)
    assert code == 3
    captured = capsys.readouterr()
    assert "its limits depend on what was asked before" in captured.err
    assert "and in another order of the calls limits" in captured.err
    assert "Failed: mine: limits" in captured.out
    assert {line["remark"] for line in manifest["remarks"]} == {"depends on earlier questions"}


@pytest.mark.parametrize(
    "text",
    [SOUND, DRAWS_FROM_ITS_STREAM, OTHER_ROUNDING],
    ids=["sound", "its own stream", "rounding"],
)
def test_limits_that_do_not_are_not_remarked_on(run, capsys, text):
    code, manifest = run(text)
    assert (code, capsys.readouterr().err) == (0, "")
    assert "remarks" not in manifest


def test_an_outcome_without_limits_is_not_asked_for_again(run, capsys):
    code, manifest = run(
        """
        asked = set()

        def f(x, n, alpha):
            if x in (2, 3):
                raise ValueError("none")
            return 0.0, 1.0
        """
    )
    assert code == 3
    assert "remarks" not in manifest
    assert len(manifest["failures"]) == 4


def test_a_function_that_can_be_loaded_only_once_is_reported(run, capsys):
    # Its files are listed by a process of its own, which loads it before those that call it.
    code, manifest = run(
        """
        from pathlib import Path

        Path("called" if Path("listed").exists() else "listed").touch(exist_ok=False)

        def f(x, n, alpha):
            return 0.0, 1.0
        """
    )
    assert code == 3
    assert "it could be loaded only once" in manifest["remarks"][0]["first"]


def test_two_samples_and_any_number_of_jobs_have_the_same_remarks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "def f(x1, n1, x2, n2, alpha):\n    return -1.5 + 0 * x1, 1.5 + 0 * x1\n"
    )
    config = {key: value for key, value in CONFIG.items() if key != "n"}
    config |= {"family": "proportion_difference", "n1": 4, "n2": 5, "engines": ["monte_carlo"]}
    found = [
        harness.run({**config, "execution": execution}, out=f"jobs{number}").manifest["remarks"]
        for number, execution in enumerate([{"jobs": 1}, {"jobs": 2}])
    ]
    assert found[0] == found[1]
    assert found[0][0]["first"] == (
        "limits -1.5 and 1.5 at x1 = 0, n1 = 4, x2 = 0, n2 = 5, alpha = 0.1, where the range is "
        "-1 … 1"
    )
