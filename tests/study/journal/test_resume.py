"""A run goes on where the journal says it was: the same numbers, and nothing computed twice."""

import contextlib
import sqlite3

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.callers.source import Answers, CatalogueSource
from harness.designs.engines import monte_carlo
from harness.kinds.coverage import run as study_run
from harness.kinds.coverage import solutions as study_solutions
from harness.kinds.coverage import trials as study_trials
from harness.kinds.load import load_experiment
from harness.runner.journal import database
from harness.runner.journal.database import opened
from harness.runner.workload import Progress
from tests.study.experiments import DRAWN, LISTED, Interrupting, changed

SHARD = 1 << 9


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(monte_carlo, "SHARD", SHARD)
    monkeypatch.setattr(database, "SHORTEST_BATCH", 0.0)
    monkeypatch.setattr(database, "_PAUSE", 0.0)


@pytest.fixture
def work(monkeypatch):
    """What is computed: (n, shard, number of columns) of trials, (n, columns) of exact values."""
    done = {"shards": [], "solved": []}
    simulate, solve = study_trials.simulate_shard, study_solutions.solve

    def simulated(shard, limits, stochastic):
        columns = limits.lower.shape[0] + len(stochastic)
        done["shards"].append((shard.scenario.sizes[0], shard.number, columns))
        return simulate(shard, limits, stochastic)

    def solved(scenario, limits, columns, request):
        done["solved"].append((scenario.sizes[0], len(columns)))
        return solve(scenario, limits, columns, request)

    monkeypatch.setattr(study_trials, "simulate_shard", simulated)
    monkeypatch.setattr(study_solutions, "solve", solved)
    return done


BASE = changed(DRAWN, figures=[], execution={"jobs": 1})
METHODS = BASE["methods"]


def results(config, path):
    with opened(path) as journal:
        return study_run.compute(load_experiment(config), Progress(), journal)


def alone(config):
    return study_run.compute(load_experiment(config), Progress())


def assert_same(first, second):
    assert first.cells.equals(second.cells)
    assert first.summary.equals(second.summary)
    assert first.manifest == second.manifest


def shards(config):
    """The sizes and numbers of all shards of a config."""
    counts = [(n, config["trials"]["per_outcome"] * (n + 1)) for n in config["n"]]
    return [(n, number) for n, trials in counts for number in range(-(-trials // SHARD))]


@pytest.mark.parametrize("config", [BASE, changed(LISTED, figures=[])], ids=["drawn", "listed"])
def test_a_second_run_computes_nothing_and_finds_the_same(config, tmp_path, work):
    expected = alone(config)
    first = results(config, tmp_path / "j")
    assert_same(first, expected)
    assert work["shards"]
    assert work["solved"]
    work["shards"].clear()
    work["solved"].clear()
    assert_same(results(config, tmp_path / "j"), expected)
    assert work == {"shards": [], "solved": []}


def test_a_size_added_costs_only_itself(tmp_path, work):
    results(changed(BASE, n=[5, 12]), tmp_path / "j")
    expected = alone(BASE)
    work["shards"].clear()
    work["solved"].clear()
    assert_same(results(changed(BASE, n=[12, 1, 5]), tmp_path / "j"), expected)
    assert {n for n, *_ in work["shards"]} == {1}
    assert {n for n, _ in work["solved"]} == {1}


def test_more_trials_cost_only_themselves(tmp_path, work):
    results(BASE, tmp_path / "j")
    more = changed(BASE, trials={"per_outcome": 1000})
    expected = alone(more)
    work["shards"].clear()
    assert_same(results(more, tmp_path / "j"), expected)
    full = {(n, 400 * (n + 1) // SHARD) for n in BASE["n"]}
    known = {(n, number) for n, whole in full for number in range(whole)}
    assert {(n, number) for n, number, _ in work["shards"]} == set(shards(more)) - known


def test_a_method_added_repeats_the_draws_for_itself_alone(tmp_path, work):
    results(changed(BASE, methods=METHODS[:-1]), tmp_path / "j")
    expected = alone(BASE)
    work["shards"].clear()
    work["solved"].clear()
    assert_same(results(BASE, tmp_path / "j"), expected)
    alphas = len(BASE["alpha"])
    assert sorted(work["shards"]) == [(*each, alphas) for each in shards(BASE)]
    assert sorted(work["solved"]) == [(n, alphas) for n in BASE["n"]]


def test_a_method_taken_out_and_put_back_computes_nothing(tmp_path, work):
    expected, fewer = alone(BASE), alone(changed(BASE, methods=METHODS[1:]))
    results(BASE, tmp_path / "j")
    work["shards"].clear()
    work["solved"].clear()
    assert_same(results(changed(BASE, methods=METHODS[1:]), tmp_path / "j"), fewer)
    assert_same(results(BASE, tmp_path / "j"), expected)
    reordered = changed(BASE, methods=METHODS[::-1])
    assert_same(results(reordered, tmp_path / "j"), alone(reordered))
    assert work["solved"] == [(n, 2 * len(METHODS)) for n in BASE["n"][::-1]]


@pytest.mark.parametrize("engines", [["monte_carlo"], ["monte_carlo", "enumeration"]])
@pytest.mark.parametrize("truth", [{"uniform": [0.1, 0.7]}, {"values": [0.2, 0.6]}])
def test_a_run_stopped_again_and_again_ends_with_the_same(engines, truth, tmp_path, work):
    config = changed(BASE, engines=engines, truth=truth)
    expected = alone(config)
    work["shards"].clear()
    stops = 0
    for after in (3, 1, 5, 100):
        with contextlib.suppress(KeyboardInterrupt), opened(tmp_path / "j") as journal:
            found = study_run.compute(load_experiment(config), Interrupting(after), journal)
            stops += 1
    assert stops == 1
    assert_same(found, expected)
    done = [(n, number) for n, number, _ in work["shards"]]
    assert sorted(set(done)) == shards(config)
    # Each stop may cost the shards that ran beside the one that was counted.
    assert len(done) <= len(shards(config)) + 3 * 2


OWN = """
import numpy as np
def mine(x, n, alpha, rng):
    width = {width} * rng.random(np.shape(x))
    return np.clip(x / n - width, 0, 1), np.clip(x / n + width, 0, 1)
"""


def test_a_function_that_draws_is_known_by_its_source(tmp_path, work):
    (tmp_path / "own.py").write_text(OWN.format(width=0.3))
    own = {"path": str(tmp_path / "own.py"), "function": "mine"}
    config = changed(BASE, methods=["wald", own])
    expected = alone(config)
    first = results(config, tmp_path / "j")
    assert_same(first, expected)
    work["shards"].clear()
    assert_same(results(config, tmp_path / "j"), expected)
    assert work["shards"] == []
    (tmp_path / "own.py").write_text(OWN.format(width=0.2))
    other = results(config, tmp_path / "j")
    assert not other.cells.equals(expected.cells)
    assert sorted(work["shards"]) == [(*each, 2) for each in shards(config)]


FAILING = """
def mine(x, n, alpha, rng):
    raise ValueError("no such interval")
"""


def test_what_failed_is_asked_again(tmp_path, work):
    (tmp_path / "own.py").write_text(FAILING)
    own = {"path": str(tmp_path / "own.py"), "function": "mine"}
    config = changed(BASE, n=[3], methods=["wald", own], trials={"per_outcome": 200})
    first = results(config, tmp_path / "j")
    work["shards"].clear()
    assert_same(results(config, tmp_path / "j"), first)
    assert sorted(work["shards"]) == [(*each, 2) for each in shards(config)]


def one_unit_wider(monkeypatch):
    right = CatalogueSource.limits

    def wrong(self, observed, alpha, side):
        answers = right(self, observed, alpha, side)
        upper = np.nextafter(answers.upper, 0.0) if self.label == "wald" else answers.upper
        return Answers(answers.lower, upper, answers.failures)

    monkeypatch.setattr(CatalogueSource, "limits", wrong)


def test_limits_that_differ_in_a_bit_are_refused(tmp_path, monkeypatch):
    results(BASE, tmp_path / "j")
    one_unit_wider(monkeypatch)
    with pytest.raises(InputError) as caught:
        results(BASE, tmp_path / "j")
    message = str(caught.value)
    assert "wald" in message
    assert message.count("numpy") == message.count("processor") == 2
    assert "--fresh" in message


def test_limits_of_another_version_are_computed_anew(tmp_path, monkeypatch, work):
    results(BASE, tmp_path / "j")
    with sqlite3.connect(tmp_path / "j") as connection:
        connection.execute("UPDATE environments SET content = replace(content, 'numpy', 'nampy')")
    connection.close()
    one_unit_wider(monkeypatch)
    expected = alone(BASE)
    work["shards"].clear()
    assert_same(results(BASE, tmp_path / "j"), expected)
    assert sorted(work["shards"]) == [(*each, 2) for each in shards(BASE)]


def test_outcomes_found_by_drawing_are_not_drawn_again(tmp_path, monkeypatch):
    config = {
        "name": "small/rate",
        "family": "rate",
        "exposure": [3, 1e6],
        "methods": ["exact_tail", "wald"],
        "truth": {"gamma": [2, 0.5]},
        "trials": {"per_size": 2000},
        "seed": 1,
        "engines": ["monte_carlo"],
        "execution": {"jobs": 1},
    }
    first = results(config, tmp_path / "j")
    assert_same(first, alone(config))

    def no_more(shard):
        raise AssertionError(shard)

    monkeypatch.setattr(study_trials, "outcomes_drawn", no_more)
    assert_same(results(config, tmp_path / "j"), first)
