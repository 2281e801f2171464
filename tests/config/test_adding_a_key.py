"""A key of a config is one annotated attribute of the experiment, and what reads the attribute."""

from dataclasses import dataclass, replace
from typing import Annotated

import polars as pl
import pytest
from pydantic import Field

import harness
from harness.base.errors import ConfigError, ConfigIssue
from harness.base.models import expecting
from harness.cli import main
from harness.config.form import Key
from harness.config.shared_keys import reads
from harness.families.catalogue import family_of
from harness.kinds.coverage import run
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.kind import CoverageKind
from harness.kinds.load import json_schema, load_experiment
from harness.kinds.starter import starter

Step = Annotated[int, Field(ge=0, le=9), expecting("a whole number from 0 to 9")]


@dataclass(frozen=True, kw_only=True)
class Stepped(Experiment):
    """An experiment with one more key: what is added to the seed."""

    seed_step: Annotated[int, Key(Step, "Added to the seed.", 2)]


CONFIG = {
    "name": "stepped",
    "family": "proportion",
    "n": 10,
    "methods": ["wilson"],
    "truth": {"uniform": [0, 1]},
    "trials": {"per_size": 2000},
    "engines": ["monte_carlo"],
    "seed": 5,
    "figures": [],
}


@pytest.fixture(autouse=True)
def added(monkeypatch):
    monkeypatch.setattr(CoverageKind, "record", Stepped)


def test_a_value_that_is_not_valid_is_refused_in_a_sentence():
    with pytest.raises(ConfigError) as caught:
        load_experiment({**CONFIG, "seed_step": 10})
    sentence = "config: seed_step: expected a whole number from 0 to 9, found 10"
    assert str(caught.value) == sentence
    with pytest.raises(ConfigError, match="did you mean seed_step"):
        load_experiment({**CONFIG, "seed_stp": 1})


def test_a_rule_reads_the_key_with_others(monkeypatch):
    @reads("seed", "seed_step")
    def step_has_a_seed(config):
        if config["seed_step"] > config["seed"]:
            yield ConfigIssue(("seed_step",), f"expected at most the seed, {config['seed']}")

    monkeypatch.setattr(CoverageKind, "rules", (*CoverageKind.rules, step_has_a_seed))
    assert load_experiment({**CONFIG, "seed_step": 5}).seed_step == 5
    with pytest.raises(ConfigError, match="seed_step: expected at most the seed, 5"):
        load_experiment({**CONFIG, "seed_step": 6})


def test_its_default_and_an_override_reach_the_experiment_and_the_resolved_config():
    by_default = load_experiment(CONFIG)
    assert by_default.seed_step == by_default.document["seed_step"] == 2
    given = load_experiment(CONFIG, ["seed_step=7"])
    assert given.seed_step == given.document["seed_step"] == 7
    assert load_experiment(given.document) == given != by_default


def test_the_schema_and_a_starter_have_it_with_its_sentence(capsys):
    described = json_schema()["$defs"]["ProportionCoverage"]
    assert described["properties"]["seed_step"] == {
        "default": 2,
        "description": "Added to the seed.",
        "maximum": 9,
        "minimum": 0,
        "title": "Seed Step",
        "type": "integer",
    }
    assert "seed_step" not in described["required"]
    assert "# Added to the seed.\n#seed_step: 2\n" in starter(family_of("proportion"), "mine")
    assert main(["schema"]) == 0
    assert '"seed_step"' in capsys.readouterr().out


def test_a_run_reads_it_and_writes_it_beside_the_results(monkeypatch, tmp_path):
    plain = harness.run({**CONFIG, "seed_step": 0, "seed": 8}, out=None)
    compute = run.compute

    def consumer(experiment, *rest):
        return compute(replace(experiment, seed=experiment.seed + experiment.seed_step), *rest)

    monkeypatch.setattr(run, "compute", consumer)
    misses = pl.col("miss_below", "miss_above")
    for step, same in ((3, True), (4, False)):
        found = harness.run({**CONFIG, "seed_step": step}, out=tmp_path, fresh=True)
        assert found.cells.select(misses).equals(plain.cells.select(misses)) == same
        written = load_experiment(tmp_path / "stepped" / "config.yaml")
        assert (written.seed, written.seed_step) == (5, step)
