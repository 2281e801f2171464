"""Every figure can be read, on paper and on the screen."""

from functools import cache
from typing import Any

import pytest

from harness.figures.catalogue import FIGURES
from harness.figures.draw import drawings
from harness.figures.kind import Drawing
from harness.figures.look import style
from harness.figures.look.layout import END
from tests.figures.cases import CASES
from tests.figures.layout import SMALLEST, outside, over_data, overlapping, printed
from tests.figures.tables import Spec

ALL = pytest.mark.parametrize("case", CASES)


PAGES = {"coverage of many methods", "five tails", "zip plot of three methods"}
PAGES |= {"coverage over the size on twelve panels"}
PAGES |= {"ranks of three methods", "coverage at all levels"}


@cache
def drawn(case: str) -> list[Drawing]:
    results, spec = CASES[case]()
    return drawings(results, [spec])


@ALL
def test_texts_are_legible_apart_and_on_the_page(case: str) -> None:
    for drawing in drawn(case):
        texts = printed(drawing.figure)
        assert texts
        assert min(text.points for text in texts) >= SMALLEST
        assert overlapping(texts) == []
        assert outside(drawing.figure, texts) == []
        assert over_data(drawing.figure) == []


@ALL
def test_figures_are_as_wide_as_a_column_or_a_page(case: str) -> None:
    """Print sizes: a text of 6 points is one of 6 points on paper."""
    for drawing in drawn(case):
        page = drawing.stem.endswith("-map") or case in PAGES
        width = style.PAGE if page else style.COLUMN
        assert drawing.figure.get_figwidth() * 25.4 == pytest.approx(width)
        assert drawing.figure.get_dpi() == 300


OTHER_SIZES = [
    ("surface with blanks", {"width": 85, "title": "A map as narrow as a column"}),
    ("five tails", {"width": 120}),
    ("one-sided bounds", {"width": 110, "font_size": 9.0}),
    (
        "length over the outcome of many methods",
        {"width": 100, "title": "Many methods" + " of one length" * 5},
    ),
    ("coverage over crossed sizes", {"width": 120, "columns": 4, "font_size": 6.0}),
    ("limits over many sizes", {"width": 60, "dpi": 120}),
    ("expected length", {"width": 70, "height": 90, "title": "How long?"}),
]


@pytest.mark.parametrize(("case", "asked"), OTHER_SIZES)
def test_texts_are_apart_and_on_the_page_in_other_sizes(case: str, asked: dict[str, Any]) -> None:
    results, spec = CASES[case]()
    for drawing in drawings(results, [Spec(spec.kind, {**spec.options, **asked})]):
        texts = printed(drawing.figure)
        assert overlapping(texts) == []
        assert outside(drawing.figure, texts) == []
        assert over_data(drawing.figure) == []
        assert drawing.figure.get_figwidth() * 25.4 == pytest.approx(asked["width"])


def test_lines_of_eight_methods_and_more_have_names_at_their_ends() -> None:
    (drawing,) = drawn("expected length of many methods")
    ends = [text for text in drawing.figure.axes[0].texts if text.get_gid() == END]
    (legend,) = drawing.figure.legends
    assert len(ends) == len(legend.get_texts()) == 8
    (few,) = drawn("expected length")
    assert list(few.figure.axes[0].texts) == []


def test_every_kind_is_among_the_cases() -> None:
    assert {case()[1].kind for case in CASES.values()} == set(FIGURES)


def test_the_check_finds_what_it_is_for() -> None:
    with style.drawing_settings():
        figure = style.new_figure(style.COLUMN, 60, constrained=False)
        axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
        axes.set_axis_off()
        axes.plot([0, 1], label="a line")
        figure.text(0.5, 0.5, "one text")
        figure.text(0.52, 0.5, "another", fontsize=5)
        figure.text(0.5, 0.48, "slanted", rotation=30)
        figure.text(0.1, 0.9, "apart")
        figure.text(0.95, 0.1, "beyond the edge")
        figure.legend(loc="lower center", title="on the data")
    texts = printed(figure)
    pairs = {frozenset(pair) for pair in overlapping(texts)}
    assert frozenset({"one text", "another"}) in pairs
    assert frozenset({"one text", "slanted"}) in pairs
    assert not any("apart" in pair for pair in pairs)
    assert outside(figure, texts) == ["beyond the edge"]
    assert over_data(figure) == ["on the data"]
    assert min(text.points for text in texts) < SMALLEST
