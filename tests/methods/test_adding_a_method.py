"""A method that is added by one record is run, asked for one interval, checked and listed."""

import json

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import ConfigError
from harness.cli import main
from harness.config import form as forms
from harness.distributions.sampling import binomial
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, add_methods
from harness.methods.method import Method


def hoeffding(data, tail):
    """The mean give or take √(log(1/tail) / (2n)), from Hoeffding's (1963) inequality."""
    mean, half = data[0] / data[1], np.sqrt(np.log(1 / tail) / (2 * data[1]))
    return np.maximum(mean - half, 0.0), np.minimum(mean + half, 1.0)


RECORD = Method("Hoeffding", "", hoeffding, promise="at-least", aliases=("by_bound",))


@pytest.fixture(scope="module", autouse=True)
def added():
    kept = CATALOGUE["proportion"]
    forms.family_form.cache_clear()
    add_methods(family_of("proportion"), {**CATALOGUE["proportion"], "hoeffding": RECORD})
    yield
    CATALOGUE["proportion"] = kept
    forms.family_form.cache_clear()


def test_an_interval_is_that_of_the_formula(capsys):
    lower, upper = hoeffding((np.array([3.0]), np.array([10.0])), 0.025)
    found = harness.interval("proportion", "hoeffding", x=3, n=10)
    assert (found.lower, found.upper) == (lower[0], upper[0])
    asked = "interval proportion --x 3 --n 10 --method hoeffding --format json"
    assert main(asked.split()) == 0
    assert json.loads(capsys.readouterr().out)["lower"] == lower[0]


@pytest.mark.parametrize("name", ["hoeffding", "by_bound"])
def test_a_run_compares_it_and_a_misspelt_name_leads_to_it(name):
    config = {
        "name": "bounds",
        "family": "proportion",
        "n": 10,
        "methods": ["wilson", name],
        "truth": {"values": [0.3]},
        "engines": ["enumeration"],
    }
    rows = harness.run(config, out=None).summary
    (found,) = rows.filter(pl.col("method") == name)["actual_alpha"]
    x = np.arange(11.0)
    lower, upper = hoeffding((x, np.full(11, 10.0)), 0.025)
    missed = binomial.pmf(x, np.full(11, 0.3), 10)[(lower > 0.3) | (upper < 0.3)].sum()
    assert found == pytest.approx(missed, abs=1e-12)
    with pytest.raises(ConfigError, match=f"did you mean {name}"):
        harness.run({**config, "methods": [name[:-1]]}, out=None)


def test_a_check_holds_it_to_its_contract():
    report = harness.check("hoeffding", grid="n=5,10;alpha=0.05")
    assert report.passed
    assert report.keeps.startswith("keeps: at-least")


def test_the_list_of_methods_and_the_schema_have_it(capsys):
    assert main(["methods", "hoeffding", "--family", "proportion", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Hoeffding"
    assert main(["schema"]) == 0
    assert '"hoeffding"' in capsys.readouterr().out
