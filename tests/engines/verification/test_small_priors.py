"""Reference priors next to an atom at 0 are integrated as exactly as others."""

from __future__ import annotations

import pytest

import harness

SIZES = {
    "rate": {"exposure": [0.5, 4], "truth": {"gamma": [2, 0.5]}},
    "proportion": {"n": [3, 9], "truth": {"uniform": [0, 1]}},
}
METHODS = {"rate": ["score", "balanced_tail"], "proportion": ["wald", "balanced_tail"]}


@pytest.mark.parametrize("shape", [0.01, 1e-3, 1e-6, 1e-20])
@pytest.mark.parametrize("family", SIZES)
@pytest.mark.parametrize("rate", [1e-3, 1.0])
def test_both_computations_of_posterior_alphas_meet(tmp_path, family, shape, rate):
    config = {
        "name": "small",
        "figures": [],
        "family": family,
        **SIZES[family],
        "methods": METHODS[family],
        "reference": "truth",
        "reference_prior": [shape, rate],
        "engines": ["posterior", "enumeration"],
    }
    identity = harness.run(config, out=tmp_path).manifest["identity"]
    assert identity["holds"]
    assert identity["largest_discrepancy_below"] <= 1e-11


def test_an_improper_prior_of_a_large_shape_does_not_overflow(tmp_path):
    config = {
        "name": "large",
        "figures": [],
        "family": "rate",
        "exposure": 2.5,
        "methods": ["score"],
    }
    config |= {"reference": "truth", "truth": {"gamma": [2, 0.5]}, "reference_prior": [100, 0]}
    manifest = harness.run({**config, "engines": ["posterior"]}, out=tmp_path).manifest
    assert manifest["identity"]["holds"]
