"""Whatever is done to a config, it is understood or its issues are reported."""

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from harness.base.errors import ConfigError
from harness.base.plain_data import dump
from harness.config.form import AnyExperiment
from harness.kinds.calibration.experiment import Calibration
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.load import load_experiment
from tests.config.configs import configs
from tests.config.test_experiment import PAPER

ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2, 5.0, 0.5, 1e300, -0.0, float("nan"), float("inf"), 10**400,
    10**5000, "", " ", "all", "n", "wald", "no", "5", "\0", "\ud800", "é" * 300, [], {}, [[]],
    [None], ["wald"], [1, 1], [0.2, 0.1], {"a": 1}, {"kind": "x"}, {"uniform": [0, 1]},
    {"log_grid": {}}, {"name": None}, {"path": "x.py"}, {"<file>": {"<one>": 1}},
    {"module": 1, "path": 2},
    {"half_width": 1}, {"": ""}, "rate", "rate_difference", "calibration", {"values": [1, 2]},
    {"gamma": [1, 1]}, {"first": {"beta": [1, 1]}, "second": {"values": [0.5]}}, {"width": 3},
    set(), object(), b"x", 1j, float,
]  # fmt: skip
GOOD: dict[str, Any] = {
    "name": "a/b", "title": "A", "family": "proportion", "n": [5, 10], "alpha": [0.05, 0.1],
    "methods": ["wald", {"name": "balanced_tail", "prior": [1, 2], "side": "lower", "label": "b"},
                {"module": "pack", "function": "f"}],
    "truth": {"grid": {"start": 0.1, "stop": 0.9, "count": 9}}, "trials": {"per_size": 3},
    "outcomes": {"fractions": 3}, "engines": ["monte_carlo", "posterior", "enumeration"],
    "reference_prior": [1, 1], "seed": 1, "execution": {"jobs": 1, "backend": "loky"},
    "figures": [{"kind": "coverage_curve", "n": 5, "methods": ["wald"]},
                {"kind": "alpha_by_outcome", "n": 5, "alpha": 0.1},
                {"kind": "alpha_surface", "engine": "enumeration", "fractions": 3}],
}  # fmt: skip
RATE: dict[str, Any] = {
    "name": "a/b", "kind": "coverage", "family": "rate", "exposure": [1, 2.5],
    "methods": [{"module": "pack", "function": "f", "label": "b"}],
    "truth": {"gamma": [2, 0.5]}, "trials": {"per_size": 3}, "outcomes": "all",
    "reference": "truth", "group": {"width": 10, "last": 500}, "reference_prior": [0.5, 0],
    "seed": 1, "figures": [{"kind": "alpha_by_outcome", "n": 2.5}],
}  # fmt: skip
OUTCOMES: dict[str, Any] = {
    "name": "a/b",
    "family": "rate",
    "exposure": {"log_grid": {"start": 1, "stop": 8, "count": 4}},
    "methods": [{"module": "pack", "function": "f", "label": "b"}],
    "truth": {"grid": {"start": 0, "stop": 10, "count": 3}},
    "outcomes": {"log_grid": {"start": 1, "stop": 1000, "count": 7}},
}
PAIR: dict[str, Any] = {
    "name": "a/b", "family": "balanced_accuracy", "n1": [10, 50], "n2": [20, 50], "cross": True,
    "methods": [{"module": "pack", "function": "f", "label": "b"}],
    "truth": {"first": {"values": [0.2, 0.5]}, "second": {"grid": {"start": 0.1, "stop": 0.9,
              "count": 9}}},
    "trials": {"per_truth": 3}, "seed": 1,
    "figures": [{"kind": "coverage_curve", "n": [10, 20], "second": 0.5}],
}  # fmt: skip
CALIBRATION: dict[str, Any] = {
    "name": "a/b", "kind": "calibration", "family": "rate_difference",
    "exposure1": {"uniform": [1, 10]}, "exposure2": 2.5,
    "truth": {"first": {"uniform": [0, 10]}, "second": {"gamma": [1, 2]}},
    "delta": {"uniform": [-1, 1]}, "trials": 100, "bins": 10, "prior": [1, 0], "seed": 1,
    "figures": [{"kind": "calibration"}],
}  # fmt: skip
EVERY = [GOOD, RATE, OUTCOMES, PAIR, CALIBRATION]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a value with every key or index."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def mutated(rng: random.Random) -> dict[Any, Any]:
    """A good config with one to four things changed."""
    config = copy.deepcopy(rng.choice(EVERY))
    for _ in range(rng.randint(1, 4)):
        container, key = rng.choice(list(places(config)) or [(config, "name")])
        odd = copy.deepcopy(rng.choice(ODD)) if rng.random() < 0.7 else copy.deepcopy(GOOD)
        change = rng.randrange(4)
        if change == 0:
            container[key] = odd
        elif change == 1:
            del container[key]
        elif isinstance(container, dict):
            container[rng.choice(["x", "n", "kind", "path", "name", "labl", 5, None])] = odd
        else:
            container.insert(rng.randrange(len(container) + 1), odd)
    return config


def outcome(source: Any, *overrides: str) -> AnyExperiment | str:
    """The experiment, or what a user would see."""
    try:
        return load_experiment(source, overrides)
    except ConfigError as error:
        refusal = error
    assert refusal.issues
    assert all(issue.message and "\n" not in str(issue) for issue in refusal.issues)
    return str(refusal)


@pytest.mark.parametrize("good", EVERY)
def test_the_configs_to_be_changed_are_right(good: dict[str, Any]) -> None:
    assert isinstance(outcome(good), Experiment | Calibration)


@pytest.mark.parametrize("seed", range(20))
def test_changed_values_are_understood_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    outcomes = [outcome(mutated(rng)) for _ in range(40)]
    assert sum(isinstance(one, str) for one in outcomes) > 20


@pytest.mark.parametrize("odd", ODD, ids=[str(i) for i in range(len(ODD))])
def test_every_odd_value_is_understood_or_refused_everywhere(odd: Any) -> None:
    for good in EVERY:
        for i in range(len(list(places(good)))):
            config = copy.deepcopy(good)
            container, key = list(places(config))[i]
            container[key] = odd
            outcome(config)


def test_changed_texts_are_understood_or_refused(tmp_path: Path) -> None:
    rng = random.Random(2003)
    file = tmp_path / "a.yaml"
    letters = "\t\n\r :-[]{}\"'#&*!|>%@`,?0123456789.eE~\x00\x07\x85\ufeff\u2028é"
    texts = [PAPER, *map(dump, EVERY)]
    for _ in range(600):
        text = list(rng.choice(texts))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text))
            text[at : at + rng.randrange(3)] = rng.choice(letters) * rng.randint(0, 2)
        raw = "".join(text).encode()
        file.write_bytes(raw[: rng.randrange(len(raw))] if rng.random() < 0.2 else raw)
        outcome(file)


def test_overrides_of_any_shape_are_understood_or_refused() -> None:
    rng = random.Random(5)
    words = [
        "n",
        "methods",
        "0",
        "1",
        "99",
        "[0]",
        ".",
        "=",
        "prior",
        "truth",
        "grid",
        "x",
        "[",
        "²",
    ]
    for _ in range(600):
        key = "".join(rng.choice(words) for _ in range(rng.randint(0, 6)))
        outcome(GOOD, f"{key}={rng.choice(['1', '[1', 'no', '', '{a: 1}', '- 1', '*a', '[]'])}")


# A resolved config means what the config it came from means.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("configs")
    (made / "mine.py").write_text("")
    return made


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(config=configs())
def test_the_resolved_config_loads_to_an_equal_experiment(
    config: dict[str, Any], folder: Path
) -> None:
    file = folder / "config.yaml"
    file.write_text(dump(config), encoding="utf-8")
    first = load_experiment(file)
    file.write_text(dump(first.document), encoding="utf-8")
    assert load_experiment(file) == first
