"""What a right config of a rate, or of two samples, means."""

from typing import Any

import pytest

from harness.distributions.list_truths import RunTruth
from harness.distributions.truths import DiscreteTruth, GammaTruth, PairTruth, Truth, UniformTruth
from harness.figures.kind import FigureSpec
from harness.kinds.coverage.experiment import Experiment, Group
from harness.kinds.load import load_experiment

OWN = [{"module": "pack", "function": "f"}]
EVERY = UniformTruth(0.0, 1.0)
RATES = {"first": {"uniform": [0, 10]}, "second": {"gamma": [2, 0.5]}}


def rate(**changes: Any) -> Experiment:
    config = {"name": "a", "family": "rate", "exposure": 1, "methods": OWN}
    return loaded({**config, "truth": {"uniform": [0, 458]}, **changes})


def pair(family: str = "proportion_difference", **changes: Any) -> Experiment:
    return loaded({"name": "a", "family": family, "methods": OWN, **changes})


def loaded(config: dict[str, Any]) -> Experiment:
    experiment = load_experiment(config)
    assert isinstance(experiment, Experiment)
    return experiment


def test_what_is_left_out_of_a_rate_has_a_default() -> None:
    experiment = rate()
    assert experiment.sizes == (1.0,)
    assert experiment.truth == UniformTruth(0.0, 458.0)
    assert experiment.outcomes is None
    assert experiment.reference == "prior"
    assert experiment.group is None
    assert experiment.engines == ("posterior", "enumeration")
    assert experiment.reference_prior == (1.0, 0.0)


@pytest.mark.parametrize(
    ("entry", "sizes"),
    [
        (2.5, (2.5,)),
        ([10, 0.5], (0.5, 10.0)),
        ({"log_grid": {"start": 0.1, "stop": 100, "count": 4}}, (0.1, 1.0, 10.0, 100.0)),
    ],
)
def test_exposures_are_real_numbers_in_ascending_order(entry: Any, sizes: object) -> None:
    assert rate(exposure=entry).sizes == sizes


@pytest.mark.parametrize(
    ("entry", "truth"),
    [
        ({"uniform": [2, 3.5]}, UniformTruth(2.0, 3.5)),
        ({"gamma": [2, 8]}, GammaTruth(2.0, 8.0)),
        ({"values": [30, 0, 1.5]}, DiscreteTruth((0.0, 1.5, 30.0))),
        ({"grid": {"start": 1, "stop": 3, "count": 3}}, DiscreteTruth((1.0, 2.0, 3.0))),
    ],
)
def test_every_kind_of_rate_is_understood(entry: dict[str, Any], truth: Truth) -> None:
    assert rate(truth=entry).truth == truth


@pytest.mark.parametrize(
    ("entry", "outcomes"),
    [
        ("all", None),
        ({"values": [5, 0, 1]}, (0, 1, 5)),
        ({"log_grid": {"start": 1, "stop": 4, "count": 21}}, (1, 2, 3, 4)),
    ],
)
def test_outcomes_of_a_rate_are_all_or_listed(entry: Any, outcomes: object) -> None:
    experiment = rate(outcomes=entry)
    assert experiment.outcomes == outcomes
    written = "all" if outcomes is None else {"values": list(experiment.outcomes or ())}
    assert experiment.document["outcomes"] == written


def test_outcomes_stand_in_groups_of_which_the_last_may_be_open() -> None:
    assert rate(group={"width": 10}).group == Group(10, None)
    assert rate(group={"width": 10, "last": 500}).group == Group(10, 500)
    assert pair(n1=5, n2=5).group is None


def test_groups_go_with_a_list_of_true_values_and_with_a_proportion() -> None:
    assert rate(group={"width": 10}, truth={"values": [5]}).group == Group(10, None)
    config = {"name": "a", "family": "proportion", "n": 50, "methods": ["wald"]}
    assert loaded({**config, "group": {"width": 10}}).group == Group(10, None)


def test_posterior_may_use_the_truth_as_its_prior() -> None:
    experiment = rate(reference="truth")
    assert experiment.reference == "truth"
    assert experiment.document["reference"] == "truth"


def test_the_resolved_config_leaves_out_optional_keys_with_usual_values() -> None:
    assert list(rate(reference="prior").document) == [
        "name", "title", "family", "exposure", "alpha", "methods", "truth", "outcomes", "engines",
        "reference_prior", "seed", "execution", "figures",
    ]  # fmt: skip
    assert not {"kind", "cross", "draws", "group", "reference"} & set(pair(n1=5, n2=5).document)


def test_the_resolved_config_stands_in_the_order_of_the_documentation() -> None:
    experiment = rate(
        reference="truth", group={"width": 5}, trials={"per_size": 10}, draws="thinned", seed=1
    )
    assert list(experiment.document) == [
        "name", "title", "family", "exposure", "alpha", "methods", "truth", "trials", "draws",
        "outcomes", "reference", "group", "engines", "reference_prior", "seed", "execution",
        "figures",
    ]  # fmt: skip


PAIRS: list[tuple[dict[str, Any], tuple[tuple[int, int], ...]]] = [
    ({"n1": 10, "n2": 20}, ((10, 20),)),
    ({"n1": [50, 10], "n2": [5, 20]}, ((10, 20), (50, 5))),
    ({"n1": [10, 10], "n2": [30, 20]}, ((10, 20), (10, 30))),
    ({"n1": 10, "n2": [30, 20]}, ((10, 20), (10, 30))),
    ({"n1": [30, 20], "n2": [10]}, ((20, 10), (30, 10))),
    ({"n1": [2, 1], "n2": [3, 4], "cross": True}, ((1, 3), (1, 4), (2, 3), (2, 4))),
    ({"n1": {"log_grid": {"start": 1, "stop": 100, "count": 3}}, "n2": [3, 2, 1]},
     ((1, 3), (10, 2), (100, 1))),
]  # fmt: skip


@pytest.mark.parametrize("family", ["proportion_difference", "balanced_accuracy"])
@pytest.mark.parametrize(("entry", "sizes"), PAIRS)
def test_sizes_of_two_samples_are_paired_or_crossed(
    family: str, entry: dict[str, Any], sizes: tuple[tuple[int, int], ...]
) -> None:
    experiment = pair(family, **entry)
    assert experiment.sizes == sizes
    assert experiment.document["n1"] == [first for first, _ in sizes]
    assert experiment.document["n2"] == [second for _, second in sizes]


def test_two_proportions_are_uniform_where_nothing_is_said() -> None:
    experiment = pair(n1=5, n2=5)
    assert experiment.truth == PairTruth(EVERY, EVERY)
    assert experiment.reference_prior == (1.0, 1.0)
    every = {"uniform": [0, 1]}
    assert experiment.document["truth"] == {"first": every, "second": every}


def test_lists_of_two_samples_are_kept_as_written() -> None:
    truth = {"first": {"values": [0.5, 0.1]}, "second": {"grid": _grid(0.1, 0.9, 9)}}
    experiment = pair(n1=5, n2=5, truth=truth)
    tenths = tuple(i / 10 for i in range(1, 10))
    assert experiment.truth == PairTruth(DiscreteTruth((0.1, 0.5)), DiscreteTruth(tenths))
    assert experiment.document["truth"] == {"first": {"values": [0.1, 0.5]}, **_second(truth)}


def _grid(start: float, stop: float, count: int) -> dict[str, Any]:
    return {"start": start, "stop": stop, "count": count}


def _second(truth: dict[str, Any]) -> dict[str, Any]:
    return {"second": truth["second"]}


def test_two_rates_have_exposures_and_a_flat_prior() -> None:
    experiment = pair("rate_difference", exposure1=1, exposure2=[10, 1.5], truth=RATES)
    assert experiment.sizes == ((1.0, 1.5), (1.0, 10.0))
    assert experiment.truth == PairTruth(UniformTruth(0.0, 10.0), GammaTruth(2.0, 0.5))
    assert experiment.reference_prior == (1.0, 0.0)


def test_a_figure_names_an_exposure_or_a_pair_and_a_second_true_value() -> None:
    figures = [{"kind": "alpha_by_outcome", "n": 2.5}]
    trials: dict[str, Any] = {"trials": {"per_size": 10}, "seed": 1}
    one = rate(exposure=[1, 2.5], figures=figures, **trials)
    assert one.figures == (FigureSpec("alpha_by_outcome", {"n": 2.5}),)
    truth = {"first": {"values": [0.5]}, "second": {"values": [0.1, 0.2]}}
    figures = [{"kind": "coverage_curve", "n": [5, 6], "second": 0.2}]
    two = pair(n1=[5, 6], n2=[6, 5], truth=truth, figures=figures)
    assert two.figures[0].options["n"] == [5, 6]
    assert two.figures[0].options["second"] == 0.2


def test_a_prior_of_a_rate_may_count_for_no_exposure() -> None:
    assert rate(reference_prior=[0.5, 0]).reference_prior == (0.5, 0.0)


@pytest.mark.parametrize(
    ("entry", "quantile", "written"),
    [
        ("mean", None, None),
        ("median", 0.5, "median"),
        ({"quantile": 0.5}, 0.5, "median"),
        ({"quantile": 0.9}, 0.9, {"quantile": 0.9}),
    ],
)
def test_an_estimand_is_of_the_truth_and_is_written_unless_it_is_the_mean(
    entry: Any, quantile: float | None, written: Any
) -> None:
    config = {"name": "a", "family": "mean", "k": 5, "methods": ["student_t"], "seed": 1}
    config |= {"truth": {"normal": {"mean": 0, "sd": 1}}, "trials": {"per_size": 10}}
    experiment = loaded(config | {"estimand": entry})
    assert isinstance(experiment.truth, RunTruth)
    assert experiment.truth.quantile == experiment.estimand == quantile
    assert experiment.engines == ("monte_carlo", "closed_form")[: 1 + (quantile is None)]
    document = experiment.document
    assert document.get("estimand") == written
    assert ("estimand" in document) == (written is not None)
    assert (loaded(config) == experiment) == (written is None)
