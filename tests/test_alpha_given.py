"""Alpha as it may be given: as a confidence, and not too small for double precision."""

import numpy as np
import pytest

import harness
from harness.base.errors import InputError

COUNTS = {"x": 9, "n": 10}


def test_a_confidence_stands_for_alpha_as_on_the_command_line():
    found = harness.interval("proportion", "wilson", **COUNTS, confidence=0.95)
    expected = harness.interval("proportion", "wilson", **COUNTS, alpha=0.05)
    assert (found.alpha, found.lower, found.upper) == (0.05, expected.lower, expected.upper)
    several = harness.interval("proportion", "wilson", **COUNTS, confidence=[0.9, 0.99])
    np.testing.assert_array_equal(several.alpha, [0.1, 0.01])
    methods = harness.interval("proportion", ["wilson", "wald"], **COUNTS, confidence=0.9)
    assert [each.alpha for each in methods] == [0.1, 0.1]
    table = {"ok": [1, 1, 0]}
    of_rows = harness.interval("proportion", "wilson", rows=table, correct="ok", confidence=0.9)
    assert of_rows.upper == harness.interval("proportion", "wilson", x=2, n=3, alpha=0.1).upper


@pytest.mark.parametrize("given", [{"confidence": 95}, {"confidence": 0.9, "alpha": 0.1}])
def test_a_confidence_is_a_number_between_0_and_1_without_alpha(given):
    with pytest.raises(InputError, match=r"confidence should be a number|one of alpha and conf"):
        harness.interval("proportion", "wilson", **COUNTS, **given)


def run_of(alpha):
    config = {"name": "tiny", "family": "proportion", "n": 10, "methods": ["wilson"]}
    config |= {"truth": {"values": [0.5]}, "engines": ["enumeration"], "alpha": alpha}
    return harness.run(config)


@pytest.mark.parametrize(
    "call",
    [
        lambda alpha: harness.interval("proportion", "clopper_pearson", **COUNTS, alpha=alpha),
        lambda alpha: harness.coverage("proportion", "wilson", n=10, p=0.2, alpha=alpha),
        lambda alpha: harness.size("proportion", p=0.2, half_width=0.1, alpha=alpha),
        lambda alpha: harness.check("wilson", alphas=[alpha]),
        run_of,
    ],
)
def test_an_alpha_too_small_for_double_precision_is_refused(call):
    with pytest.raises(InputError, match=r"from 1e-284 on.*found 1(\.0)?e-290"):
        call(1e-290)


def test_the_smallest_alpha_has_exact_limits():
    found = harness.interval("proportion", "clopper_pearson", x=1, n=1, alpha=1e-284)
    # The lower limit of 1 of 1 is alpha/2 itself.
    assert found.lower == pytest.approx(5e-285, rel=1e-12)


@pytest.mark.parametrize("count", [1e3, 1000])
def test_a_whole_number_of_trials_may_be_written_with_an_exponent(tmp_path, count):
    config = {"name": "whole", "family": "proportion", "n": 10, "methods": ["wilson"], "seed": 1}
    config |= {"truth": {"values": [0.5]}, "trials": {"per_truth": count}}
    assert harness.run(config, out=tmp_path).summary["trials"][0] == 1000
