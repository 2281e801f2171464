"""As many 95 % intervals miss the exact value as the manifest says should, over many seeds."""

from __future__ import annotations

import pytest
from scipy import stats

from tests.study.experiments import in_memory

# Cells of one method are close to independent, and so is the number that miss to Poisson. The
# seeds are fixed.
FALSE_ALARM = 5e-3

CONFIG = {
    "name": "many",
    "family": "proportion",
    "n": 1,
    "alpha": 0.3,
    "methods": ["minimal_length"],
    "truth": {"values": [0.1, 0.5, 0.9]},
    "engines": ["monte_carlo"],
    "execution": {"jobs": 1},
}


@pytest.mark.parametrize(
    ("runs", "change"),
    [
        (120, {"trials": {"per_truth": 500}}),
        (30, {"trials": {"per_size": 1500}}),
        (30, {"trials": {"per_size": 1500}, "truth": {"uniform": [0, 1]}, "n": [4, 9]}),
    ],
    ids=["fixed at each truth", "drawn from a list", "drawn from a range"],
)
def test_as_many_intervals_miss_as_should(runs, change):
    missing, expected = 0, 0.0
    for seed in range(runs):
        (line,) = in_memory(CONFIG, **change, seed=seed).manifest["agreement"]["methods"]
        missing += line["intervals_missing"]
        expected += line["expected_missing"]
    assert expected > 5
    few, many = stats.poisson.cdf(missing, expected), stats.poisson.sf(missing - 1, expected)
    assert 2 * min(few, many) > FALSE_ALARM, (missing, expected)
