"""``--set key=value``"""

from collections.abc import Callable
from typing import Any

import pytest

from harness.kinds.coverage.experiment import Experiment
from harness.kinds.load import load_experiment
from tests.config.conftest import config_with

Write = Callable[[str], str]
Issues = Callable[..., list[str]]


@pytest.fixture
def load(write: Write) -> Callable[..., Experiment]:
    return lambda *overrides: load_experiment(write(config_with()), overrides)


VALUES: list[tuple[str, str, Any]] = [
    ("alpha=0.1", "alphas", (0.1,)),
    ("alpha=1e-3", "alphas", (0.001,)),
    (" alpha = [0.1, 0.2]", "alphas", (0.1, 0.2)),
    ("n=[7, 10]", "sizes", (7, 10)),
    ("n[0]=012", "sizes", (10, 12)),
    ("title=no", "title", "no"),
    ("title=a=b", "title", "a=b"),
    ("outcomes={fractions: 3}", "outcomes", 3),
    ("seed=0x10", "seed", 16),
]


@pytest.mark.parametrize(("override", "field", "value"), VALUES)
def test_a_value_is_read_as_yaml(
    override: str, field: str, value: Any, load: Callable[..., Experiment]
) -> None:
    overrides = (override, "figures=[]", "n[1]=10") if override == "n[0]=012" else (override,)
    assert getattr(load(*overrides), field) == value


@pytest.mark.parametrize("path", ["methods.1.prior", "methods[1].prior"])
def test_a_path_leads_into_lists_and_mappings(path: str, load: Callable[..., Experiment]) -> None:
    assert load(f"{path}=[2, 5]").methods[1].prior == (2.0, 5.0)


def test_a_missing_mapping_is_made(load: Callable[..., Experiment]) -> None:
    assert load("execution.jobs=1").execution.jobs == 1


def test_a_methods_name_alone_is_opened_up(load: Callable[..., Experiment]) -> None:
    assert load("methods.0.label=mine", "methods.0.side=lower").methods[0].label == "mine"


def test_the_last_of_two_overrides_wins(load: Callable[..., Experiment]) -> None:
    assert load("seed=1", "seed=2").seed == 2


def test_an_empty_value_is_nothing(load: Callable[..., Experiment]) -> None:
    assert load("title=").title == "paper/fig"


def test_an_override_may_correct_the_file(write: Write) -> None:
    assert load_experiment(write(config_with("alpha: 2")), ["alpha=0.2"]).alphas == (0.2,)


def test_a_mapping_given_in_python_is_left_as_it_was() -> None:
    config = {"name": "a", "family": "proportion", "n": [5], "methods": [{"name": "wald"}]}
    load_experiment(config, ["n.0=6", "methods.0.label=b"])
    assert config["n"] == [5]
    assert config["methods"] == [{"name": "wald"}]


ISSUES = [
    ("alpha=2", "alpha: expected a number above 0, from 1e-284 on, "
     "and below 1, or a list of them, found 2"),
    ("alhpa=0.1", "alhpa: expected a known key, found 'alhpa'; did you mean alpha?"),
    ("exection.jobs=1", "exection: expected a known key, found 'exection'; did you mean "
     "execution?"),
    ("execution.job=1", "execution.job: expected a known key, found 'job'; did you mean jobs?"),
    ("methods.1.piror=[1, 1]",
     "methods[1].piror: expected a known key, found 'piror'; did you mean prior?"),
    ("methods.7.prior=[1, 1]", "methods.7: expected an index below 2, found 7"),
    ("methods.one=wald", "methods.one: expected an index below 2, found one"),
    ("seed.x=1", "seed.x: expected seed to hold keys, found 2003"),
    ("alpha", "expected key=value, as in alpha=0.1 or methods.0.prior=[2, 5]"),
    ("=1", "expected key=value, as in alpha=0.1 or methods.0.prior=[2, 5]"),
    ("a..b=1", "expected key=value, as in alpha=0.1 or methods.0.prior=[2, 5]"),
    ("alpha=[1", "alpha: expected YAML, but while parsing a flow sequence expected ',' or ']', "
     "got the end of the text"),
    ("alpha={a: 1, a: 2}", "alpha: expected each key once, found it on line 1 and on line 1"),
    ("engines=[monte_carlo, posteriors]", "engines[1]: expected an engine (monte_carlo, posterior, "
     "enumeration), found 'posteriors'; did you mean posterior?"),
    ("trials.per_size=10", "trials: expected a mapping with exactly one of the keys per_outcome, "
     "per_size, per_truth, half_width, found {per_outcome: 30, per_size: 10}"),
]  # fmt: skip


@pytest.mark.parametrize(("override", "message"), ISSUES)
def test_a_wrong_override_is_named_as_it_was_written(
    override: str, message: str, issues_of: Issues
) -> None:
    place = f"--set {override}"
    if override == "trials.per_size=10":
        place = "fig.yaml:7"  # what the file has and what the override adds cannot stand together
    assert issues_of(config_with(), override) == [f"{place}: {message}"]


def test_issues_of_the_file_come_before_those_of_overrides(issues_of: Issues) -> None:
    assert issues_of(config_with("seed: x", "alpha: y"), "n=0", "bad", "figures=[]") == [
        "fig.yaml:4: alpha: expected a number above 0, from 1e-284 on, "
        "and below 1, or a list of them, found 'y'",
        "fig.yaml:9: seed: expected a whole number from 0 to 2^128 - 1, found 'x'",
        "--set n=0: n: expected a whole number from 1 to 10^9, a list of them, or "
        "{log_grid: ...}, found 0",
        "--set bad: expected key=value, as in alpha=0.1 or methods.0.prior=[2, 5]",
    ]


def test_an_issue_names_the_override_that_causes_it(issues_of: Issues) -> None:
    assert issues_of(config_with(), "trials={per_truth: 5}", "truth={uniform: [0, 1]}") == [
        "--set trials={per_truth: 5}: trials.per_truth: expected per_outcome or per_size, found "
        "per_truth, which needs a truth that is a grid or a list of values"
    ]
