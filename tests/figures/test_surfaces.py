"""What the surfaces show is what the tables hold."""

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

from harness.base.errors import InputError
from harness.figures.kinds.surfaces import outcome_at
from harness.figures.look.labels import cell_text
from harness.figures.selection import percent_longer
from tests.figures.cases import DECADES
from tests.figures.layout import all_named, draw, named, stems
from tests.figures.tables import outcome_cells, surface_cells

STEPS = 20


def surfaces(cells: pl.DataFrame, kind: str, **options: Any) -> dict[str, Figure]:
    drawn = draw(cells, kind, **options)
    return {drawing.stem.rpartition("-")[2]: drawing.figure for drawing in drawn}


@cache
def paper(method: str) -> tuple[pl.DataFrame, dict[str, Figure]]:
    """The cells of a method on the paper's grid, and the alpha surfaces drawn from them."""
    cells = surface_cells(DECADES, [method])
    return cells, surfaces(cells, "alpha_surface")


def table(cells: pl.DataFrame, column: str) -> np.ndarray:
    """The column on the paper's grid, cell by cell."""
    values = {(row["n"], row["x"]): row[column] for row in cells.iter_rows(named=True)}
    rows = [
        [values[n, int((2 * n * step + STEPS) // (2 * STEPS))] for step in range(STEPS + 1)]
        for n in DECADES
    ]
    return np.array(rows)


def z_range(figure: Figure) -> tuple[float, float]:
    """The lowest and highest point of the wireframe."""
    low, high = figure.axes[0].zz_dataLim.intervalx
    return float(low), float(high)


def heading(figure: Figure) -> str:
    return figure.texts[0].get_text()


def test_fractions_of_n_are_rounded_half_up() -> None:
    assert [outcome_at(10, step, 20) for step in range(21)] == [
        0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10,
    ]  # fmt: skip
    assert [outcome_at(1, step, 4) for step in range(5)] == [0, 0, 1, 1, 1]
    # 3/20 is a little less than 0.15 in binary; the tie is one all the same.
    assert outcome_at(30, 3, 20) == 5


def test_common_scale_cuts_what_lies_below_and_says_so() -> None:
    cells, drawn = paper("wald")
    figure = drawn["common"]
    errors = table(cells, "alpha_error")
    assert errors.min() == pytest.approx(-0.95)
    assert z_range(figure) == (-0.05, pytest.approx(errors.max()))
    assert figure.axes[0].get_zlim() == (-0.05, 0.05)
    count = int((errors < -0.05).sum())
    assert f"{count} of 441 values below −0.05 drawn at −0.05" in heading(figure)


def test_common_scale_says_when_nothing_is_cut() -> None:
    figure = paper("clopper_pearson")[1]["common"]
    assert "no value beyond ±0.05" in heading(figure)
    assert figure.axes[0].get_zlim() == (-0.05, 0.05)


def test_common_scale_cuts_what_lies_above_too() -> None:
    cells = surface_cells(DECADES, ["clopper_pearson"])
    errors = table(cells, "alpha_error")
    figure = surfaces(cells, "alpha_surface", scale=0.02)["common"]
    assert z_range(figure) == (pytest.approx(errors.min()), 0.02)
    count = int((errors > 0.02).sum())
    assert f"{count} of 441 values above 0.02 drawn at 0.02" in heading(figure)


def test_own_scale_holds_all_values() -> None:
    cells, drawn = paper("wald")
    figure = drawn["own"]
    errors = table(cells, "alpha_error")
    assert z_range(figure) == pytest.approx((errors.min(), errors.max()))
    low, high = figure.axes[0].get_zlim()
    assert low <= errors.min()
    assert errors.max() <= high


def test_small_errors_are_drawn_in_a_power_of_ten() -> None:
    cells = surface_cells(DECADES, ["clopper_pearson"]).with_columns(
        alpha_error=pl.col("alpha_error") * 1e-6
    )
    drawn = surfaces(cells, "alpha_surface")
    errors = table(cells, "alpha_error")
    assert drawn["own"].axes[0].get_zlabel() == "α error (nominal − actual), in 10⁻⁸"
    assert z_range(drawn["own"]) == pytest.approx((errors.min() * 1e8, errors.max() * 1e8))
    assert drawn["map"].axes[1].get_ylabel() == "α error (nominal − actual)"


def test_wireframe_axes_are_log_n_and_the_fraction() -> None:
    axes = paper("wald")[1]["own"].axes[0]
    ticks = ("1", "10", "100", "1000", "10⁴")
    assert axes.get_xlim() == (0, 4)
    assert axes.get_ylim() == (0, 1)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == list(ticks)
    assert axes.get_xlabel() == "n (log scale)"
    assert axes.get_ylabel() == "x/n"
    assert axes.get_zlabel() == "α error (nominal − actual)"


@pytest.mark.parametrize("method", ["wald", "clopper_pearson"])
def test_heat_map_prints_and_colours_the_table(method: str) -> None:
    cells, drawn = paper(method)
    figure = drawn["map"]
    errors = table(cells, "alpha_error")
    np.testing.assert_allclose(named(figure, "map").get_array(), errors, rtol=1e-12)
    printed = {text.get_gid(): text for text in figure.axes[0].texts}
    assert len(printed) == errors.size
    for (row, column), error in np.ndenumerate(errors):
        text = printed[f"value-{row}-{column}"]
        assert text.get_position() == (column, row)
        value = 1e3 * error
        last_digit = 0.01 if abs(value) < 0.995 else 0.1 if abs(value) < 99.95 else 1
        shown = float(text.get_text().replace("–", "-"))
        assert abs(shown - value) <= last_digit / 2 + 1e-9


def test_heat_map_colours_are_centred_on_zero_and_reach_the_scale() -> None:
    figure = paper("wald")[1]["map"]
    assert named(figure, "map").get_clim() == pytest.approx((-0.05, 0.05))
    axes = figure.axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [str(n) for n in DECADES]
    assert axes.get_xticklabels()[1].get_text() == "0.05"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x/n", "n")
    assert figure.axes[1].get_ylabel() == "α error (nominal − actual)"
    assert "numbers in units of 10⁻³" in figure.axes[0].get_title(loc="left")


def test_errors_of_rounding_are_said_to_be_flat_and_neither_painted_nor_printed() -> None:
    """The colours reach to alpha however small the errors are."""
    drawn = paper("balanced_tail")[1]
    figure = drawn["map"]
    assert sorted(drawn) == ["common", "map"]
    assert not named(figure, "map").get_array().any()
    assert named(figure, "map").get_clim() == (-0.05, 0.05)
    assert "flat: the α error is zero up to rounding" in figure.axes[0].get_title(loc="left")
    assert not figure.axes[0].texts
    assert "zero up to rounding" in heading(drawn["common"])
    assert "zero up to rounding" not in paper("wald")[1]["map"].axes[0].get_title(loc="left")


def test_colours_reach_at_least_to_alpha() -> None:
    cells = surface_cells((10, 20), ["clopper_pearson"], alphas=(0.2,))
    figure = surfaces(cells, "alpha_surface", scale=0.02)["map"]
    assert named(figure, "map").get_clim() == (-0.2, 0.2)


def test_asymmetry_of_rounded_outcomes_is_noted_where_nothing_else_breaks_it() -> None:
    sentence = "differ only where x = n·f is rounded, half up (44 of 441 places)"
    assert sentence in paper("wald")[1]["map"].axes[0].get_title(loc="left").replace("\n", " ")
    skewed = surface_cells(DECADES, ["wald"]).with_columns(
        alpha_error=pl.col("alpha_error") + 0.001 * (pl.col("x") > 0.7 * pl.col("n"))
    )
    title = surfaces(skewed, "alpha_surface")["map"].axes[0].get_title(loc="left")
    assert "half up" not in title


def test_lengths_that_are_nowhere_shorter_have_a_sequential_scale() -> None:
    cells = surface_cells(DECADES, ["clopper_pearson", "balanced_tail", "wald"])
    longer = surfaces(cells, "length_surface", method="clopper_pearson", reference="balanced_tail")[
        "map"
    ]
    both = surfaces(cells, "length_surface", method="wald", reference="balanced_tail")["map"]
    colours = named(longer, "map")
    assert colours.get_array().min() >= 0
    assert colours.get_clim() == (0, pytest.approx(colours.get_array().max()))
    low, high = named(both, "map").get_clim()
    assert low == -high < 0
    assert colours.cmap.name != named(both, "map").cmap.name


def test_a_map_as_narrow_as_a_column_has_colours_and_no_numbers() -> None:
    cells = surface_cells(DECADES, ["wald"])
    figure = surfaces(cells, "alpha_surface", width=85)["map"]
    assert figure.get_figwidth() * 25.4 == pytest.approx(85)
    assert {text.get_text() for text in figure.axes[0].texts} == {"–"}
    marked = {text.get_position() for text in figure.axes[0].texts}
    dark = np.argwhere(table(cells, "alpha_error") < -0.005)
    assert marked == {(column, row) for row, column in dark}
    assert "units" not in figure.axes[0].get_title(loc="left")


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (-0.0, "0"), (0.004, "0.00"), (-0.126, "–0.13"), (0.996, "1.0"), (-34.72, "–34.7"),
     (99.96, "100"), (-950.0, "–950"), (float("nan"), "")],
)  # fmt: skip
def test_cells_have_at_most_three_digits(value: float, words: str) -> None:
    assert cell_text(value) == words


def test_outcomes_without_a_trial_stay_blank_and_are_counted() -> None:
    cells = pl.concat([outcome_cells(n, ["balanced_tail"]) for n in (10, 20)]).filter(
        (pl.col("engine") == "monte_carlo") & (pl.col("x") != 0)
    )
    drawn = surfaces(cells, "alpha_surface", engine="monte_carlo", fractions=11)
    shown = named(drawn["map"], "map").get_array()
    assert np.argwhere(np.ma.getmaskarray(shown)).tolist() == [[0, 0], [1, 0]]
    assert all_named(drawn["map"], "value-0-0") == []
    assert "2 blank: x never came up" in heading(drawn["own"])


def test_percent_longer_is_undefined_without_a_reference() -> None:
    length = np.array([2.0, 0.0, 1.0, 1.0, np.nan])
    reference = np.array([1.6, 1.0, 0.0, np.nan, 1.0])
    np.testing.assert_allclose(
        percent_longer(length, reference), [25.0, -100.0, np.nan, np.nan, np.nan]
    )


def test_length_surface_is_the_percentage_of_the_tables() -> None:
    cells = surface_cells(DECADES, ["clopper_pearson", "balanced_tail"])
    drawn = surfaces(cells, "length_surface", reference="balanced_tail")
    length, base = (
        table(cells.filter(pl.col("method") == name), "length")
        for name in ("clopper_pearson", "balanced_tail")
    )
    percent = 100 * (length - base) / base
    shown = named(drawn["map"], "map").get_array()
    np.testing.assert_allclose(shown, percent, rtol=1e-12)
    assert z_range(drawn["mesh"]) == pytest.approx((percent.min(), percent.max()))
    label = "length (% over Bayesian balanced tails)"
    assert drawn["mesh"].axes[0].get_zlabel() == drawn["map"].axes[1].get_ylabel() == label


def test_length_is_blank_where_the_reference_has_none() -> None:
    cells = surface_cells(DECADES, ["wald", "balanced_tail"])
    drawn = surfaces(cells, "length_surface", reference="wald")
    wald = table(cells.filter(pl.col("method") == "wald"), "length")
    assert (wald == 0).any()
    shown = named(drawn["map"], "map").get_array()
    np.testing.assert_array_equal(np.ma.getmaskarray(shown), wald == 0)
    assert f"{(wald == 0).sum()} blank: Wald has no length" in heading(drawn["mesh"])


def test_lengths_are_compared_within_a_side_unless_a_method_is_named() -> None:
    cells = surface_cells((5, 10, 20), ["wald", "clopper_pearson", "balanced_tail"])
    cells = cells.with_columns(
        side=pl.when(pl.col("method") == "wald").then(pl.lit("upper")).otherwise("side")
    )
    reference = "balanced_tail"
    assert stems(cells, "length_surface", reference=reference) == [
        "length_surface-clopper_pearson-over-balanced_tail-map",
        "length_surface-clopper_pearson-over-balanced_tail-mesh",
    ]
    drawn = draw(cells, "length_surface", reference=reference, method="wald")
    assert heading(drawn[1].figure).startswith("Wald (upper limit)")


def test_surfaces_are_named_by_method_alpha_and_engine() -> None:
    cells = surface_cells((5, 10, 20), ["wald"], alphas=(0.05, 0.1))
    also = pl.concat([cells, cells.with_columns(engine=pl.lit("enumeration"))])
    assert stems(also, "alpha_surface", alpha=0.1, engine="enumeration") == [
        "alpha_surface-wald-alpha0.1-enumeration-map",
        "alpha_surface-wald-alpha0.1-enumeration-common",
        "alpha_surface-wald-alpha0.1-enumeration-own",
    ]


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("alpha_surface", {"engine": "enumeration"}, "no cells per outcome by enumeration"),
        ("alpha_surface", {"fractions": 31}, "no cell x = 3 of n = 100; .* hold these 31"),
        ("alpha_surface", {"method": "wilson"}, "no method wilson, only wald"),
        ("length_surface", {}, "no method minimal_length, only wald"),
        ("length_surface", {"reference": "wald"}, "no two-sided method besides wald"),
    ],
)
def test_absent_cells_and_methods_are_refused(
    kind: str, options: dict[str, object], message: str
) -> None:
    cells = surface_cells((100, 1000), ["wald"])
    with pytest.raises(InputError, match=message):
        draw(cells, kind, **options)


def test_one_size_is_no_surface() -> None:
    with pytest.raises(InputError, match="at least two sizes"):
        draw(surface_cells((10,), ["wald"]), "alpha_surface")
