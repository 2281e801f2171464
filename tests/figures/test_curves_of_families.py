"""What the curves over the true value show of rates and of two samples."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

from harness.errors import InputError
from harness.figures.draw import drawings
from tests.figures.artists import named
from tests.figures.pair_tables import pair_truth_cells
from tests.figures.rate_tables import rate_truth_cells
from tests.figures.tables import FakeResults, Spec

FIRST, SECOND = np.array([0.1, 0.5, 0.7]), np.array([0.2, 0.1 + 0.2])
"""The second value of SECOND is not the number 0.3."""


def pairs(*sizes: tuple[int, int], second: np.ndarray = SECOND) -> pl.DataFrame:
    return pl.concat(
        pair_truth_cells(n1, n2, ["exact_union"], first=FIRST, second=second) for n1, n2 in sizes
    )


def stem_and_figure(cells: pl.DataFrame, kind: str, **options: object) -> tuple[str, Figure]:
    (drawing,) = drawings(FakeResults(cells), [Spec(kind, options)])
    return drawing.stem, drawing.figure


def test_the_axis_of_rates_reaches_over_the_data() -> None:
    cells = rate_truth_cells(["garwood"], rates=np.linspace(0.5, 8, 16), exposure=2.0)
    stem, figure = stem_and_figure(cells, "coverage_curve")
    assert stem == "coverage_curve-exposure2"
    assert figure.axes[0].get_xlim() == (0.5, 8)
    assert figure.get_supxlabel() == "true rate (events per unit of exposure)"
    assert figure.legends[0].get_title().get_text() == "coverage at exposure = 2"
    rows = cells.filter(pl.col("engine") == "enumeration")
    exact = named(figure, "exact")
    assert list(exact.get_xdata()) == rows["truth"].to_list()
    np.testing.assert_allclose(exact.get_ydata(), 1 - rows["actual_alpha"], rtol=1e-12)
    _, lengths = stem_and_figure(cells, "length_curve")
    assert lengths.axes[0].get_xlim() == (0.5, 8)
    assert lengths.axes[0].get_xlabel() == "true rate (events per unit of exposure)"


def test_a_single_rate_has_an_axis_around_it() -> None:
    cells = rate_truth_cells(["garwood"], rates=np.array([3.0]))
    low, high = stem_and_figure(cells, "coverage_curve")[1].axes[0].get_xlim()
    assert low < 3 < high


@pytest.mark.parametrize(("asked", "held"), [(0.2, SECOND[0]), (0.3, SECOND[1])])
def test_two_samples_are_drawn_over_the_first_truth_with_the_second_held(
    asked: float, held: float
) -> None:
    cells = pairs((8, 6))
    rows = cells.filter((pl.col("truth2") == held) & (pl.col("engine") == "enumeration"))
    stem, figure = stem_and_figure(cells, "coverage_curve", second=asked)
    assert stem == f"coverage_curve-n1_8-n2_6-second{asked:g}"
    exact = named(figure, "exact")
    assert list(exact.get_xdata()) == FIRST.tolist() == rows["truth1"].to_list()
    np.testing.assert_allclose(exact.get_ydata(), 1 - rows["actual_alpha"], rtol=1e-12)
    assert figure.get_supxlabel() == "true proportion p1"
    title = figure.legends[0].get_title().get_text()
    assert title == f"coverage at n1 = 8, n2 = 6, p2 = {asked:g}"
    _, lengths = stem_and_figure(cells, "length_curve", second=asked)
    assert list(named(lengths, "length-0").get_ydata()) == rows["length"].to_list()


def test_the_only_second_truth_need_not_be_named() -> None:
    stem, figure = stem_and_figure(pairs((8, 6), second=SECOND[:1]), "length_curve")
    assert stem == "length_curve-n1_8-n2_6"
    assert "p2 = 0.2" in figure.legends[0].get_title().get_text()


def test_sizes_of_two_samples_are_asked_for_as_a_pair() -> None:
    cells = pairs((8, 6), (6, 8))
    stem, _ = stem_and_figure(cells, "coverage_curve", n=[6, 8], second=0.2)
    assert stem == "coverage_curve-n1_6-n2_8-second0.2"
    with pytest.raises(InputError, match=r"say which n to draw, one of \[8, 6\], \[6, 8\]"):
        stem_and_figure(cells, "coverage_curve", second=0.2)
    for n, written in (([8, 8], r"\[8, 8\]"), (8, "8")):
        with pytest.raises(InputError, match=rf"hold no n {written}, only \[8, 6\], \[6, 8\]"):
            stem_and_figure(cells, "coverage_curve", n=n, second=0.2)


def test_a_second_truth_that_is_not_clear_is_asked_for() -> None:
    with pytest.raises(InputError, match=r"say which true value of the second sample, one of 0\.2"):
        stem_and_figure(pairs((8, 6)), "coverage_curve")
    with pytest.raises(InputError, match=r"no second true value 0\.25, only 0\.2, 0\.3"):
        stem_and_figure(pairs((8, 6)), "coverage_curve", second=0.25)


def test_two_exposures_are_told_too() -> None:
    cells = pairs((8, 6), second=SECOND[:1]).rename({"n1": "exposure1", "n2": "exposure2"})
    cells = cells.with_columns(
        pl.col("exposure1", "exposure2").cast(pl.Float64), family=pl.lit("rate_difference")
    )
    stem, figure = stem_and_figure(cells, "coverage_curve")
    assert stem == "coverage_curve-exposure1_8-exposure2_6"
    assert figure.get_supxlabel() == "true rate1 (events per unit of exposure)"
    title = figure.legends[0].get_title().get_text().replace("\n", " ")
    assert title == "coverage at exposure1 = 8, exposure2 = 6, rate2 = 0.2"
