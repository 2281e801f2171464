"""The section of curves: its values are those of the tables, its sentences those of its values."""

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import harness
from harness.designs.miss_curve import MissCurve
from harness.families.catalogue import family_of
from harness.findings.choice import candidates_of, choice
from harness.findings.judgements import judgements
from harness.kinds.calibration.show import calibration_picture
from harness.report.curves.panels import outcome_panels, truth_panels
from harness.report.curves.section import curves
from harness.report.curves.sentences import Words, share_above
from harness.report.page import Section
from harness.report.still_picture import CurveLine, still_picture, ticks
from harness.tables.results import Results
from tests.report.pages import ids_in, tables_in
from tests.report.some_runs import page_of, restored, results_of, unpacked

Array = npt.NDArray[Any]


def only(section: list[Section]) -> Section:
    (found,) = section
    return found


def values(panel: dict[str, Any], key: str, count: int) -> Array:
    """Values of all methods, shape (k, m)."""
    if "weights" in panel[key]:
        return restored(panel[key])
    return unpacked(panel[key]).reshape(count, -1)


def test_values_at_listed_truths_are_those_of_the_cells() -> None:
    results = results_of("truths")
    data = curves(results)[0].data
    assert data["sizes"] == ["n = 5", "n = 150"]
    assert data["alphas"] == [0.1, 0.05]
    place = 0
    for n in (5, 150):
        for alpha in (0.1, 0.05):
            panel = data["panels"][place]
            x = unpacked(data["xs"][panel["x"]])
            for row, method in enumerate(results.cells["method"].unique(maintain_order=True)):
                cells = results.cells.filter(
                    n=n, alpha=alpha, method=method, given="truth", engine="enumeration"
                ).sort("truth")
                assert x.tolist() == cells["truth"].to_list()
                missed, length = (values(panel, key, 2)[row] for key in ("missed", "length"))
                assert missed.tolist() == cells["actual_alpha"].to_list()
                assert length.tolist() == cells["length"].to_list()
            place += 1


def test_estimates_are_those_of_the_cells_with_their_intervals() -> None:
    results = results_of("truths")
    data = curves(results)[0].data
    found = data["panels"][0]["simulated"]
    cells = results.cells.filter(
        n=5, alpha=0.1, method="wald", given="truth", engine="monte_carlo"
    ).sort("truth")
    at = unpacked(found["at"])
    for key, column in (("alpha", "actual_alpha"), ("lower", "ci_lower"), ("upper", "ci_upper")):
        expected = cells[column].cast(float).fill_null(float("nan")).to_numpy()[at]
        assert np.array_equal(values(found, key, 2)[0], expected, equal_nan=True)


def test_values_at_outcomes_are_those_of_the_posterior() -> None:
    results = results_of("outcomes")
    section = curves(results)[1]
    for place, n in enumerate((5, 10, 20)):
        panel = section.data["panels"][place]
        assert unpacked(section.data["xs"][panel["x"]]).tolist() == list(range(n + 1))
        for row, method in enumerate(results.cells["method"].unique(maintain_order=True)):
            cells = results.cells.filter(n=n, method=method, engine="posterior").sort("x")
            assert values(panel, "missed", 4)[row].tolist() == cells["actual_alpha"].to_list()
            assert values(panel, "length", 4)[row].tolist() == cells["length"].to_list()


def test_a_distribution_of_truths_has_exact_curves_whose_highest_point_is_the_worst_case() -> None:
    results = results_of("outcomes")
    found = truth_panels(results)
    assert found is not None
    for panel in found.panels:
        assert panel.size is not None
        for method, curve in zip(found.methods, panel.curves, strict=True):
            row = results.summary.filter(n=panel.size[0], method=method, engine="enumeration")
            assert curve is not None
            assert curve.missed.max() == pytest.approx(row["worst_alpha"].item(), abs=1e-12)


def test_values_that_follow_from_the_limits_are_those_of_the_public_function() -> None:
    found = truth_panels(results_of("outcomes"))
    assert found is not None
    wald = found.methods.index("wald")
    for panel in found.panels:
        assert panel.size is not None
        answer = harness.coverage("proportion", "wald", n=int(panel.size[0]), p=panel.x)
        assert 1 - panel.missed[wald] == pytest.approx(answer.coverage, abs=1e-12)
        assert panel.length[wald] == pytest.approx(answer.mean_length, abs=1e-12)


def test_a_drawn_line_is_the_exact_curve_to_a_fraction_of_a_pixel() -> None:
    results = results_of("outcomes")
    found = truth_panels(results)
    assert found is not None
    data = curves(results)[0].data
    packed = data["panels"][2]["curves"]
    steps, heights = unpacked(packed["steps"]), unpacked(packed["missed"])
    start = 0
    for count, curve in zip(packed["counts"], found.panels[2].curves, strict=True):
        assert curve is not None
        part = slice(start, start + count)
        x = packed["from"] + (packed["to"] - packed["from"]) * np.cumsum(steps[part]) / 65535
        column = np.floor(np.clip(curve.truths, 0, 1 - 1e-9) * 1100)
        drawn = np.floor(np.clip(x, 0, 1 - 1e-9) * 1100)
        for each in np.unique(drawn):
            near = curve.missed[np.abs(column - each) <= 1]
            inside = heights[part][drawn == each]
            assert near.min() - 1e-6 <= inside.min()
            assert inside.max() <= near.max() + 1e-6
        assert heights[part].max() == pytest.approx(curve.missed.max(), rel=1e-6)
        start += count


def test_the_sentence_says_how_far_wald_falls_and_over_how_much_of_the_range() -> None:
    results = results_of("outcomes")
    data = curves(results)[0].data
    found = truth_panels(results)
    assert found is not None
    for panel, packed in zip(found.panels, data["panels"], strict=True):
        assert panel.size is not None
        curve = panel.curves[found.methods.index("wald")]
        assert curve is not None
        grid = np.linspace(0, 1, 200_001)
        above = (np.interp(grid, curve.truths, curve.missed) > 0.05).mean()
        start = f"At n = {panel.size[0]:.0f}, Wald falls to 0.00 % near p = 0 and is below "
        text = packed["say"][0]
        assert text.startswith(f"{start}95 % over ")
        share = re.fullmatch(r"95 % over (.*) % of the range; .*", text.removeprefix(start))
        assert (float(share[1]) / 100 if share else 1) == pytest.approx(above, abs=1e-3)
        assert text.endswith("; Clopper-Pearson never is.")


def test_a_share_above_a_limit_is_measured_along_straight_pieces() -> None:
    curve = MissCurve(np.array([0, 1, 1, 2, 4]), np.array([0, 1, 0, 0, 1.0]))
    assert share_above(curve, 0.25) == pytest.approx((0.75 + 0 + 1.5) / 4)
    assert share_above(curve, 2) == 0
    assert share_above(curve, -1) == 1


def test_each_size_has_its_own_sentences() -> None:
    for section in curves(results_of("outcomes")):
        says = [tuple(each["say"]) for each in section.data["panels"]]
        assert len(set(says)) == len(says) == 3


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("outcomes", ["true value", "outcome"]),
        ("truths", ["true value", "outcome"]),
        ("rates", ["true value"]),
        ("two_samples", ["true value"]),
        ("estimates", ["true value"]),
        ("one_size", ["true value"]),
        ("lists", ["size"]),
        ("ratios", ["true value"]),
    ],
)
def test_families_have_the_curves_that_apply_to_them(name: str, titles: list[str]) -> None:
    found = [each.title.partition(" over the ")[2] for each in curves(results_of(name))]
    assert found == titles
    if found:
        text = page_of(*curves(results_of(name)))
        assert len(set(ids_in(text))) == len(ids_in(text))


def test_results_without_cells_have_no_curves() -> None:
    results = results_of("truths")
    empty = Results(results.cells.clear(), results.summary, results.manifest)
    assert curves(empty) == []
    assert outcome_panels(empty) is None


def test_the_second_true_value_is_held() -> None:
    results = results_of("two_samples")
    data = only(curves(results)).data
    assert data["held"] == ["p2 = 0.2", "p2 = 0.5"]
    assert data["sizes"] == ["n1 = 5, n2 = 5", "n1 = 10, n2 = 10"]
    cells = results.cells.filter(n1=10, truth2=0.5, method="newcombe", given="truth").sort("truth1")
    assert values(data["panels"][3], "missed", 2)[1].tolist() == cells["actual_alpha"].to_list()


def test_the_advised_method_of_many_and_wald_are_on_at_first() -> None:
    names = ["wilson", "jeffreys", "mid_p", "blaker", "sterne", "logit", "arcsine", "wald"]
    config = {
        "name": "many",
        "family": "proportion",
        "n": 10,
        "methods": names,
        "truth": {"grid": {"start": 0.1, "stop": 0.9, "count": 17}},
        "engines": ["enumeration"],
        "figures": [],
    }
    results = harness.run(config, out=None)
    section = only(curves(results))
    on = [names[row] for row in section.data["on"]]
    (judged,) = judgements(results)
    assert on == [choice(candidates_of(judged)).default.method, "wald"]
    assert sorted(section.data["series"]) == list(range(8))
    assert [section.data["series"][row] for row in section.data["on"]] == [0, 1]
    others = [title for row, title in enumerate(section.data["titles"]) if names[row] not in on]
    (panel,) = section.data["panels"]
    assert len(others) == 6
    assert not [title for title in others if title in " ".join(panel["say"])]
    boxes = re.findall(
        r'<input type="checkbox" id="part-curves-method-\d+"[^>]*>', page_of(section)
    )
    assert [" checked" in each for each in boxes] == [name in on for name in names]


def test_a_label_of_markup_is_text() -> None:
    text = page_of(*curves(results_of("truths")))
    assert '<b>"Wilson"' not in text.partition('<script type="application/json">')[0]
    assert "&lt;b&gt;&#34;Wilson&#34;&lt;/b&gt;, ours" in text


def test_the_same_results_give_the_same_page() -> None:
    assert page_of(*curves(results_of("outcomes"))) == page_of(*curves(results_of("outcomes")))


def test_a_page_without_scripts_has_a_picture_of_the_methods_that_are_on() -> None:
    section = curves(results_of("outcomes"))[0]
    first, second = section.context["stills"]
    assert [line.title for line in first.lines][:2] == ["Clopper-Pearson", "Wald"]
    assert first.alt == section.context["says"][0]
    assert all(line.path.startswith("M") for line in (*first.lines, *second.lines))


def test_a_still_picture_goes_from_the_lowest_to_the_highest_value() -> None:
    x = np.array([0.0, 1, 2, 3])
    picture = still_picture(
        "", ("x", "y"), [CurveLine("one", x, np.array([0, 1, np.nan, 2]))], (0, 2)
    )
    assert picture.lines[0].path == (
        f"M{picture.left}.0 {picture.bottom}.0L274.7 133.0M{picture.right}.0 {picture.top}.0"
        f"L{picture.right}.0 {picture.top}.0"
    )
    assert [tick.text for tick in picture.y_ticks] == ["0", "0.5", "1", "1.5", "2"]


def test_ticks_are_round_numbers_within_the_range() -> None:
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(0.8, 1) == pytest.approx([0.8, 0.85, 0.9, 0.95, 1.0])
    assert ticks(3, 3) == [3]


def test_estimates_alone_are_said_to_be_of_monte_carlo() -> None:
    results = results_of("estimates")
    says = only(curves(results)).data["panels"][0]["say"]
    lowest = results.cells.filter(pl.col("given") == "truth", n=5)["actual_alpha"].max()
    assert says[0].startswith("At n = 5, by Monte Carlo Wald covers least often: ")
    assert f"{100 * (1 - float(lowest)):.2f} %" in says[0]  # type: ignore[arg-type]


def test_only_lengths_of_two_sided_intervals_are_references() -> None:
    section = curves(results_of("outcomes"))[0]
    assert section.data["titles"][3] == "Wilson score (upper limit)"
    assert [row for row, _ in section.context["comparable"]] == [0, 1, 2]
    assert page_of(section).count("relative to ") == 3


def test_one_true_value_is_said_to_be_the_only_one() -> None:
    config = {
        "name": "one",
        "family": "rate",
        "exposure": 5,
        "methods": ["garwood"],
        "truth": {"values": [0.3]},
        "engines": ["enumeration"],
        "figures": [],
    }
    results = harness.run(config, out=None)
    first, second = only(curves(results)).data["panels"][0]["say"]
    cells = results.cells.row(0, named=True)
    covered = f"{100 * (1 - cells['actual_alpha']):.2f} %"
    assert first == f"At exposure = 5, Garwood covers {covered} at rate = 0.3, not below 95 %."
    assert second == f"At exposure = 5, the length is {cells['length']:.3g} at rate = 0.3."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1000, "n = 1000"),
        (12345.6, "n = 12346"),
        (0.12345, "n = 0.123"),
        (-2, "n = \N{MINUS SIGN}2"),
    ],
)
def test_positions_that_are_whole_have_all_their_digits(value: float, text: str) -> None:
    assert Words([], [], [], -1, "n", family_of("proportion")).place(value) == text


def test_a_picture_of_one_position_has_room_on_both_sides() -> None:
    picture = still_picture(
        "", ("x", "y"), [CurveLine("one", np.array([0.3]), np.array([1.0]))], (0, 2)
    )
    assert [tick.text for tick in picture.x_ticks][::6] == ["0.27", "0.33"]
    assert picture.lines[0].path.startswith("M383.0 ")


def test_axes_end_where_true_values_do() -> None:
    assert only(curves(results_of("rates"))).data["ends"] == [0, None]
    assert curves(results_of("truths"))[0].data["ends"] == [0, 1]


def test_a_calibration_has_the_picture_and_the_values_of_its_bins() -> None:
    results = results_of("calibrated")
    section = only(calibration_picture(results))
    text = page_of(section)
    (table,) = tables_in(text)
    cells = results.cells.filter(pl.col("trials") > 0)
    assert [row[3] for row in table.texts] == [f"{each:.5g}" for each in cells["mean_probability"]]
    assert text.count('<figure class="still">') == 2
    held = cells.filter(
        pl.col("ci_lower") <= pl.col("mean_probability"),
        pl.col("mean_probability") <= pl.col("ci_upper"),
        reference="prior",
    )
    said = f"Under the prior {held.height} of {cells.filter(reference='prior').height} of the "
    assert section.context["sentence"].startswith(said)
    empty = Results(results.cells.clear(), results.summary, results.manifest)
    assert calibration_picture(empty) == []
