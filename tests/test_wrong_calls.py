"""A call that is wrong is refused in one sentence: those of ``wrong_calls.yaml``."""

from pathlib import Path

import pytest
import yaml

import harness
from harness.base.errors import InputError

TABLE = yaml.safe_load(Path(__file__).with_name("wrong_calls.yaml").read_text("utf-8"))
PAIRS = ("prior", "p")
"""Arguments that are pairs of numbers, which Python writes as tuples."""
CASES = [
    pytest.param(
        *(group["function"], group["family"], group.get("method"), given, message),
        id=f"{group['function']}-{group['family']}-{group.get('method')}-{message}",
    )
    for group in TABLE
    for given, message in group["refused"]
]
COMPLEX = (
    "interval",
    "proportion",
    "minimal_length",
    {"x": 1 + 0j, "n": 10},
    "x should be a whole",
)


@pytest.mark.parametrize(
    ("function", "family", "method", "given", "message"),
    [*CASES, pytest.param(*COMPLEX, id="complex")],
)
def test_what_is_wrong_is_said_in_one_sentence(function, family, method, given, message):
    arguments = {
        name: tuple(value) if name in PAIRS and isinstance(value, list) else value
        for name, value in given.items()
    }
    names = {"family": family} if method is None else {"family": family, "method": method}
    with pytest.raises(InputError) as caught:
        getattr(harness, function)(**names, **arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
