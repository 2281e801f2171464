"""The options that every figure has: title, sizes, ranges, formats and a style of the user's."""

from pathlib import Path
from typing import Any

import matplotlib.colors
import matplotlib.style
import pytest
from PIL import Image
from pydantic import ValidationError

from harness.base.errors import InputError
from harness.figures.draw import draw_figures
from harness.figures.options import PanelOptions
from tests.figures.layout import draw_one, named, outside, over_data, overlapping, printed
from tests.figures.tables import FakeResults, Spec, outcome_cells, truth_cells

KIND = "limits_over_size"


@pytest.fixture(scope="module")
def cells() -> Any:
    import polars as pl

    return pl.concat([outcome_cells(n, ["wald", "balanced_tail"]) for n in (10, 50)])


def test_a_figure_has_the_size_in_mm_and_the_dots_per_inch_that_are_asked_for(
    cells: Any, tmp_path: Path
) -> None:
    asked = {"width": 120, "height": 70, "dpi": 100}
    (path,) = draw_figures(FakeResults(cells), [Spec(KIND, asked)], tmp_path)
    with Image.open(path) as image:
        assert image.size == (int(120 / 0.254), int(70 / 0.254))


def test_the_title_stands_above_everything_else_and_the_figure_grows_by_it(cells: Any) -> None:
    title = "What an evaluation of fifty cases can tell, and what it cannot tell at all"
    plain, titled = (
        draw_one(cells, KIND, laid_out=True, **more) for more in ({}, {"title": title})
    )
    text = named(titled, "title")
    assert text.get_text().split() == title.split()
    assert titled.get_figheight() > plain.get_figheight()
    assert overlapping(printed(titled)) == []
    assert over_data(titled) == []
    below = [each.box.y1 for each in printed(titled) if each.words != text.get_text()]
    assert text.get_window_extent().y0 >= max(below)
    same = draw_one(cells, KIND, title=title, height=80)
    assert same.get_figheight() * 25.4 == pytest.approx(80)


def test_the_size_of_labels_is_asked_for(cells: Any) -> None:
    figure = draw_one(cells, KIND, laid_out=True, font_size=10, width=120)
    texts = printed(figure)
    assert figure.axes[0].xaxis.label.get_fontsize() == 10
    assert min(text.points for text in texts) >= 9
    assert overlapping(texts) == []
    assert outside(figure, texts) == []


def test_axes_go_over_the_ranges_that_are_asked_for(cells: Any) -> None:
    (axes,) = draw_one(cells, KIND, xlim=[5, 200], ylim=[0.2, 0.8]).axes
    assert axes.get_xlim() == (5, 200)
    assert axes.get_ylim() == (0.2, 0.8)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [
        "5",
        "10",
        "20",
        "50",
        "100",
        "200",
    ]
    with pytest.raises(InputError, match="xlim: expected numbers above 0 on a logarithmic axis"):
        draw_one(cells, KIND, xlim=[0, 200])


def test_each_figure_is_written_in_the_formats_it_asks_for_unless_others_are_named(
    cells: Any, tmp_path: Path
) -> None:
    specs = [Spec(KIND, {"format": ["pdf", "svg"], "width": 40}), Spec("bounds", {"n": 50})]
    names = [path.name for path in draw_figures(FakeResults(cells), specs, tmp_path)]
    assert names == ["limits_over_size-0.5.pdf", "limits_over_size-0.5.svg", "bounds-n50.png"]
    paths = draw_figures(FakeResults(cells), specs, tmp_path, formats=["png"])
    assert [path.suffix for path in paths] == [".png", ".png"]


def test_a_style_file_sets_fonts_and_widths_and_not_the_colours_of_methods(
    cells: Any, tmp_path: Path
) -> None:
    style = tmp_path / "mine.mplstyle"
    style.write_text('lines.linewidth: 2.5  # thick\nfont.size: 9\naxes.edgecolor: "#CC0000"\n')
    plain, styled = (draw_one(cells, KIND, **more) for more in ({}, {"style": str(style)}))
    line, thick = (named(figure, "lower-0") for figure in (plain, styled))
    assert (line.get_linewidth(), thick.get_linewidth()) == (1.0, 2.5)
    assert styled.axes[0].xaxis.label.get_fontsize() == 9
    assert line.get_color() == thick.get_color()
    assert draw_one(cells, KIND, style={"font.size": "9"}).axes[0].xaxis.label.get_fontsize() == 9


def test_every_style_of_matplotlib_is_taken_by_its_name() -> None:
    for name in matplotlib.style.available:
        assert PanelOptions.model_validate({"style": name}).style, name


def test_a_style_by_name_is_that_of_matplotlib(cells: Any) -> None:
    figure = draw_one(cells, KIND, style="ggplot")
    assert matplotlib.colors.to_hex(figure.axes[0].get_facecolor()) == "#e5e5e5"


def test_a_colour_of_a_method_is_that_of_its_curve_alone(cells: Any) -> None:
    plain, coloured = (
        [named(draw_one(cells, KIND, **more), name).get_color() for name in ("lower-0", "lower-1")]
        for more in ({}, {"colours": {"wald": "#123456"}})
    )
    assert "#123456" not in plain
    assert len({*plain, *coloured}) == 3
    assert coloured.count("#123456") == 1


def test_panels_stand_in_the_columns_asked_for_and_leave_no_gap() -> None:
    import polars as pl

    truths = [0.1, 0.2, 0.3, 0.4, 0.5]
    cells = pl.concat([truth_cells(n, ["wald"], truths=truths) for n in (10, 50)])
    for columns, rows in ((None, [1] * 5), (3, [3, 2])):
        figure = draw_one(cells, "coverage_over_size", laid_out=True, columns=columns)
        boxes = [axes.get_position() for axes in figure.axes]
        tops = sorted({round(box.y0, 3) for box in boxes}, reverse=True)
        assert [sum(round(box.y0, 3) == top for box in boxes) for top in tops] == rows
        ends = [max(box.x1 for box in boxes if round(box.y0, 3) == top) for top in tops]
        assert ends == pytest.approx([ends[0]] * len(rows))


def test_the_name_of_a_shared_axis_stands_in_the_middle_of_the_panels() -> None:
    cells = truth_cells(20, ["wald", "balanced_tail"], count=9)
    figure = draw_one(cells, "coverage_curve", laid_out=True)
    boxes = [axes.get_position() for axes in figure.axes]
    middle = (min(box.y0 for box in boxes) + max(box.y1 for box in boxes)) / 2
    (label,) = (text for text in figure.texts if text.get_text().startswith("coverage,"))
    assert label.get_position()[1] == pytest.approx(middle)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("width", 20, "greater than or equal to 40"),
        ("height", 1000, "less than or equal to 400"),
        ("font_size", 2, "greater than or equal to 4"),
        ("dpi", 20, "greater than or equal to 50"),
        ("dpi", 2000, "less than or equal to 1200"),
        ("xlim", [1, 0], "expected values that increase"),
        ("ylim", [0], r"expected two numbers in increasing order, as in \[0, 1\]"),
        ("format", "gif", "'png', 'svg' or 'pdf'"),
        ("format", ["png", "png"], "each may be named once"),
        ("title", "two\nlines", "expected one line of text"),
        ("columns", 0, "greater than or equal to 1"),
        ("style", "absent.mplstyle", "expected an existing matplotlib style file"),
        ("style", "ggplto", "the name of a style; did you mean ggplot"),
        ("colours", {"wald": "redd"}, "expected a colour of matplotlib for wald, found 'redd'"),
        ("colours", ["red"], "expected a mapping of labels to colours"),
        ("style", {"font.sise": "9"}, "no setting of matplotlib; did you mean font.size"),
        ("style", {"font.size": "large one"}, "setting font.size"),
    ],
)
def test_options_that_do_not_hold_are_refused(option: str, value: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        PanelOptions.model_validate({option: value})
