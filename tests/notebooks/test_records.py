"""Public records as data frames, as tables of HTML, as figures, and unpacked."""

import re

import numpy as np
import pytest

import harness
from harness.base.errors import ConfigError, InputError
from harness.base.frames import MOST_ROWS

CONFIG = {
    "name": "notebook",
    "family": "proportion",
    "n": [10, 20],
    "methods": ["wilson", "wald"],
    "truth": {"grid": {"start": 0.1, "stop": 0.9, "count": 5}},
    "engines": ["enumeration"],
    "figures": [{"kind": "ranking"}],
}


@pytest.fixture(scope="module")
def results():
    return harness.run(CONFIG, out=None)


def cells(html):
    """The texts of the rows of a table of HTML, without its heading."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)[1:]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]


def test_an_interval_unpacks_into_its_limits():
    found = harness.interval("proportion", "wilson", x=[3, 9], n=10)
    lower, upper = found
    np.testing.assert_array_equal((lower, upper), (found.lower, found.upper))


def test_an_interval_is_a_table_of_html():
    html = harness.interval("proportion", "wilson", x=90, n=100)._repr_html_()
    row = ["90", "100", "0.9", "0.82563", "0.94477", "0.05", "wilson", "two-sided"]
    assert cells(html) == [row]


def test_a_long_table_shows_its_first_rows_and_says_so():
    html = harness.interval("proportion", "wilson", x=range(31), n=30)._repr_html_()
    assert len(cells(html)) == MOST_ROWS
    assert "the first 10 of 31 rows" in html


def test_labels_are_escaped_in_html():
    html = harness.coverage(
        "proportion", lambda x, n, alpha: (0 * x / n, 1.0 + 0 * x / n), n=5, p=0.5
    )
    assert cells(html._repr_html_())[0][-2] == "&lt;lambda&gt;"


def test_several_methods_are_intervals_in_their_order_and_one_frame():
    found = harness.interval("proportion", ["wald", "wilson"], x=[0, 3], n=60)
    assert [each.method for each in found] == ["wald", "wilson"]
    alone = harness.interval("proportion", "wilson", x=[0, 3], n=60)
    assert found.to_frame().filter(method="wilson").equals(alone.to_frame())
    assert [row[-2] for row in cells(found._repr_html_())] == ["wald"] * 2 + ["wilson"] * 2


@pytest.mark.parametrize("ask", [harness.interval, harness.coverage])
def test_no_method_is_one_sentence(ask):
    with pytest.raises(InputError, match="one method or a list of them, found an empty list"):
        ask("proportion", [], n=10)


def test_a_coverage_has_the_sizes_and_truths_in_its_frame():
    found = harness.coverage("proportion", ("wald", "wilson"), n=[10, 20], p=0.3, alpha=0.1)
    names = ("n", "p", "alpha", "method", "side", "coverage")
    wald, wilson = found
    assert found.to_frame().select(names).rows() == [
        (n, 0.3, 0.1, method, "two-sided", value)
        for method, each in (("wald", wald), ("wilson", wilson))
        for n, value in zip((10, 20), each.coverage.tolist(), strict=True)
    ]


def test_a_size_is_one_row_with_its_goal():
    found = harness.size("proportion", "wilson", p=0.9, half_width=0.05)
    row = found.to_frame().row(0, named=True)
    assert row == {
        "n": found.n, "half_width": found.reached, "target": 0.05, "checked_to": found.checked_to
    }  # fmt: skip
    assert cells(found._repr_html_())[0][0] == str(found.n)


def test_a_check_shows_its_verdict_and_what_is_to_be_read():
    found = harness.check("wald")
    assert found.to_frame()["verdict"].to_list() == [each.verdict for each in found.findings]
    html = found._repr_html_()
    assert found.headline in html
    assert {row[2] for row in cells(html)} == {"declared", "remark"}


def test_results_show_a_small_table_of_their_summary(results):
    shown = cells(results._repr_html_())
    assert [row[:2] for row in shown] == [
        [title, size] for title in ("Wilson score", "Wald") for size in ("10", "20")
    ]
    assert results.to_frame().equals(results.summary)


def test_plot_returns_a_figure_that_a_notebook_shows(results):
    figure = results.plot("coverage_curve", n=20, methods=("wald",), width=100)
    assert figure.get_figwidth() * 25.4 == pytest.approx(100)
    image, shown = figure._repr_png_()
    assert image.startswith(b"\x89PNG")
    assert shown == {"width": round(100 / 25.4 * 150)}


def test_figures_of_the_config_are_there_without_a_folder(results):
    assert [*results.figures] == ["ranking"]


def test_stored_results_are_plotted_from_their_tables(results, tmp_path):
    harness.run(CONFIG, out=tmp_path)
    stored = harness.load(tmp_path / "notebook")
    assert [*stored.figures] == ["ranking"]
    image = stored.plot("coverage_curve", n=10)._repr_png_()[0]
    assert image == results.plot("coverage_curve", n=10)._repr_png_()[0]


def test_a_kind_that_makes_several_figures_asks_for_one(results):
    several = harness.run({**CONFIG, "alpha": [0.05, 0.1]}, out=None)
    with pytest.raises(InputError, match="coverage_curve is 2 figures of these results"):
        several.plot("coverage_curve", n=10)


@pytest.mark.parametrize(
    ("kind", "options", "sentence"),
    [
        ("coverage_curv", {}, "did you mean coverage_curve?"),
        ("coverage_curve", {"n": 30}, "coverage_curve: n: expected an n of this experiment"),
        ("coverage_curve", {"n": object()}, "coverage_curve: n: expected a whole number"),
        (
            "coverage_curve",
            {"n": 10, "colours": {"wilsn": "red"}},
            "coverage_curve: colours: expected the label of a method",
        ),
        ("coverage_curve", {"hue": 1}, "coverage_curve: hue: expected an option of"),
    ],
)
def test_a_wrong_plot_is_one_sentence(results, kind, options, sentence):
    with pytest.raises(ConfigError, match=re.escape(sentence)) as raised:
        results.plot(kind, **options)
    assert "\n" not in str(raised.value)
