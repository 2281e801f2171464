"""What a user's function is given for alpha follows from the name of its parameter."""

from contextlib import closing

import numpy as np
import pytest
from scipy.stats import norm

import harness
from harness.base.errors import InputError
from harness.callers.function import FunctionHere, FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.callers.source import Observed
from harness.families.catalogue import family_of

TEN = Observed(family_of("proportion"), (10.0,), (np.arange(11.0),))


def wilson(x, n, alpha):
    z = norm.isf(alpha / 2)
    center = (x + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(x * (n - x) / n + z**2 / 4)
    return np.maximum(center - half, 0), np.minimum(center + half, 1)


def with_parameter(name):
    """The Wilson interval, whose third parameter has this name and is a confidence level."""
    values = {"wilson": wilson}
    exec(f"def mine(x, n, {name}):\n    return wilson(x, n, 1 - {name})\n", values)
    return values["mine"]


def of_alpha(name):
    """The Wilson interval, whose third parameter has this name and is alpha."""
    values = {"wilson": wilson}
    exec(f"def mine(x, n, {name}=0.05):\n    return wilson(x, n, {name})\n", values)
    return values["mine"]


@pytest.mark.parametrize("name", ["confidence_level", "conf_level", "confidence"])
def test_a_confidence_level_is_given_one_minus_alpha(name):
    mine = with_parameter(name)
    expected = harness.coverage("proportion", "wilson", n=50, p=0.1)
    found = harness.coverage("proportion", mine, n=50, p=0.1)
    assert found.coverage == pytest.approx(expected.coverage, rel=1e-12)
    size = {"p": 0.9, "half_width": 0.1}
    assert (
        harness.size("proportion", mine, **size).n == harness.size("proportion", "wilson", **size).n
    )
    answers = FunctionHere("f", mine).limits(TEN, 0.1, "two-sided")
    np.testing.assert_allclose(answers.lower, wilson(np.arange(11.0), 10, 0.1)[0], atol=1e-12)


@pytest.mark.parametrize(
    "name", ["alpha", "Alpha", "a", "_", "_alpha", "alpha_total", "significance", "sig_level", "α"]
)
def test_what_is_called_alpha_is_given_alpha(name):
    answers = FunctionHere("f", of_alpha(name)).limits(TEN, 0.1, "two-sided")
    np.testing.assert_array_equal(answers.lower, wilson(np.arange(11.0), 10, 0.1)[0])


def test_a_function_without_names_is_given_alpha():
    answers = FunctionHere("f", lambda *given: wilson(*given)).limits(TEN, 0.1, "two-sided")
    np.testing.assert_array_equal(answers.lower, wilson(np.arange(11.0), 10, 0.1)[0])


@pytest.mark.parametrize("name", ["level", "percent", "method", "z"])
def test_another_parameter_is_refused_by_name(name):
    mine = with_parameter(name)
    sentence = f"mine: its parameter {name!r} is in the place of alpha"
    with pytest.raises(InputError, match=sentence):
        harness.coverage("proportion", mine, n=50, p=0.1)
    with pytest.raises(InputError, match=sentence):
        harness.size("proportion", mine, p=0.9, half_width=0.1)
    with pytest.raises(InputError, match=sentence):
        harness.check(mine)


def test_a_function_of_a_file_is_called_by_its_parameter_in_a_run(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def mine(x, n, conf_level):\n    return 0.0, conf_level\n"
        "def other(x, n, level):\n    return 0.0, level\n"
    )
    location = FunctionLocation("mine", path=str(tmp_path / "mine.py"))
    with closing(FunctionInProcess("mine", location)) as function:
        assert (function.limits(TEN, 0.25, "two-sided").upper == 0.75).all()
    config = {
        "name": "named",
        "family": "proportion",
        "n": 10,
        "methods": [{"path": str(tmp_path / "mine.py"), "function": "other"}],
        "truth": {"values": [0.5]},
        "engines": ["enumeration"],
    }
    with pytest.raises(InputError, match="its parameter 'level' is in the place of alpha"):
        harness.run(config, out=tmp_path / "results")


def test_a_check_names_a_level_taken_for_alpha():
    def mine(*given):
        return wilson(given[0], given[1], 1 - given[2])

    report = harness.check(mine, sizes=[10])
    messages = [
        finding.message for finding in report.findings if finding.check == "is nested in alpha"
    ]
    assert "seems to take for a confidence level" in messages[0]
