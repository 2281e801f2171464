"""Arguments of the wrong type are refused by the public functions in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

import harness
from harness.base.errors import InputError

PAIR = {"x1": 3, "n1": 10, "x2": 1, "n2": 10}
SMALL = {"sizes": [2], "alphas": [0.1]}
CALLS = {
    "family of interval": lambda odd: harness.interval(odd, "wilson", x=3, n=10),
    "method of interval": lambda odd: harness.interval("proportion", odd, x=3, n=10),
    "side of interval": lambda odd: harness.interval("proportion", "wilson", side=odd, x=3, n=10),
    "family of significance": lambda odd: harness.significance(odd, **PAIR),
    "config of run": lambda odd: harness.run(odd, out=None),
    "path of load": harness.load,
    "method of check": lambda odd: harness.check(odd, **SMALL),
    "family of check": lambda odd: harness.check("wilson", family=odd, **SMALL),
    "trials of check": lambda odd: harness.check("wilson", trials=odd, **SMALL),
    "seed of check": lambda odd: harness.check("wilson", seed=odd, **SMALL),
    "call_timeout of check": lambda odd: harness.check("wilson", call_timeout=odd, **SMALL),
}
ODD = {
    "nothing": None,
    "a number": 2.5,
    "a truth value": True,
    "a list": [1, 2],
    "bytes": b"wilson",
    "an array": np.arange(1000).reshape(250, 4),
    "a masked number": np.ma.masked,
    "a text": "no such thing",
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("odd", ODD)
def test_an_argument_of_the_wrong_type_is_refused_in_one_sentence(call, odd):
    if call == "call_timeout of check" and odd == "a number":
        pytest.skip("2.5 s is a timeout")
    if call == "method of interval" and odd == "nothing":
        pytest.skip("without a method it is the one of the family")
    with pytest.raises(InputError) as refusal:
        CALLS[call](ODD[odd])
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 1000


@pytest.mark.parametrize("option", ["config", "against", "contract", "margin"])
@pytest.mark.parametrize("odd", [odd for odd in ODD if odd != "nothing"])
def test_an_option_of_check_of_the_wrong_type_is_refused_in_one_sentence(option, odd):
    with pytest.raises(InputError) as refusal:
        harness.check("wilson", **SMALL, **{option: ODD[odd]})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("overrides", ["n=3", None, 3, [3]])
def test_overrides_that_are_no_texts_are_refused(overrides):
    with pytest.raises(InputError, match=r"^overrides should be a list of key=value, found"):
        harness.run({}, overrides=overrides, out=None)


@pytest.mark.parametrize("out", [3, b"results", ["results"]])
def test_an_output_folder_that_is_no_path_is_refused(out):
    with pytest.raises(InputError, match=r"^out should be the path of a folder, or None, found"):
        harness.run({}, out=out)


MASKED = np.ma.array([3.0, 99.0], mask=[False, True])


@pytest.mark.parametrize("masked", [MASKED, np.ma.array([3.0, 4.0]), [3.0, np.ma.masked]])
def test_masked_data_are_refused(masked):
    for call in (
        lambda: harness.interval("proportion", "wilson", x=masked, n=100),
        lambda: harness.interval("rate", "garwood", x=3, exposure=masked),
        lambda: harness.interval("proportion", "wilson", x=3, n=100, alpha=masked),
        lambda: harness.significance("proportion_difference", **{**PAIR, "x1": masked}),
        lambda: harness.significance("proportion_difference", **PAIR, delta=masked),
    ):
        with pytest.raises(InputError, match=r"should be numbers without a mask, found a masked"):
            call()


@pytest.mark.parametrize("name", ["sizes", "alphas"])
def test_masked_sizes_and_alphas_of_a_check_are_refused(name):
    with pytest.raises(InputError, match=name):
        harness.check("wilson", **{**SMALL, name: np.ma.array([2, 3], mask=[False, True])})
