"""What a right config means."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import ConfigError
from harness.config.values import Execution, MethodSpec, TrialCount
from harness.distributions.truths import BetaTruth, DiscreteTruth, UniformTruth
from harness.figures.kind import FigureSpec
from harness.kinds.load import load_experiment

# What a right config means.


Write = Callable[[str], str]

PAPER = """\
name: ross2003/fig03
title: Ross 2003, Fig. 3
family: proportion
n: [5, 10, 20, 50, 100, 200, 500, 1000]
alpha: 0.05
methods:
  - minimal_length
  - {name: balanced_tail, prior: [0.5, 0.5], label: Jeffreys}
  - {name: clopper_pearson, side: upper}
truth: {uniform: [0, 1]}
trials: {per_outcome: 300}
outcomes: all
engines: [monte_carlo, posterior, enumeration]
reference_prior: [1, 1]
seed: 2003
execution: {jobs: -1, backend: threading}
figures:
  - {kind: alpha_by_outcome, n: 100}
"""


def minimal(**changes: Any) -> dict[str, Any]:
    return {"name": "a", "family": "proportion", "n": 10, "methods": ["wald"], **changes}


def test_the_documented_config_is_read_as_documented(write: Write) -> None:
    experiment = load_experiment(write(PAPER))
    assert experiment.name == "ross2003/fig03"
    assert experiment.title == "Ross 2003, Fig. 3"
    assert experiment.family.name == "proportion"
    assert experiment.sizes == (5, 10, 20, 50, 100, 200, 500, 1000)
    assert experiment.alphas == (0.05,)
    assert [spec.label for spec in experiment.methods] == [
        "minimal_length",
        "Jeffreys",
        "clopper_pearson upper",
    ]
    assert experiment.truth == UniformTruth(0.0, 1.0)
    assert experiment.trials == TrialCount("per_outcome", 300)
    assert experiment.outcomes is None
    assert experiment.engines == ("monte_carlo", "posterior", "enumeration")
    assert experiment.reference_prior == (1.0, 1.0)
    assert experiment.seed == 2003
    assert experiment.execution == Execution(-1, "threading", 10.0)
    assert experiment.figures == (FigureSpec("alpha_by_outcome", {"n": 100}),)


def test_a_mapping_means_the_same_as_its_file(write: Write) -> None:
    file = load_experiment(write(PAPER))
    assert load_experiment(dict(file.document)) == file


def test_what_is_left_out_has_a_default() -> None:
    experiment = load_experiment(minimal())
    assert experiment.title == "a"
    assert experiment.alphas == (0.05,)
    assert experiment.truth == UniformTruth(0.0, 1.0)
    assert experiment.trials is None
    assert experiment.outcomes is None
    assert experiment.engines == ("posterior", "enumeration")
    assert experiment.reference_prior == (1.0, 1.0)
    assert experiment.execution == Execution(-1, "threading", 10.0)
    kinds = [figure.kind for figure in experiment.figures]
    assert kinds == ["ranking", "alpha_over_outcome", "bounds"]
    assert experiment.figures_are_suggested


def test_trials_bring_monte_carlo_in_and_it_asks_for_a_seed() -> None:
    experiment = load_experiment(minimal(trials={"per_size": 10}, seed=1))
    assert experiment.engines == ("monte_carlo", "posterior", "enumeration")
    with pytest.raises(ConfigError, match=r"config: seed: .* a seed is required"):
        load_experiment(minimal(trials={"per_size": 10}))


def test_trials_may_stand_without_monte_carlo() -> None:
    experiment = load_experiment(minimal(trials={"per_size": 10}, engines=["enumeration"]))
    assert experiment.trials == TrialCount("per_size", 10)
    assert experiment.engines == ("enumeration",)


def test_the_resolved_config_says_everything_in_the_documented_order(write: Write) -> None:
    document = load_experiment(write(PAPER)).document
    assert list(document) == [line.split(":")[0] for line in PAPER.splitlines() if line[0] != " "]
    assert document["alpha"] == [0.05]
    assert document["methods"] == [
        {"name": "minimal_length", "side": "two-sided", "prior": [1, 1], "label": "minimal_length"},
        {"name": "balanced_tail", "side": "two-sided", "prior": [0.5, 0.5], "label": "Jeffreys"},
        {"name": "clopper_pearson", "side": "upper", "label": "clopper_pearson upper"},
    ]


def test_levels_are_ordered_the_same_however_they_are_written() -> None:
    one = load_experiment(
        minimal(n=[20, 5], truth={"values": [0.5, 0.1]}, engines=["enumeration", "posterior"])
    )
    other = load_experiment(
        minimal(n=[5, 20], truth={"values": [0.1, 0.5]}, engines=["posterior", "enumeration"])
    )
    assert one == other
    assert one.sizes == (5, 20)


def test_a_log_grid_becomes_its_sizes() -> None:
    experiment = load_experiment(minimal(n={"log_grid": {"start": 1, "stop": 100, "count": 3}}))
    assert experiment.sizes == (1, 10, 100)
    assert experiment.document["n"] == [1, 10, 100]


@pytest.mark.parametrize(
    ("entry", "truth"),
    [
        ({"uniform": [0.1, 0.5]}, UniformTruth(0.1, 0.5)),
        ({"beta": [2, 8]}, BetaTruth(2.0, 8.0)),
        ({"values": [0.3, 0, 1]}, DiscreteTruth((0.0, 0.3, 1.0))),
        ({"grid": {"start": 0.1, "stop": 0.3, "count": 3}}, DiscreteTruth((0.1, 0.2, 0.3))),
    ],
)
def test_every_kind_of_truth_is_understood(entry: dict[str, Any], truth: object) -> None:
    assert load_experiment(minimal(truth=entry)).truth == truth


@pytest.mark.parametrize("entry", [{"uniform": [-0.0, 1]}, {"values": [-0.0, 1.0]}])
def test_zero_has_no_sign(entry: dict[str, Any]) -> None:
    assert "-0" not in repr(load_experiment(minimal(truth=entry)))


@pytest.mark.parametrize("kind", ["per_outcome", "per_size", "per_truth"])
def test_every_kind_of_trials_is_understood(kind: str) -> None:
    config = minimal(trials={kind: 7}, truth={"values": [0.5]}, seed=0)
    assert load_experiment(config).trials == TrialCount(kind, 7)  # type: ignore[arg-type]


def test_outcomes_may_be_fractions_or_listed() -> None:
    assert load_experiment(minimal(outcomes={"fractions": 21})).outcomes == 21
    assert load_experiment(minimal(outcomes={"values": [10, 0, 3]})).outcomes == (0, 3, 10)


def own(label: str, **place: str) -> MethodSpec:
    return MethodSpec(label=label, side="two-sided", written=place, **place)  # type: ignore[arg-type]


def known(label: str, name: str, side: str = "two-sided", prior: Any = None) -> MethodSpec:
    return MethodSpec(label=label, name=name, side=side, prior=prior)


METHODS: list[tuple[Any, MethodSpec]] = [
    (
        {"name": "wald", "prior": None, "label": None},
        known("wald", "wald"),
    ),
    ("wald", known("wald", "wald")),
    (
        "exact_tail",
        known("exact_tail", "clopper_pearson"),
    ),
    (
        {"name": "exact_tail", "side": "lower"},
        known("exact_tail lower", "clopper_pearson", "lower"),
    ),
    (
        {"name": "one_sided", "side": "upper"},
        known("one_sided upper", "one_sided", "upper", (1.0, 1.0)),
    ),
    (
        {"name": "balanced_tail", "side": "lower", "prior": [2, 0.5]},
        known("balanced_tail lower [2, 0.5]", "balanced_tail", "lower", (2.0, 0.5)),
    ),
    ({"module": "my.pack", "function": "f"}, own("f", module="my.pack", function="f")),
    (
        {"module": "pack", "function": "f", "label": "mine", "side": "two-sided"},
        own("mine", module="pack", function="f"),
    ),
]


@pytest.mark.parametrize(("entry", "spec"), METHODS)
def test_a_method_is_resolved_and_labelled(entry: Any, spec: MethodSpec) -> None:
    assert load_experiment(minimal(methods=[entry])).methods == (spec,)


def test_a_user_file_is_found_beside_the_config_and_kept_as_written(
    write: Write, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text("")
    folder = tmp_path / "configs"
    folder.mkdir()
    config = folder / "a.yaml"
    config.write_text(
        "name: a\nfamily: proportion\nn: 5\nmethods: [{path: ../mine.py, function: f}]\n"
    )
    experiment = load_experiment(config)
    place = {"path": str(tmp_path / "mine.py"), "function": "f"}
    (spec,) = experiment.methods
    assert spec == replace(own("f", **place), written={"path": "../mine.py", "function": "f"})
    assert experiment.document["methods"][0]["path"] == "../mine.py"


def test_figure_options_have_their_defaults_filled_in() -> None:
    experiment = load_experiment(minimal(n=[5, 10], figures=[{"kind": "alpha_surface"}]))
    (figure,) = experiment.figures
    assert figure.options["engine"] == "posterior"
    assert figure.options["fractions"] == 21
    assert "method" not in figure.options


def test_tuples_ranges_arrays_and_paths_will_do_in_python(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    (tmp_path / "mine.py").write_text("")
    experiment = load_experiment(
        minimal(
            n=range(1, 4),
            alpha=np.array([0.1, 0.2]),
            seed=np.int64(3),
            reference_prior=(0.5, 0.5),
            methods=[{"path": tmp_path / "mine.py", "function": "f"}],
        )
    )
    assert experiment.sizes == (1, 2, 3)
    assert experiment.alphas == (0.1, 0.2)
    assert experiment.seed == 3
    assert experiment.reference_prior == (0.5, 0.5)


def test_issues_of_a_mapping_have_no_line() -> None:
    with pytest.raises(ConfigError) as caught:
        load_experiment(minimal(alpha=2, n={1, 2}, x=1))
    assert str(caught.value).splitlines() == [
        "config: x: expected one of the keys name, title, kind, family, n, alpha, methods, truth, "
        "stopping, sampling, trials, draws, outcomes, reference, group, engines, reference_prior, "
        "seed, execution, figures, found 'x'",
        "config: n: expected a whole number from 1 to 10^9, a list of them, or {log_grid: ...}, "
        "found a value of type set",
        "config: alpha: expected a number above 0, from 1e-284 on, "
        "and below 1, or a list of them, found 2",
    ]


def test_keys_of_a_mapping_are_text() -> None:
    with pytest.raises(ConfigError) as caught:
        load_experiment({**minimal(), 5: 1})  # type: ignore[dict-item]
    assert str(caught.value) == "config: expected text as a key, found 5"


def test_a_mapping_that_holds_itself_is_refused() -> None:
    config = minimal()
    config["truth"] = config
    with pytest.raises(ConfigError, match="nested too deeply"):
        load_experiment(config)


# What is loaded when.


HEAVY = ("pydantic", "matplotlib", "polars", "scipy.stats", "scipy.optimize", "scipy.integrate")


def loaded(statement: str) -> set[str]:
    """The heavy modules that a statement loads in a new interpreter."""
    code = f"import sys\n{statement}\nprint(*(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["harness.config", "harness.config.values"])
def test_the_records_of_an_experiment_need_no_pydantic(module: str) -> None:
    assert loaded(f"import {module}") == set()


def test_loading_a_config_loads_pydantic_and_nothing_else_heavy() -> None:
    assert loaded("import harness.kinds.load") == {"pydantic"}
