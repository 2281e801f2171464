"""Every figure can be read, on paper and on the screen."""

from __future__ import annotations

import pytest

from harness.figures import style
from harness.figures.catalogue import FIGURES
from harness.figures.draw import drawings
from tests.figures.cases import CASES
from tests.figures.layout import SMALLEST, outside, over_data, overlapping, printed

HEAT_MAPS = "-map"
PANELS_OF_A_PAGE = "coverage of many methods"


@pytest.mark.parametrize("case", CASES)
def test_texts_are_legible_apart_and_on_the_page(case: str) -> None:
    results, spec = CASES[case]()
    for drawing in drawings(results, [spec]):
        texts = printed(drawing.figure)
        assert texts
        assert min(text.points for text in texts) >= SMALLEST
        assert overlapping(texts) == []
        assert outside(drawing.figure, texts) == []
        assert over_data(drawing.figure) == []


@pytest.mark.parametrize("case", CASES)
def test_figures_are_as_wide_as_a_column_or_a_page(case: str) -> None:
    results, spec = CASES[case]()
    for drawing in drawings(results, [spec]):
        page = drawing.stem.endswith(HEAT_MAPS) or case == PANELS_OF_A_PAGE
        width = style.PAGE if page else style.COLUMN
        assert drawing.figure.get_figwidth() * 25.4 == pytest.approx(width)
        assert drawing.figure.get_dpi() == 300


def test_every_kind_is_among_the_cases() -> None:
    assert {case()[1].kind for case in CASES.values()} == set(FIGURES)
