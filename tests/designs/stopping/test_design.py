"""Runs, intervals, coverage, sizes and checks of proportions whose trials end by a rule."""

from dataclasses import replace

import numpy as np
import pytest
import yaml
from numpy.polynomial.legendre import leggauss

import harness
from harness.base.errors import HarnessError, InputError
from harness.cli import main
from harness.designs.stopping import family, open_rule, paths, verification
from harness.designs.stopping.paths import exact_values
from harness.families.catalogue import family_of
from harness.findings.manifest import agrees
from harness.methods.catalogue import find

PEEKING = {"first": 5, "every": 1, "until": {"excludes": 0.5, "of": "wald"}}
TWO_STAGES = {"boundaries": [{"n": 13, "at_most": 3}]}
RULES = {
    "peeking": PEEKING,
    "two stages": TWO_STAGES,
    "half-width": {"first": 4, "every": 3, "until": {"half_width": 0.2, "of": "wilson"}},
    "successes": {"first": 1, "every": 1, "until": {"successes": 3}},
}


def run(tmp_path, **given):
    config = {
        "name": "stopped",
        "family": "proportion",
        "n": [30],
        "stopping": PEEKING,
        "methods": ["wilson", "clopper_pearson"],
        "truth": {"values": [0.1, 0.3, 0.5, 0.8]},
        "trials": {"per_truth": 4000},
        "seed": 7,
        "figures": [],
    }
    return harness.run({**config, **given}, out=tmp_path)


@pytest.fixture(autouse=True)
def forgotten():
    """Nothing that a test plants is remembered by another one."""
    yield
    for cached in (open_rule.OpenRule.outcomes, open_rule.OpenRule.up_to, family._ordered_limits):
        cached.cache_clear()


# All four comparisons of a run together are off by as much at most once in 10^5 seeds.
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_trials_look_by_look_agree_with_exact_values(tmp_path, rule):
    results = run(tmp_path, stopping=rule)
    rows = results.summary.sort("engine", "method")
    drawn, exact = (rows.filter(engine=engine) for engine in ("monte_carlo", "enumeration"))
    apart = drawn["actual_alpha"] - exact["actual_alpha"]
    assert (apart.abs() < 5 * drawn["std_error"]).all()
    apart = drawn["expected_trials"] - exact["expected_trials"]
    assert (apart.abs() < 5 * drawn["expected_trials_std_error"]).all()


def test_cells_hold_the_distribution_of_the_trials_made(tmp_path):
    cells = run(tmp_path).cells.filter(given="look", method="wilson")
    exact = cells.filter(engine="enumeration").sort("stopped_at")
    drawn = cells.filter(engine="monte_carlo").sort("stopped_at")
    assert exact["probability"].sum() == pytest.approx(1, abs=1e-14)
    expected = (exact["probability"] * exact["stopped_at"]).sum()
    assert harness.coverage(
        "proportion", "wilson", n=30, p=[0.1, 0.3, 0.5, 0.8], stopping=PEEKING
    ).expected_trials.mean() == pytest.approx(expected, rel=1e-14)
    # Eleven looks at most; off by so much at most once in 10^4 seeds.
    both = drawn.join(exact, on="stopped_at", suffix="_exact")
    apart = (both["probability"] - both["probability_exact"]).abs()
    assert (apart < 5 * both["std_error"]).all()
    assert drawn["trials"].sum() == 16_000


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("prior", [(1.0, 1.0), (2.0, 5.0)])
def test_the_mean_alpha_of_a_bayesian_interval_is_nominal_under_every_rule(rule, prior):
    """The integral over p of the miss probability; between limits it is a polynomial."""
    most, alpha = 20, 0.05
    stopped = open_rule.open_rule(rule).outcomes(most)
    x, t = stopped.outcomes.successes, stopped.outcomes.trials
    lower, upper = find(family_of("proportion"), "minimal_length").limits(
        (x, t), alpha, prior=prior
    )
    breaks = np.unique(np.concatenate(([0.0, 1.0], lower, upper)))
    node, weight = leggauss(16)
    width = np.diff(breaks)[:, np.newaxis] / 2
    p = (breaks[:-1, np.newaxis] + width * (node + 1)).ravel()
    density = density_of(p, prior)
    found = exact_values(stopped, lower[np.newaxis], upper[np.newaxis], p)
    missed = (found.below + found.above)[0]
    assert (width * weight).ravel() @ (missed * density) == pytest.approx(alpha, abs=1e-12)


def density_of(p, prior):
    return 1.0 if prior == (1.0, 1.0) else 30.0 * p * (1 - p) ** 4


@pytest.mark.parametrize("truth", [{"uniform": [0, 1]}, {"uniform": [0.2, 0.5]}, {"beta": [2, 5]}])
def test_distributions_of_the_truth_are_verified_by_a_second_computation(tmp_path, truth):
    results = run(tmp_path, truth=truth, trials={"per_size": 4000})
    compared = {each["of"] for each in results.manifest["identity"]["comparisons"]}
    assert {"weights", "means"} <= compared
    assert agrees(results.manifest)


def one_path_more(stopped):
    """The outcomes with one sequence more that ends at the fourth of them."""
    share = stopped.outcomes.share.copy()
    share[3] += 1.0 / np.prod([(17.0 - k) / (k + 1) for k in range(3)])
    return replace(stopped, outcomes=replace(stopped.outcomes, share=share))


def look_forgotten(stopped):
    """The outcomes of a rule that does not look at 12 trials."""
    rule = stopped.rule
    return paths.stopped_trials(
        replace(rule, looks=tuple(each for each in rule.looks if each != 12))
    )


def last_not_forced(stopped):
    """The outcomes without those where trials end because they are the last."""
    early = np.flatnonzero(stopped.outcomes.trials < stopped.rule.most)
    return replace(stopped, outcomes=stopped.outcomes.at(early), look=stopped.look[early])


def counted_one_later(stopped):
    """The outcomes with the successes of a look at one trial more."""
    trials = np.where(stopped.outcomes.trials == 9, 10.0, stopped.outcomes.trials)
    return replace(stopped, outcomes=replace(stopped.outcomes, trials=trials))


FAULTS = (one_path_more, look_forgotten, last_not_forced, counted_one_later)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.__name__)
def test_a_planted_fault_is_found(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(open_rule, "stopped_trials", lambda rule: fault(paths.stopped_trials(rule)))
    open_rule.OpenRule.outcomes.cache_clear()
    try:
        results = run(tmp_path)
    except HarnessError:
        return
    assert not agrees(results.manifest)


def test_the_second_computation_counts_every_sequence():
    stopped, p = open_rule.open_rule(PEEKING).outcomes(40), np.array([0.0, 0.05, 0.5, 0.93, 1.0])
    again = verification.probabilities_again(stopped, p)
    np.testing.assert_allclose(again, stopped.outcomes.pmf(p, 1 - p), rtol=1e-12, atol=1e-300)


def test_an_interval_is_refused_where_the_rule_cannot_stop():
    given = {"stopping": {**TWO_STAGES, "most": 43}}
    found = harness.interval("proportion", "stagewise", x=3, n=13, **given)
    assert found.lower == pytest.approx(0.04, abs=0.02)
    with pytest.raises(InputError, match="cannot end at x = 7 of n = 13"):
        harness.interval("proportion", "wilson", x=7, n=13, **given)
    with pytest.raises(InputError, match="cannot end at n = 29: the rule looks at 13 and"):
        harness.interval("proportion", "stagewise", x=7, n=29, **given)
    with pytest.raises(InputError, match="needs most"):
        harness.interval("proportion", "stagewise", x=3, n=13, stopping=TWO_STAGES)
    with pytest.raises(InputError, match="needs stopping"):
        harness.interval("proportion", "stagewise", x=3, n=13)


def test_a_function_is_a_rule():
    def stop(t, x):
        return t - x == 3

    function = harness.coverage(
        "proportion", "wilson", n=20, p=0.4, stopping={"first": 3, "every": 1, "until": stop}
    )
    # Three failures are three successes of the mirrored proportion.
    mirrored = harness.coverage("proportion", "wilson", n=20, p=0.6, stopping=RULES["successes"])
    assert function.coverage == pytest.approx(mirrored.coverage, rel=1e-13)
    assert function.expected_trials == pytest.approx(mirrored.expected_trials, rel=1e-13)


def three_failures(t, x):
    return t - x == 3


RUN = {
    "name": "function", "family": "proportion", "n": 12, "methods": ["wilson"], "seed": 1,
    "truth": {"values": [0.4]}, "trials": {"per_truth": 500}, "figures": [],
}  # fmt: skip


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_run_takes_a_function_and_its_draws_depend_on_what_it_does_alone(backend, tmp_path):
    execution = {"backend": backend, "jobs": 2}
    found = []
    (tmp_path / "rules.py").write_text("def stop(t, x):\n    return t == x + 3\n")
    of_file = {"path": str(tmp_path / "rules.py"), "function": "stop"}
    for until in (three_failures, lambda t, x: x + 3 == t, of_file):
        rule = {"first": 3, "every": 1, "until": until}
        config = {**RUN, "stopping": rule, "execution": execution}
        found.append(harness.run(config, out=tmp_path, fresh=True))
    first, *others = (each.summary["coverage"] for each in found)
    assert all(first.equals(other) for other in others)
    exact = found[0].summary.filter(engine="enumeration")["coverage"].item()
    known = harness.coverage("proportion", "wilson", n=12, p=0.4, stopping=rule)
    assert exact == pytest.approx(known.coverage, rel=1e-12)


def test_a_stored_config_has_the_text_of_a_function_and_is_not_run_from_it(tmp_path, capsys):
    rule = {"first": 3, "every": 1, "until": three_failures}
    harness.run({**RUN, "stopping": rule}, out=tmp_path)
    stored = tmp_path / "function/config.yaml"
    until = yaml.safe_load(stored.read_text())["stopping"]["until"]
    text = "def three_failures(t, x):\n    return t - x == 3\n"
    assert until == {"function": "three_failures", "source": text}
    assert main(["run", str(stored), "--out", str(tmp_path / "again")]) == 2
    assert "until should be the function three_failures or have" in capsys.readouterr().err


def test_interval_size_and_check_take_a_function():
    rule = {"first": 3, "every": 1, "until": three_failures}
    successes = {"first": 3, "every": 1, "until": {"successes": 3}}
    given = {"p": 0.5, "half_width": 0.3}
    assert (
        harness.size("proportion", "wilson", stopping=rule, **given).n
        == harness.size("proportion", "wilson", stopping=successes, **given).n
    )
    most = {**rule, "most": 12}
    assert harness.interval("proportion", "wilson", x=2, n=5, stopping=most).lower > 0
    report = harness.check("wilson", stopping=most, contract="none")
    assert report.passed


def test_functions_of_one_text_with_other_values_are_other_rules():
    def failures(number):
        return {"first": 1, "every": 1, "until": lambda t, x: t - x == number}

    expected = [
        harness.coverage("proportion", "wilson", n=20, p=0.4, stopping=failures(k)).expected_trials
        for k in (2, 3)
    ]
    assert expected[0] < 4 < expected[1]


def test_a_rule_of_a_file_is_read_and_its_failure_is_one_sentence(tmp_path, capsys):
    (tmp_path / "rules.py").write_text("def stop(t, x):\n    return t / (8 - t) < 0\n")
    config = tmp_path / "c.yaml"
    config.write_text(
        "{name: c, family: proportion, n: 20, methods: [wilson], truth: {values: [0.5]}, "
        "stopping: {first: 3, every: 1, until: {path: rules.py, function: stop}}}"
    )
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 3
    assert "the stopping rule failed at 8 trials with 0 successes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stopping": {**PEEKING, "first": 31}}, "first should be at most n = 30, found 31"),
        (
            {"stopping": {"boundaries": [{"n": 9, "at_most": 1}, {"n": 8, "at_most": 1}]}},
            "n that rise, found n = 8 after n = 9",
        ),
        (
            {"stopping": {"boundaries": [{"n": 9, "at_most": 4, "at_least": 4}]}},
            "at_most should be below at_least, found 4 and 4 at n = 9",
        ),
        ({"stopping": None, "methods": ["stagewise"]}, "stagewise needs stopping"),
        ({"methods": ["stagewise_mid_p"]}, "expected boundaries for stagewise_mid_p"),
        ({"alpha": [0.05, 0.1]}, "until should have an alpha of its own"),
        ({"n": [10_001]}, "n should be at most 10000 with a stopping rule"),
    ],
)
def test_a_config_that_contradicts_itself_is_refused(tmp_path, change, message):
    with pytest.raises(HarnessError, match=message):
        run(tmp_path, **change)


def test_a_rule_that_never_ends_trials_is_told(tmp_path):
    rule = {"first": 5, "every": 5, "until": {"half_width": 0.001, "of": "wilson"}}
    results = run(tmp_path, stopping=rule)
    assert "never ends them before n" in results.summary["sampling"][0]
    exact = results.summary.filter(engine="enumeration", method="wilson")
    fixed = harness.coverage("proportion", "wilson", n=30, p=[0.1, 0.3, 0.5, 0.8])
    assert exact["actual_alpha"][0] == pytest.approx(1 - fixed.coverage.mean(), rel=1e-12)


def test_the_size_is_the_most_trials_that_suffice():
    rule = {"first": 10, "every": 10, "until": {"successes": 40}}
    found = harness.size("proportion", "wilson", p=0.3, half_width=0.12, stopping=rule)
    lengths = harness.coverage(
        "proportion", "wilson", n=np.arange(found.n - 1, found.n + 2), p=0.3, stopping=rule
    ).mean_length
    assert lengths[0] > 0.24 >= lengths[1] >= lengths[2]


def test_checks_hold_methods_to_their_contract_under_the_rule():
    for name in ("stagewise", "mle_order"):
        sound = harness.check(name, stopping={**TWO_STAGES, "most": 43})
        assert {each.verdict for each in sound.findings} == {"pass"}

    def wald(x, n, alpha):
        p = x / n
        half = 1.96 * np.sqrt(p * (1 - p) / n)
        return np.maximum(p - half, 0), np.minimum(p + half, 1)

    assert harness.check(wald, stopping=PEEKING, sizes=[60], alphas=[0.05]).exit_code == 3


def test_the_page_and_the_figures_know_the_rule(tmp_path):
    figures = [{"kind": "stopping_outcomes"}, {"kind": "expected_size"}]
    figures.append({"kind": "coverage_curve", "fixed": True})
    truth = {"grid": {"start": 0.1, "stop": 0.9, "count": 9}}
    results = run(tmp_path, figures=figures, truth=truth)
    assert main(["report", str(results.path)]) == 0
    assert "stopping {first: 5, every: 1" in (results.path / "report.html").read_text()
    assert len(list((results.path / "figures").glob("*.png"))) == 3
