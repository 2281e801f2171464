"""Engines agree, and an error planted in one of them is found by another and reported.

Runs without an error agree: the chance of a false alarm is that of ``agreement.LEVEL``, and the
seed is fixed.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import harness
from harness.cli import main
from harness.designs.engines import monte_carlo, posterior
from harness.designs.limits import Limits
from harness.designs.one_sample import exact as enumeration
from harness.designs.one_sample import quadrature
from harness.distributions.sampling import binomial
from tests.study.experiments import DRAWN, LISTED, changed, in_memory

PLANNED = {
    "n": [5, 12],
    "methods": ["wald", "minimal_length"],
    "alpha": 0.3,
    "figures": [],
}
BASES = {
    "drawn": changed(DRAWN, **PLANNED, trials={"per_outcome": 10_000}),
    "listed": changed(LISTED, **PLANNED, trials={"per_truth": 20_000}),
}
both = pytest.mark.parametrize("base", BASES)


@pytest.fixture
def run_base(here, capsys):
    """The exit code of a run, its manifest and what it printed."""

    def run_base(base):
        (here / "c.yaml").write_text(json.dumps(BASES[base]))
        code = main(["run", "c.yaml"])
        manifest = here / "results" / BASES[base]["name"] / "manifest.json"
        captured = capsys.readouterr()
        name = BASES[base]["name"]
        assert captured.err == (f"harness: {name}: the engines disagree\n" if code else "")
        return code, json.loads(manifest.read_text("utf-8")), " ".join(captured.out.split())

    return run_base


@both
def test_nothing_is_found_where_nothing_is_planted(run_base, base):
    code, manifest, text = run_base(base)
    assert code == 0
    assert manifest["agreement"]["agrees"]
    assert manifest["identity"]["holds"]
    assert "Monte Carlo and exact agree" in text
    assert "Posterior and enumeration agree: differences below" in text


def disagrees(found):
    code, manifest, text = found
    assert code == 1
    assert not manifest["agreement"]["agrees"]
    assert manifest["identity"]["holds"]
    assert "Monte Carlo and exact disagree" in text
    return manifest["agreement"]["methods"]


@both
def test_outcomes_drawn_with_a_slightly_wrong_truth(run_base, base, monkeypatch):
    right = binomial.draw

    def wrong(p, n, rng, count=None):
        return right(np.minimum(1.03 * np.asarray(p), 1.0), n, rng, count)

    monkeypatch.setattr(binomial, "draw", wrong)
    found = run_base(base)
    for line in disagrees(found):
        assert line["smallest_p_adjusted"] < 1e-3
    assert not found[1]["agreement"]["draws"]["agree"]
    assert "Monte Carlo and exact disagree: the outcomes drawn" in found[2]


@both
def test_limits_shifted_for_monte_carlo_alone(run_base, base, monkeypatch):
    right = monte_carlo.simulate

    def wrong(shard, limits):
        return right(shard, Limits(limits.outcomes, limits.lower + 0.01, limits.upper))

    monkeypatch.setattr(monte_carlo, "simulate", wrong)
    disagrees(run_base(base))


def test_open_intervals_where_a_truth_equals_a_limit(run_base, monkeypatch):
    """Wald's interval at x = 0 is the point 0, and 0 is a truth, which rounding makes it miss."""
    right = monte_carlo.simulate

    def wrong(shard, limits):
        hair = np.nextafter(limits.lower, 1.0), np.nextafter(limits.upper, 0.0)
        return right(shard, Limits(limits.outcomes, *hair))

    monkeypatch.setattr(monte_carlo, "simulate", wrong)
    wald, _ = disagrees(run_base("listed"))
    assert wald["smallest_p"] == 0.0


@both
def test_misses_counted_on_the_wrong_side(run_base, base, monkeypatch):
    right = monte_carlo.simulate

    def wrong(shard, limits):
        tally = right(shard, limits)
        by_x = tally.by_outcome
        swapped = replace(by_x, below=by_x.above, above=by_x.below)
        return monte_carlo.Tally(swapped, tally.by_truth)

    monkeypatch.setattr(monte_carlo, "simulate", wrong)
    disagrees(run_base(base))


def test_a_binomial_tail_wrong_by_five_per_cent(run_base, monkeypatch):
    right = enumeration.miss_probabilities

    def wrong(*args):
        below, above = right(*args)
        return below, 0.95 * above

    monkeypatch.setattr(enumeration, "miss_probabilities", wrong)
    code, manifest, _ = run_base("listed")
    assert code == 1
    assert not manifest["agreement"]["agrees"]
    # The second computation sums single probabilities.
    assert not manifest["identity"]["holds"]
    broken = {each["of"] for each in manifest["identity"]["comparisons"] if not each["holds"]}
    assert broken == {"means", "truths"}


def shifted(right):
    """Monte Carlo that looks trials up in limits two lengths too high."""

    def wrong(shard, limits):
        d = 2 * limits.length
        return right(shard, Limits(limits.outcomes, limits.lower + d, limits.upper + d))

    return wrong


def test_single_trials_of_each_outcome_are_held_together(monkeypatch):
    """At a large n an outcome has one trial at most, which proves nothing alone."""
    config = {
        "name": "sparse",
        "family": "proportion",
        "n": 10**6,
        "methods": ["wilson"],
        "trials": {"per_size": 3000},
        "engines": ["monte_carlo"],
        "seed": 5,
    }
    assert harness.run(config, out=None).manifest["agreement"]["agrees"]
    monkeypatch.setattr(monte_carlo, "simulate", shifted(monte_carlo.simulate))
    assert not harness.run(config, out=None).manifest["agreement"]["agrees"]


@pytest.mark.parametrize("base", BASES)
def test_a_fault_of_the_posterior_engine_breaks_the_identity(monkeypatch, base):
    right = posterior.integrate_under_prior

    def swapped(*args):
        exact = right(*args)
        return replace(exact, below=exact.above, above=0.5 * exact.below)

    monkeypatch.setattr(posterior, "integrate_under_prior", swapped)
    config = {**BASES[base], "name": "swapped"}
    assert not harness.run(config, out=None).manifest["identity"]["holds"]


def test_a_truth_that_rounds_to_an_end_of_the_range_is_no_disagreement():
    """Draws of Beta(0.1, 0.1) round to 1 about once in forty times; Wald has no width there."""
    config = {
        "name": "ends",
        "family": "proportion",
        "n": 10,
        "methods": ["wald"],
        "truth": {"beta": [0.1, 0.1]},
        "trials": {"per_size": 20_000},
        "seed": 1,
    }
    assert harness.run(config, out=None).manifest["agreement"]["agrees"]


@both
@pytest.mark.parametrize("side", [0, 1])
def test_an_identity_that_does_not_hold(run_base, base, side, monkeypatch):
    if base == "listed":
        right = enumeration.miss_probabilities

        def wrong(*args):
            pair = list(right(*args))
            pair[side] = pair[side] * (1 + 1e-9)
            return tuple(pair)

        monkeypatch.setattr(enumeration, "miss_probabilities", wrong)
    else:
        integrate = enumeration.integrate
        name = ("below", "above")[side]

        def wrong(*args):
            found = integrate(*args)
            shifted = {name: getattr(found.mean, name) * (1 + 1e-9)}
            return replace(found, mean=replace(found.mean, **shifted))

        monkeypatch.setattr(enumeration, "integrate", wrong)
    code, manifest, text = run_base(base)
    assert code == 1
    assert manifest["agreement"]["agrees"]
    assert not manifest["identity"]["holds"]
    assert manifest["identity"]["largest_discrepancy_below"] > manifest["identity"]["tolerance"]
    assert "The means of enumeration differ from those of a second computation" in text or (
        "The means of enumeration differ from those of the posterior" in text
    )
    assert "meet" not in text


def test_probabilities_of_the_quadrature_that_do_not_sum_to_one(run_base, monkeypatch):
    right = quadrature.consecutive_probabilities

    def wrong(*args):
        for rows, columns, probability in right(*args):
            yield rows, columns, probability * (1 + 1e-9)

    monkeypatch.setattr(quadrature, "consecutive_probabilities", wrong)
    code, manifest, text = run_base("drawn")
    assert code == 1
    broken = {each["of"] for each in manifest["identity"]["comparisons"] if not each["holds"]}
    assert broken == {"means", "weights"}
    assert "The weights of enumeration differ" in text


def test_two_engines_hold_the_same_cells_where_prior_and_truth_are_one():
    flat = changed(DRAWN, **PLANNED, truth={"uniform": [0, 1]}, trials=None, seed=None)
    cells = harness.run(flat, out=None).cells
    columns = ["miss_below", "miss_above", "length"]
    first, second = (
        cells.filter(engine=name, given="outcome").select(columns).to_numpy()
        for name in ("posterior", "enumeration")
    )
    assert len(first) == 2 * (6 + 13)
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-16)
    summary = harness.run(flat, out=None).summary
    means = [
        summary.filter(engine=name).select("miss_below", "miss_above", "mean_length").to_numpy()
        for name in ("posterior", "enumeration")
    ]
    np.testing.assert_allclose(*means, rtol=1e-13, atol=1e-16)


# Cells of one method are close to independent, and so is the number that miss to Poisson. The
# seeds are fixed.
FALSE_ALARM = 5e-3

FEW_CELLS = {
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
        (line,) = in_memory(FEW_CELLS, **change, seed=seed).manifest["agreement"]["methods"]
        missing += line["intervals_missing"]
        expected += line["expected_missing"]
    assert expected > 5
    few, many = stats.poisson.cdf(missing, expected), stats.poisson.sf(missing - 1, expected)
    assert 2 * min(few, many) > FALSE_ALARM, (missing, expected)


@pytest.mark.parametrize("prior", [[1, 1], [0.5, 0.5]])
def test_integrals_under_the_truth_that_is_the_prior_are_those_under_the_prior(prior, monkeypatch):
    changes = {"n": [2500], "methods": ["wald", "wilson"], "truth": {"beta": prior}, "figures": []}
    config = changed(DRAWN, **changes, reference_prior=prior, trials={"per_size": 100})
    once = in_memory(config)
    monkeypatch.setattr(posterior, "is_under_prior", lambda *_: False)
    twice = in_memory(config)
    assert once.cells.equals(twice.cells)
    assert once.summary.equals(twice.summary)
    assert once.manifest["identity"] == twice.manifest["identity"]
