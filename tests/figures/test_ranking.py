"""The table as a picture: a point for each method, at its worst alpha and its relative length."""

from __future__ import annotations

import pytest

from harness.base.errors import InputError
from harness.figures.draw import drawings
from tests.figures.artists import all_named, named
from tests.figures.cases import RANKED, ranked
from tests.figures.layout import overlapping, printed
from tests.figures.tables import Spec


def test_each_method_is_a_point_at_its_worst_alpha_and_relative_length() -> None:
    results = ranked((50,), RANKED)
    (drawing,) = drawings(results, [Spec("ranking")])
    # Blaker and Sterne alone are honest.
    honest = results.summary.filter(results.summary["worst_alpha"] <= 0.05)
    unit = honest["mean_length"].min()
    for method, worst in RANKED.items():
        length = results.summary.filter(method=method)["mean_length"].item()
        point = named(drawing.figure, f"method-{method}")
        (x,), (y,) = point.get_xdata(), point.get_ydata()
        assert x == (worst if worst <= 0.2 else 0.2)
        bottom, top = drawing.figure.axes[0].get_ylim()
        assert y == pytest.approx(min(max(100 * (length / unit - 1), bottom), top), abs=1e-9)
    names = [text.get_text() for text in all_named(drawing.figure, "point label")]
    assert any(name.startswith("Wald (α 0.9") for name in names), (
        "a method beyond the axis says where it is"
    )


def test_labels_of_many_methods_stay_apart() -> None:
    results = ranked((50,), {f"method_{i}": 0.05 + 0.001 * (i % 5) for i in range(20)})
    (drawing,) = drawings(results, [Spec("ranking")])
    texts = printed(drawing.figure)
    assert sum("method_" in text.words for text in texts) == 20
    assert overlapping(texts) == []


def test_the_line_of_the_shortest_honest_method_runs_through_no_label() -> None:
    # The point of the honest method lies on the line, and next to the upright one.
    results = ranked((50,), {"clopper_pearson": 0.049, "wilson": 0.1, "jeffreys": 0.12})
    (drawing,) = drawings(results, [Spec("ranking")])
    (axes,) = drawing.figure.axes
    line = axes.transData.transform((0.0, 0.0))[1]
    for label in all_named(drawing.figure, "point label"):
        box = label.get_window_extent()
        assert not box.y0 < line < box.y1, label.get_text()


def test_a_panel_per_size() -> None:
    results = ranked((10, 20, 50), RANKED)
    (drawing,) = drawings(results, [Spec("ranking", {"sizes": [10, 50]})])
    titles = [axes.get_title(loc="left") for axes in drawing.figure.axes]
    assert titles == ["n = 10", "n = 50"]
    assert drawing.stem == "ranking-n10-n50"
    with pytest.raises(InputError, match="ranking: the results hold no size 7, only 10, 20, 50"):
        drawings(results, [Spec("ranking", {"sizes": [7]})])


def test_without_an_honest_method_the_shortest_is_the_unit() -> None:
    (drawing,) = drawings(ranked((20,), {"wald": 0.3, "wilson": 0.1}), [Spec("ranking")])
    assert "no honest one" in drawing.figure.axes[0].get_title(loc="left").replace("\n", " ")
