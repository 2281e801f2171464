"""Faults planted in one engine at a time, for each family: each run sees them and ends with 1.

A fault of an exact engine is a relative change of 1e-9: in all limits of one side, in all tails of
one side, in all lengths, or in the weight of one outcome. Of listed truths it is one cell. A fault
of the draws is one of five standard errors of the run's trials.
"""

import importlib
import io
import json
import pickle
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import yaml

import harness
from harness.cli import main
from harness.designs.engines import monte_carlo, posterior
from harness.designs.engines import solver as solvers
from harness.designs.engines.solver import Solver
from harness.designs.limits import Limits
from harness.designs.one_sample import exact as one_sample
from harness.designs.one_sample import verification as one_verified
from harness.designs.two_samples import design as two_samples
from harness.designs.two_samples import verification as two_verified
from harness.families import proportion, rate

FAULT = 1.0 + 1e-9

DRAWN, OTHER_PRIOR, LISTED = yaml.safe_load(
    Path(__file__).with_name("planted_faults.yaml").read_text("utf-8")
).values()

families = pytest.mark.parametrize("family", DRAWN)


def shifted_limits(limits, side):
    lower, upper = limits.lower, limits.upper
    if side == "lower":
        return Limits(limits.outcomes, lower * FAULT, upper)
    return Limits(limits.outcomes, lower, upper * FAULT)


def one_more(weights):
    """The weights with one of the likely ones larger by the fault."""
    changed = weights.copy()
    likely = np.flatnonzero(weights >= 0.1 * weights.max())
    changed[likely[likely.size // 2]] *= FAULT
    return changed


CHANGES = {
    "tails": lambda exact: replace(exact, above=exact.above * FAULT),
    "lengths": lambda exact: replace(exact, length=exact.length * FAULT),
    "weight": lambda exact: replace(exact, weight=one_more(exact.weight)),
}


def broken(right, fault):
    """The function from limits to exact numbers with a fault of its own."""

    def wrong(*args):
        *before, limits = args
        if fault in CHANGES:
            found = right(*before, limits)
            if not hasattr(found, "mean") or callable(found.mean):
                return CHANGES[fault](found)
            mean = found.mean
            if fault == "tails":
                mean = replace(mean, above=mean.above * FAULT)
            elif fault == "lengths":
                mean = replace(mean, length=mean.length * FAULT)
            return replace(found, by_outcome=CHANGES[fault](found.by_outcome), mean=mean)
        return right(*before, shifted_limits(limits, fault))

    return wrong


ONCE = (
    (one_sample, "integrate"),
    (one_verified, "integrate"),
    (two_samples, "integrate_pairs"),
    (two_verified, "integrate_pairs"),
    (two_samples, "search_worst_case"),
    (posterior, "mass_outside"),
)
"""Functions of their arguments alone. A fault is planted around one of them, or changes its limits:
what the others return for the same arguments is computed once for all faults."""


@pytest.fixture(scope="module")
def answers():
    return {}


class ByName(pickle.Pickler):
    """Writes the modules among the arguments, which say what a sample is, by their names."""

    def reducer_override(self, each):
        if isinstance(each, ModuleType):
            return importlib.import_module, (each.__name__,)
        return NotImplemented


def as_bytes(arguments):
    written = io.BytesIO()
    ByName(written).dump(arguments)
    return written.getvalue()


def answered(answers, right):
    """The function with its answers kept by the arguments."""

    def kept(*args):
        key = right.__module__, right.__name__, as_bytes(args)
        if key not in answers:
            answers[key] = right(*args)
        return answers[key]

    return kept


@pytest.fixture
def verdict(here, capsys, monkeypatch, answers):
    """The exit code of a run, and its manifest."""
    for module, name in ONCE:
        monkeypatch.setattr(module, name, answered(answers, getattr(module, name)))

    def verdict(family, **config):
        engines = config.pop("engines", ["posterior", "enumeration"])
        content = {"name": "planted", "figures": [], "family": family, "engines": engines, **config}
        (here / "c.yaml").write_text(json.dumps(content))
        # The journal of a run without a fault would answer for the engine that has one.
        code = main(["run", "c.yaml", "--quiet", "--fresh"])
        printed = capsys.readouterr()
        manifest = json.loads((here / "results/planted/manifest.json").read_text("utf-8"))
        assert printed.err == ("harness: planted: the engines disagree\n" if code == 1 else "")
        return code, manifest

    return verdict


@families
@pytest.mark.parametrize("change", [{}, OTHER_PRIOR, LISTED], ids=["own", "other", "listed"])
def test_nothing_is_seen_where_nothing_is_planted(verdict, family, change):
    code, manifest = verdict(family, **{**DRAWN[family], **change.get(family, {})})
    assert code == 0
    assert manifest["identity"]["holds"]
    assert manifest["identity"]["largest_discrepancy_below"] <= 1e-11


def asked(fault, family, truth):
    """Whether a fault is planted: of two rates with a flat prior limits that a fault shifts take
    long, and only those of one side are."""
    return (family, truth, fault) != ("rate_difference", "other", "upper")


def every(faults, truths):
    return [
        (truth, fault, family)
        for truth in truths
        for fault in faults
        for family in DRAWN
        if asked(fault, family, truth)
    ]


@pytest.mark.parametrize(
    ("truth", "fault", "family"), every(["lower", "upper", *CHANGES], ["own", "other"])
)
def test_a_fault_of_enumeration_over_a_distribution(verdict, monkeypatch, family, fault, truth):
    if family in ("proportion", "rate"):
        monkeypatch.setattr(one_sample, "integrate", broken(one_sample.integrate, fault))
    else:
        right = two_samples.integrate_pairs
        monkeypatch.setattr(two_samples, "integrate_pairs", broken(right, fault))
    change = OTHER_PRIOR[family] if truth == "other" else {}
    code, manifest = verdict(family, **{**DRAWN[family], **change})
    assert code == 1
    assert manifest["identity"]["holds"] is False


@pytest.mark.parametrize(
    ("truth", "fault", "family"),
    every(["lower", "upper", "tails", "lengths"], ["own", "other", "listed"]),
)
def test_a_fault_of_the_posterior(verdict, monkeypatch, family, fault, truth):
    monkeypatch.setattr(posterior, "mass_outside", broken(posterior.mass_outside, fault))
    change = {"own": {}, "other": OTHER_PRIOR[family], "listed": LISTED[family]}[truth]
    assert verdict(family, **{**DRAWN[family], **change})[0] == 1


@families
@pytest.mark.parametrize("truth", ["own", "other"])
def test_a_fault_of_one_weight_of_the_posterior(verdict, monkeypatch, family, truth):
    model = rate if family.startswith("rate") else proportion
    right = model.outcome_weights
    monkeypatch.setattr(model, "outcome_weights", lambda *args: one_more(right(*args)))
    change = OTHER_PRIOR[family] if truth == "other" else {}
    assert verdict(family, **{**DRAWN[family], **change})[0] == 1


@families
@pytest.mark.parametrize(
    ("kind", "engines"),
    [
        ("truth", ["enumeration"]),
        ("truth", ["posterior", "enumeration"]),
        # Enumeration alone has no cells of outcomes at listed truths.
        ("outcome", ["posterior", "enumeration"]),
    ],
    ids=["truth, alone", "truth", "outcome"],
)
@pytest.mark.parametrize("part", ["below", "above", "length"])
def test_a_fault_of_one_cell_at_listed_truths(verdict, monkeypatch, family, kind, part, engines):
    def changed(exact):
        values = getattr(exact, part).copy()
        largest = np.unravel_index(np.argmax(values), values.shape)
        values[largest] *= FAULT
        return replace(exact, **{part: values})

    if family in ("proportion", "rate"):
        name = f"_by_{kind}"
        right = getattr(one_sample, name)
        monkeypatch.setattr(one_sample, name, lambda *args: changed(right(*args)))
    else:
        pair = solvers.misses_at_listed

        def wrong(*args):
            by_outcome, by_truth = pair(*args)
            if kind == "outcome":
                return changed(by_outcome), by_truth
            return by_outcome, changed(by_truth)

        monkeypatch.setattr(solvers, "misses_at_listed", wrong)
    assert verdict(family, **LISTED[family], engines=engines)[0] == 1


@pytest.mark.parametrize("fault", ["lower", "tails"])
@pytest.mark.parametrize(
    ("family", "size"),
    [
        ("proportion", {"n": 5000}),
        ("rate", {"exposure": 60}),
        ("proportion_difference", {"n1": 30, "n2": 40}),
        ("rate_difference", {"exposure1": 20, "exposure2": 30}),
    ],
)
def test_a_fault_of_the_posterior_where_it_stands_for_enumeration(
    verdict, monkeypatch, family, size, fault
):
    config = {**DRAWN[family], **size}
    code, _ = verdict(family, **config)
    assert code == 0
    monkeypatch.setattr(posterior, "mass_outside", broken(posterior.mass_outside, fault))
    assert verdict(family, **config)[0] == 1


# Faults of the draws. The noise of the trials themselves is taken in the direction of the fault, so
# that the observed difference is at least five standard errors.
TRIALS = {"trials": {"per_size": 40_000}, "seed": 11}
STANDARD_ERRORS = 5.0


@families
def test_a_ten_thousandth_added_to_the_worst_cases(verdict, monkeypatch, family):
    right = Solver.enumerate

    def raised(found):
        def more(cases):
            return tuple(case and replace(case, alpha=case.alpha + 1e-4) for case in cases)

        return replace(found, worst=more(found.worst), worst_anywhere=more(found.worst_anywhere))

    monkeypatch.setattr(Solver, "enumerate", lambda *args, **kw: raised(right(*args, **kw)))
    code, manifest = verdict(family, **DRAWN[family], engines=["enumeration"])
    wrong = [each for each in manifest["identity"]["comparisons"] if not each["holds"]]
    worst_cases = manifest["worst_cases"]
    assert code == (1 if worst_cases else 0)
    assert {each["of"] for each in wrong} == ({"worst cases"} if worst_cases else set())


def drawn_results(family, **config):
    content = {
        "name": "planted",
        "figures": [],
        "family": family,
        **DRAWN[family],
        **TRIALS,
        **config,
    }
    return harness.run({**content, "engines": ["monte_carlo", "enumeration"]}, out=None)


@families
def test_misses_that_are_off_by_five_standard_errors(monkeypatch, family):
    results = drawn_results(family)
    assert results.manifest["agreement"]["agrees"]
    drawn, exact = (
        results.summary.filter(engine=name).row(0, named=True)
        for name in ("monte_carlo", "enumeration")
    )
    alpha, trials = exact["actual_alpha"], drawn["trials"]
    error = np.sqrt(alpha * (1 - alpha) / trials)
    off = drawn["actual_alpha"] - alpha
    more = int(np.ceil((STANDARD_ERRORS * error - off) * trials))
    right = monte_carlo.simulate

    def wrong(shard, limits):
        """Covered trials of all outcomes are counted as missed below, as many as make the error."""
        tally = right(shard, limits)
        counts = tally.by_outcome
        covered = counts.trials - counts.missed[0]
        order = np.repeat(np.arange(covered.size), covered)
        chosen = order[np.linspace(0, order.size - 1, more).astype(int)]
        added = np.bincount(chosen, minlength=covered.size)
        return replace(tally, by_outcome=replace(counts, below=counts.below + added))

    monkeypatch.setattr(monte_carlo, "simulate", wrong)
    agreement = drawn_results(family).manifest["agreement"]
    assert agreement["agrees"] is False
    (line,) = agreement["methods"]
    assert line["smallest_p_adjusted"] < agreement["level"]


@pytest.mark.parametrize(("family", "model"), [("proportion", proportion), ("rate", rate)])
def test_outcomes_that_are_off_by_five_standard_errors(monkeypatch, family, model):
    """A limit moves no outcome, but a wrong draw does, even where it changes few misses."""
    results = drawn_results(family)
    cells = results.cells.filter(engine="monte_carlo")
    x, trials = cells["x"].to_numpy(), cells["trials"].to_numpy()
    mean = np.average(x, weights=trials)
    error = np.sqrt(np.average((x - mean) ** 2, weights=trials) / trials.sum())
    # n/2 of a uniform proportion, exposure·s/t of a gamma rate.
    expected = 6.0
    factor = 1 + np.sign(mean - expected) * STANDARD_ERRORS * error / expected
    largest = 1.0 if family == "proportion" else np.inf
    right = model.SAMPLING.draw

    def wrong(parameter, size, rng, count=None):
        return right(np.minimum(np.asarray(parameter) * factor, largest), size, rng, count)

    monkeypatch.setattr(model.SAMPLING, "draw", wrong)
    agreement = drawn_results(family).manifest["agreement"]
    assert agreement["agrees"] is False
    assert agreement["draws"]["agree"] is False
