"""The page on stopping rules, and the configs that it is about, have numbers that are right."""

import re
from math import comb
from pathlib import Path

import numpy as np
import pytest
import yaml

import harness

ROOT = Path(harness.__file__).parents[1]
CONFIGS = ROOT / "configs/stopping"
PAGE = (ROOT / "docs/stopping_rules.md").read_text("utf-8")
GRID = np.linspace(0.01, 0.99, 99)
"""The true values of the configs."""
LAST_DIGIT = 0.5
"""Per cent of the page are whole numbers."""


def rule_of(name):
    """The most trials of a config and its rule."""
    config = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text("utf-8"))
    return {"n": config["n"], "stopping": config["stopping"]}


@pytest.mark.parametrize(
    ("name", "method", "missed"), [("peeking", "wald", 43), ("peeking_wilson", "wilson", 20)]
)
def test_peeking_misses_as_often_as_the_page_says(name, method, missed):
    found = harness.coverage("proportion", method, p=0.5, **rule_of(name))
    assert 100 * (1 - found.coverage) == pytest.approx(missed, abs=LAST_DIGIT)
    assert re.search(rf"\b{missed} % (of the intervals )?miss", PAGE)


@pytest.mark.parametrize(("method", "average"), [("wilson", "95.2"), ("clopper_pearson", "95.9")])
def test_a_half_width_changes_the_average_coverage_little(method, average):
    found = harness.coverage("proportion", method, p=GRID, **rule_of("half_width"))
    assert f"{100 * found.coverage.mean():.1f}" == average
    assert f"{average} %" in PAGE


@pytest.mark.parametrize(
    "method", ["clopper_pearson", "wilson", "jeffreys", "stagewise", "stagewise_mid_p", "mle_order"]
)
def test_the_table_of_the_two_stage_design_has_the_exact_means(method):
    average, _, length = re.search(
        rf"^\| `{method}` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.MULTILINE
    ).groups()
    found = harness.coverage("proportion", method, p=GRID, **rule_of("simon_optimal_20_40"))
    assert f"{100 * found.coverage.mean():.1f}" == average
    assert f"{found.mean_length.mean():.3f}" == length


@pytest.mark.parametrize(("looks", "bonferroni", "mixture"), [(2, 22, 62), (4, 35, 56)])
def test_intervals_are_longer_than_wilson_by_what_the_page_says(looks, bonferroni, mixture):
    every = 100 // looks
    rule = {"first": every, "every": every, "until": {"excludes": 0.5, "of": "wilson"}}
    lengths = [
        harness.coverage("proportion", name, n=100, p=GRID, stopping=rule).mean_length.mean()
        for name in ("wilson", "bonferroni_looks", "beta_binomial_mixture")
    ]
    longer = [round(100 * (length / lengths[0] - 1)) for length in lengths[1:]]
    assert longer == [bonferroni, mixture]
    assert f"| {looks} | {bonferroni} | {mixture} |" in PAGE


def probability(k, n, p):
    return comb(n, k) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize(
    ("name", "first", "second", "rates"),
    [
        ("simon_optimal_10_30", (1, 10), (5, 29), (0.1, 0.3)),
        ("simon_minimax_10_30", (1, 15), (5, 25), (0.1, 0.3)),
        ("simon_optimal_20_40", (3, 13), (12, 43), (0.2, 0.4)),
        ("simon_minimax_20_40", (4, 18), (10, 33), (0.2, 0.4)),
    ],
)
def test_the_designs_of_simon_have_their_error_power_and_mean_size(name, first, second, rates):
    """Simon (1989), table 1: alpha at most 0.05 and power at least 0.8."""
    (r_1, n_1), (r, n) = first, second
    assert rule_of(name)["n"] == n
    assert rule_of(name)["stopping"] == {"boundaries": [{"n": n_1, "at_most": r_1}]}
    error, power = (
        sum(
            probability(x, n_1, p) * probability(y, n - n_1, p)
            for x in range(r_1 + 1, n_1 + 1)
            for y in range(max(0, r + 1 - x), n - n_1 + 1)
        )
        for p in rates
    )
    early = sum(probability(x, n_1, rates[0]) for x in range(r_1 + 1))
    mean = n_1 + (1 - early) * (n - n_1)
    assert error <= 0.05
    assert power >= 0.8
    found = harness.coverage("proportion", "wilson", p=rates[0], **rule_of(name))
    assert found.expected_trials == pytest.approx(mean)
    comment = " ".join(
        line.removeprefix("# ")
        for line in (CONFIGS / f"{name}.yaml").read_text("utf-8").splitlines()
        if line.startswith("# ")
    )
    assert f"error {error:.4f}, power {power:.4f}" in comment
    assert f"probability of {early:.3f} and treats {mean:.1f} patients" in comment
