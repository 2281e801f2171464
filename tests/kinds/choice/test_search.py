"""Worst cases over a box of truths: what is exact, what is simulated, and what is refused."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.catalogue import scenario_for
from harness.designs.engines.solver import solver_of
from harness.designs.lists import values_of_strata
from harness.families.catalogue import FAMILIES
from harness.kinds.choice.box import Box
from harness.kinds.choice.exact import exact_alphas
from harness.kinds.choice.experiment import Search
from harness.kinds.choice.search import lowest_candidates, searched
from harness.kinds.coverage.columns import opened_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.limits import compute_limits
from harness.kinds.load import load_experiment

AREA = {"auc": [0.5, 0.99]}
AREAS = {"auc1": [0.5, 0.99], "auc2": [0.5, 0.99], "correlation": [0, 0.9]}
CLUSTERS = {"p": [0.05, 0.95], "rho": [0, 0.5]}
STRATA = {"second": [[0, 1], [0, 1], [0, 1]], "difference": [-0.5, 0.5]}
RATES = {"prevalence": [0.02, 0.5], "sensitivity": [0.3, 0.9999], "specificity": [0.7, 0.9999]}
STUDENT = {"normal": {"mean": 0.75, "sd": [0.01, 0.1]}}


def experiment(family: str, methods: list[str], truth: Any, **keys: Any) -> Experiment:
    config = {"name": "a", "family": family, "methods": methods, "truth": truth, "seed": 1}
    loaded = load_experiment({**config, "figures": [], **keys})
    assert isinstance(loaded, Experiment)
    return loaded


def of_areas(*methods: str, **sizes: Any) -> Experiment:
    return experiment("auc", list(methods), {"auc": 0.9}, trials={"per_truth": 10}, **sizes)


def of_strata(*methods: str, sizes: Any) -> Experiment:
    truth = {"second": [0.5] * len(sizes[0]), "difference": {"values": [0]}}
    trials = {"trials": {"per_truth": 10}, "engines": ["monte_carlo"]}
    return experiment("stratified_difference", list(methods), truth, n1=sizes, n2=sizes, **trials)


def of_tables(*methods: str, n: int, family: str = "kappa") -> Experiment:
    rates = {"prevalence": 0.5, "sensitivity": 0.8, "specificity": 0.9}
    truth = {name: {"values": [rate]} for name, rate in rates.items()}
    return experiment(family, list(methods), truth, n=n, engines=["enumeration"])


@pytest.mark.parametrize(
    ("family", "truth", "message"),
    [
        ("auc", {}, "truth should be a mapping whose parts are ranges, as"),
        ("auc", {"auc": [0.9, 0.5]}, "range [low, high] with low at most high, found [0.9, 0.5]"),
        ("auc", {"auc": [0.5, 1.5]}, "expected a number between 0 and 1, found 1.5"),
        ("auc", {"acu": [0.5, 0.9]}, "truth.auc: expected this key, found nothing"),
        ("auc", {"auc": {"values": [0.5, 0.9]}}, "truth.auc should be a range [low, high], found"),
        ("clustered_proportion", {"p": [0, 1]}, "truth.rho: expected this key, found nothing"),
    ],
)
def test_what_is_no_box_is_refused(family: str, truth: Mapping[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        Box(FAMILIES[family], truth)


@pytest.mark.parametrize("name", ["points", "trials", "fresh", "lowest"])
def test_a_number_below_1_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} should be a whole number from 1 on, found 0"):
        Search(over=AREA, **{name: 0})


def test_a_family_with_an_exact_worst_case_is_refused() -> None:
    of_counts = experiment("proportion", ["wilson"], {"values": [0.5]}, n=10)
    with pytest.raises(InputError, match="has worst cases from the engine enumeration"):
        searched(of_counts, Search(over={"values": [0.1, 0.9]}, points=4, trials=10, fresh=10))


def test_points_of_one_range_are_evenly_spaced_with_both_ends() -> None:
    points = Box(FAMILIES["auc"], AREA).points(5, seed=1)
    np.testing.assert_allclose(points[:, 0], [0, 0.25, 0.5, 0.75, 1])


def test_points_have_all_corners_and_faces_of_every_dimension() -> None:
    points = Box(FAMILIES["stratified_difference"], STRATA).points(512, seed=1)
    at_end = np.isin(points, [0.0, 1.0]).sum(axis=1)
    assert points.shape == (512, 4)
    assert len(np.unique(points[at_end == 4], axis=0)) == 16
    assert set(at_end.tolist()) == {0, 1, 2, 3, 4}


def test_a_range_without_two_ends_is_one_value() -> None:
    box = Box(FAMILIES["clustered_proportion"], {"p": [0.2, 0.2], "rho": [0.1, 0.1]})
    (place,) = box.places(box.points(100, seed=1))
    assert place.written == '{"p": {"values": [0.2]}, "rho": {"values": [0.1]}}'


def test_a_difference_is_moved_to_what_strata_permit() -> None:
    box = Box(FAMILIES["stratified_difference"], STRATA)
    for point, difference in (
        ([0.0, 1.0, 0.5, 1.0], 0.0),
        ([1.0, 1.0, 1.0, 1.0], 0.0),
        ([0.0, 0.0, 0.0, 1.0], 0.5),
    ):
        assert json.loads(box.place(point).written)["difference"] == {"values": [difference]}


def test_exact_alphas_of_tables_are_those_of_enumeration() -> None:
    tables = of_tables("delta", "delta_atanh", n=12)
    place = Box(tables.family, RATES).place([0.4, 0.7, 1.0])
    scenario = scenario_for(tables.family, 12, place.truth)
    with opened_columns(tables) as columns:
        alphas, positions = exact_alphas(tables, scenario, columns)
        solver = solver_of(scenario)
        outcomes = solver.possible_outcomes()
        (found,) = compute_limits(tables, [scenario], [outcomes], columns)
        by_truth = solver.enumerate(found.limits, outcomes, worst=False).by_truth
    assert alphas is not None
    assert by_truth is not None
    assert list(positions) == [0, 1]
    # Probabilities are good to 1e-12.
    np.testing.assert_allclose(alphas(scenario), by_truth.missed[:, 0], rtol=1e-11)


def test_exact_alphas_of_strata_are_those_of_the_design() -> None:
    strata = of_strata("sato", "newcombe", sizes=[[4, 3]])
    place = Box(strata.family, {"second": [[0, 1]] * 2, "difference": [-0.5, 0.5]}).place(
        [0.3, 0.6, 0.4]
    )
    scenario = scenario_for(strata.family, strata.sizes[0], place.truth)
    with opened_columns(strata) as columns:
        alphas, _ = exact_alphas(strata, scenario, columns)
        assert alphas is not None
        for alpha, column in zip(alphas(scenario), columns.stochastic, strict=True):
            values = values_of_strata(scenario, column)
            assert values is not None
            np.testing.assert_allclose(alpha, values[0] + values[1], rtol=1e-11)


def test_a_closed_form_has_no_error_and_a_method_that_draws_has_one() -> None:
    truth = {"normal": {"mean": 0.75, "sd": 0.02}}
    runs = experiment(
        "mean", ["student_t", "bootstrap_percentile"], truth, k=3, trials={"per_size": 10}
    )
    found = searched(runs, Search(over=STUDENT, points=2, trials=10, fresh=500))
    closed, drawn = found.iter_rows(named=True)
    np.testing.assert_allclose(closed["worst_alpha"], 0.05, rtol=1e-12)
    assert closed["worst_std_error"] is None
    m = drawn["worst_alpha"]
    np.testing.assert_allclose(drawn["worst_std_error"], np.sqrt(m * (1 - m) / 500))


def test_a_row_names_the_size_the_method_and_the_worst_truth() -> None:
    areas = of_areas("delong", "newcombe", n1=[8, 10], n2=[8, 10])
    found = searched(areas, Search(over=AREA, points=6, trials=200, fresh=400, lowest=3))
    assert found["n1"].to_list() == [8, 8, 10, 10]
    assert found["method"].to_list() == ["delong", "newcombe"] * 2
    assert found["truths"].to_list() == [6] * 4
    first = found.row(0, named=True)
    assert first["worst_truth"] == f'{{"auc": {{"values": [{first["truth"]}]}}}}'
    # Delong's interval has no length where the classes do not overlap, as they hardly do at 0.99.
    assert first["truth"] == 0.99
    assert first["worst_alpha"] > 0.4


def test_a_search_is_the_same_with_the_same_seed_alone() -> None:
    areas = of_areas("delong", n1=8, n2=8)
    search = Search(over=AREA, points=3, trials=100, fresh=200, lowest=2)
    first = searched(areas, search)
    assert first.equals(searched(areas, search))
    other = searched(replace(areas, seed=2), search)
    assert first["worst_alpha"].item() != other["worst_alpha"].item()


def test_the_published_alpha_is_not_of_the_trials_that_chose_the_truth() -> None:
    areas = of_areas("newcombe", n1=8, n2=8)
    search = Search(over={"auc": [0.6, 0.9]}, points=12, trials=50, fresh=5000, lowest=1)
    # The largest of 12 fractions of 50 trials is about 0.10; the method misses about 0.04.
    assert searched(areas, search)["worst_alpha"].item() < 0.06


@pytest.mark.parametrize(
    ("family", "method", "sizes", "truth", "search", "coverage"),
    [
        ("auc", "delong_logit", ([10], [90]), AREA, (24, 2000, 20_000), 0.9079),
        ("auc", "delong_logit", ([60], [60]), AREA, (24, 2000, 20_000), 0.938),
        ("auc_difference", "delong", ([10], [90]), AREAS, (256, 1000, 10_000), 0.905),
        ("clustered_proportion", "cluster_logit", ([10], [10]), CLUSTERS, (128, 2000, 20_000), 1),
        (
            "stratified_difference",
            "miettinen_nurminen",
            ([[8, 6, 4]], [[8, 6, 4]]),
            STRATA,
            (512, 1, 1),
            0.9299,
        ),
        (
            "stratified_difference",
            "miettinen_nurminen",
            ([[45, 30, 20]], [[45, 30, 20]]),
            STRATA,
            (512, 1000, 20_000),
            1,
        ),
        ("informedness", "mover_wilson", ([50],), RATES, (1024, 1, 1), 0.918),
    ],
)
def test_no_second_search_finds_a_lower_coverage(
    family: str,
    method: str,
    sizes: Any,
    truth: Mapping[str, Any],
    search: tuple[int, int, int],
    coverage: float,
) -> None:
    """And the first finds one as low as is known; its false-alarm rate is 20 · 3e-5."""
    inside = Box(FAMILIES[family], truth)
    written = json.loads(inside.place([0.4] * len(inside.ranges)).written)
    keys = dict(zip(FAMILIES[family].sizes, sizes, strict=True))
    trials = {"trials": {"per_truth": 10}}
    one = experiment(family, [method], written, **keys, **trials)
    points, trials_of_each, fresh = search
    asked = Search(over=truth, points=points, trials=trials_of_each, fresh=fresh)
    first, second = (
        next(iter(lowest_candidates(replace(one, seed=seed), asked).values()))[0] for seed in (1, 2)
    )
    worst = max(first, key=lambda each: each.alpha)
    assert 1 - worst.alpha <= coverage + 4 * (worst.std_error or 0.0)
    for each in second:
        # An exact search ends next to the place where alpha is largest, to about 0.002.
        error = np.hypot(worst.std_error or 0.0005, each.std_error or 0.0)
        assert each.alpha <= worst.alpha + 4 * error
