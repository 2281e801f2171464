"""The maps over the sizes: their values, their sentences and their drawing."""

import dataclasses
import json
from typing import Any

import numpy as np
import polars as pl
import pytest

from harness.report.maps.frames import SizeRow, frames_of
from harness.report.maps.quantities import Scale
from harness.report.maps.section import MOST_PLACES, drawing, edges, maps
from harness.report.page import plain
from harness.tables.results import Results
from tests.report.some_runs import CONFIGS, page_of, results_of, unpacked


def data_of(results: Results) -> dict[str, Any]:
    (section,) = maps(results)
    return dict(json.loads(json.dumps(plain(section.data), allow_nan=False)))


def titles(results: Results) -> list[str]:
    return [each["title"] for each in data_of(results)["maps"]]


def values_in_page(data: dict[str, Any], which: dict[str, Any]) -> pl.DataFrame:
    """The cells of a map: label, size as text, place and value."""
    frame = data["frames"][which["frame"]]
    sizes = [
        size for size, count in zip(frame["sizes"], frame["counts"], strict=True)
        for _ in range(count)
    ]  # fmt: skip
    places = unpacked(frame["places"])
    values = unpacked(which["values"]).reshape(len(which["labels"]), -1)
    rows = [
        (label, size, float(place), float(value))
        for label, line in zip(which["labels"], values, strict=True)
        for size, place, value in zip(sizes, places, line, strict=True)
    ]
    return pl.DataFrame(rows, ["method", "size", "place", "value"], orient="row")


def test_there_is_a_map_for_each_quantity_condition_alpha_and_held_truth() -> None:
    assert titles(results_of("outcomes")) == [
        "Coverage given the outcome, by posterior",
        "Length relative to Bayesian minimal length, given the outcome",
    ]
    assert titles(results_of("truths"))[:4] == [
        "Coverage given the outcome, nominal 90 %, by posterior",
        "Coverage given the outcome, nominal 95 %, by posterior",
        "Coverage given the truth, nominal 90 %, by enumeration",
        "Coverage given the truth, nominal 95 %, by enumeration",
    ]
    assert titles(results_of("two_samples"))[:2] == [
        "Coverage given the truth, p2 = 0.2, by enumeration",
        "Coverage given the truth, p2 = 0.5, by enumeration",
    ]
    assert titles(results_of("estimates")) == ["Coverage given the truth, by Monte Carlo"]


@pytest.mark.parametrize("name", ["one_size", "lists", "calibrated"])
def test_there_is_none_over_one_size_or_without_an_axis(name: str) -> None:
    assert maps(results_of(name)) == []


def test_there_is_none_without_cells() -> None:
    results = results_of("outcomes")
    assert maps(dataclasses.replace(results, cells=results.cells.clear())) == []


@pytest.mark.parametrize(
    ("name", "which", "given", "engine", "size", "place", "column"),
    [
        ("outcomes", 0, "outcome", "posterior", "n", "x", "actual_alpha"),
        ("outcomes", 1, "outcome", "posterior", "n", "x", "length"),
        ("rates", 0, "truth", "enumeration", "exposure", "truth", "actual_alpha"),
        ("estimates", 0, "truth", "monte_carlo", "n", "truth", "actual_alpha"),
    ],
)
def test_values_in_the_page_are_those_of_the_tables(
    name: str, which: int, given: str, engine: str, size: str, place: str, column: str
) -> None:
    results = results_of(name)
    data = data_of(results)
    found = values_in_page(data, data["maps"][which])
    cells = results.cells.filter(given=given, engine=engine).select(
        "method",
        pl.col(size).map_elements(lambda value: f"{value:.6g}", pl.String).alias("size"),
        pl.col(place).cast(pl.Float64).alias("place"),
        pl.col(column).alias("table"),
    )
    both = found.join(cells, on=["method", "size", "place"], how="left")
    assert both.height == found.height > 0
    assert both["value"].equals(both["table"].alias("value"))


def test_the_sentence_says_where_coverage_is_lowest_and_how_often_it_is_below() -> None:
    results = results_of("outcomes")
    which = data_of(results)["maps"][0]
    sentences = dict(zip(which["labels"], which["sentences"], strict=True))
    cells = results.cells.filter(engine="posterior", method="wald")
    above = 100 * cells.filter(pl.col("actual_alpha") > 0.05 + 1e-9).height / cells.height
    assert cells.filter(n=5, x=0)["actual_alpha"].item() == 1
    assert sentences["wald"] == (
        f"Wald: coverage is below 95 % in {above:.2g} % of {cells.height} cells, "
        "and falls to 0 % at n = 5, x = 0."
    )
    assert sentences["minimal_length"].startswith(
        f"Bayesian minimal length: coverage is 95 % in all {cells.height} cells"
    )
    cells = results.cells.filter(engine="posterior", method="clopper_pearson")
    most = cells.sort("actual_alpha").row(-1, named=True)
    assert f"none of {cells.height} cells" in sentences["clopper_pearson"]
    assert (
        f"it is from {100 * (1 - most['actual_alpha']):.3g} % to " in sentences["clopper_pearson"]
    )


def test_the_sentence_on_lengths_has_their_mean_and_range() -> None:
    results = results_of("outcomes")
    which = data_of(results)["maps"][1]
    assert which["labels"] == ["wald", "clopper_pearson"]
    posterior = results.cells.filter(engine="posterior")
    base = posterior.filter(method="minimal_length").select("n", "x", base="length")
    mine = posterior.filter(method="clopper_pearson").join(base, on=["n", "x"])
    percent = (100 * (mine["length"] - mine["base"]) / mine["base"]).to_numpy()
    sentence = which["sentences"][1]
    assert f"intervals are {percent.mean():.3g} % longer than those of Bayesian" in sentence
    assert f"from +{percent.min():.3g} % to +{percent.max():.3g} %, the most at n = " in sentence


def test_the_sentence_on_estimates_asks_their_intervals() -> None:
    results = results_of("estimates")
    cells = results.cells.filter(given="truth", method="wald")
    clearly = cells.filter(pl.col("ci_lower") > 0.05).height
    most = cells.sort("actual_alpha", descending=True).row(0, named=True)
    (which,) = data_of(results)["maps"]
    share = f"{100 * clearly / cells.height:.2g} % of {cells.height} cells"
    assert f"coverage is clearly below 95 % in {share}" in which["sentences"][0]
    estimate = f"{100 * (1 - most['actual_alpha']):.3g} % ± {100 * most['std_error']:.2g} % at n = "
    assert estimate in which["sentences"][0]


def test_the_numbers_of_each_size_are_of_all_its_cells() -> None:
    results = results_of("outcomes")
    which = data_of(results)["maps"][0]
    cells = results.cells.filter(engine="posterior")
    least, largest, above = (
        unpacked(which[name]).reshape(len(which["labels"]), 3)
        for name in ("least", "largest", "above")
    )
    for line, label in enumerate(which["labels"]):
        for row, n in enumerate((5, 10, 20)):
            alphas = cells.filter(method=label, n=n)["actual_alpha"].to_numpy()
            assert least[line, row] == alphas.min()
            assert largest[line, row] == alphas.max()
            assert above[line, row] == np.mean(alphas > 0.05 + 1e-9)


def test_the_first_map_is_what_a_figure_of_the_config_shows() -> None:
    results = results_of("outcomes")
    first, second = data_of(results)["first"]
    assert data_of(results)["maps"][first]["labels"][second] == "wald"
    figure = {"kind": "length_surface", "method": "clopper_pearson", "reference": "wald"}
    experiment = {**results.manifest["experiment"], "figures": [figure]}
    asked = dataclasses.replace(results, manifest={**results.manifest, "experiment": experiment})
    data = data_of(asked)
    index, method = data["first"]
    assert data["maps"][index]["title"] == "Length relative to Wald, given the outcome"
    assert data["maps"][index]["labels"][method] == "clopper_pearson"


def test_many_places_are_thinned_and_keep_both_ends() -> None:
    places = np.arange(1001.0)
    row = SizeRow((1000,), places, {"length": places[None] ** 2}).thinned(MOST_PLACES)
    assert row.places.tolist() == list(range(0, 1001, 10))
    np.testing.assert_array_equal(row.values["length"][0], row.places**2)


def test_cells_reach_half_way_to_their_neighbours_and_no_further_than_the_axis() -> None:
    assert edges(np.array([0, 0.5, 1]), (0, 1)).tolist() == [0, 0.25, 0.75, 1]
    assert edges(np.array([0.25, 0.5]), (0, 1)).tolist() == [0.125, 0.375, 0.625]


def test_colours_are_centred_on_alpha_and_end_at_twice_alpha() -> None:
    scale = Scale(0.05, 0.005)
    levels = scale.colours(np.array([0, 0.05, 0.0526, 0.0999, 1, np.nan]))
    assert levels == [-10, 0, 1, 10, 10, None]


def test_the_drawing_covers_every_cell_once() -> None:
    results = results_of("outcomes")
    frame = next(frames_of(results.cells, {}))
    values = [row.values["actual_alpha"][1] for row in frame.rows]
    found = drawing(frame, frame.rows, values, Scale(0.05, 0.005))
    area = 0.0
    for path in found["paths"]:
        for piece in path["d"].split("M")[1:]:
            wide, rest = piece.split("h")[1].split("v")
            area += float(wide) * float(rest)
    assert area == pytest.approx(found["inner"] * found["box"], rel=1e-3)


def test_where_scripts_are_off_the_first_map_stands_in_the_page() -> None:
    (section,) = maps(results_of("outcomes"))
    page = page_of(section)
    before = page[: page.index('<script type="application/json">')]
    assert before.count("<path") > 3
    assert "<caption data-caption" in before
    assert len(before[before.index("<svg") : before.index("</svg>")]) < 12_000


@pytest.mark.parametrize("name", CONFIGS)
def test_the_same_results_give_the_same_bytes(name: str) -> None:
    assert page_of(*maps(results_of(name))) == page_of(*maps(results_of(name)))
