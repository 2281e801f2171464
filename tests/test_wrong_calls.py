"""A call that is wrong is refused in one sentence: those of ``wrong_calls.yaml``."""

import re
from pathlib import Path

import pytest
import yaml

import harness
from harness.base.errors import InputError
from harness.callers.expected_failures import parse_expected_failure
from harness.callers.naming import named
from harness.checks.options import Tolerance
from harness.distributions.list_laws import runs_truth
from harness.distributions.sampling.laws import law_of

TABLE = yaml.safe_load(Path(__file__).with_name("wrong_calls.yaml").read_text("utf-8"))
OURS = {
    "expected_failure": parse_expected_failure,
    "law_of": law_of,
    "named": named,
    "runs_truth": runs_truth,
    "tolerance": Tolerance.of,
}
"""Functions that the package does not offer by itself."""
PAIRS = ("prior", "p")
"""Arguments that are pairs of numbers, which Python writes as tuples."""
CASES = [
    pytest.param(group, given, said, id=f"{group['function']}-{group.get('family')}-{said[0]}")
    for group in TABLE
    for given, *said in group["refused"]
]
COMPLEX = {"function": "interval", "family": "proportion", "method": "minimal_length"}


@pytest.mark.parametrize(
    ("group", "given", "said"),
    [*CASES, pytest.param(COMPLEX, {"x": 1 + 0j, "n": 10}, ["x should be a"], id="complex")],
)
def test_what_is_wrong_is_said_in_one_sentence(group, given, said):
    positional = given if isinstance(given, list) else []
    names = {key: group[key] for key in ("family", "method") if key in group}
    arguments = {
        name: tuple(value) if name in PAIRS and isinstance(value, list) else value
        for name, value in ({} if positional else given).items()
    }
    function = OURS.get(group["function"]) or getattr(harness, group["function"])
    with pytest.raises(InputError) as caught:
        function(*positional, **names, **arguments)
    assert [words for words in said if words not in str(caught.value)] == []
    assert "\n" not in str(caught.value)
    # An option stands in a command that is quoted alone.
    assert "--" not in re.sub("`[^`]*`", "", str(caught.value))
    assert caught.value.exit_code == 2
