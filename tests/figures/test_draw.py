"""Files: named, complete, and the same bytes wherever they are drawn."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from harness.base.errors import InputError
from harness.figures.draw import draw_figures
from harness.figures.options import FORMATS
from tests.figures.tables import (
    FakeResults,
    Spec,
    calibration_results,
    outcome_cells,
    rate_outcome_cells,
    surface_cells,
    together,
    truth_cells,
)

SPECS = [
    Spec("alpha_by_outcome", {"n": 20, "method": "wald"}),
    Spec("alpha_surface", {"method": "wald", "fractions": 5}),
    Spec("length_surface", {"method": "wald", "reference": "balanced_tail", "fractions": 5}),
    Spec("coverage_curve"),
    Spec("length_curve", {"title": "Of a style", "width": 100, "style": {"font.size": "8"}}),
    Spec("bounds", {"n": 20, "x": [15, 20]}),
    Spec("outcome_tails", {"n": 20, "x": 15, "truths": [0.8]}),
]

# Everything in it would show, were it listened to.
FOREIGN_SETTINGS = """
font.size: 20
font.family: serif
lines.linewidth: 5
axes.facecolor: pink
axes.grid: True
figure.dpi: 50
savefig.bbox: tight
svg.fonttype: none
svg.hashsalt: pepper
pdf.compression: 0
axes.unicode_minus: False
path.simplify: False
"""

REDRAW = """
import sys
from pathlib import Path
import polars as pl
from harness.figures.draw import draw_figures
from harness.figures.options import FORMATS
from tests.figures.tables import FakeResults
from tests.figures.test_draw import SPECS
results = FakeResults(pl.read_parquet(sys.argv[1]))
draw_figures(results, SPECS, Path(sys.argv[2]), formats=FORMATS)
print("matplotlib.pyplot" in sys.modules)
"""


@pytest.fixture(scope="module")
def results() -> FakeResults:
    methods = ["wald", "balanced_tail"]
    tables = [
        surface_cells((10, 20, 50), methods, fractions=5),
        outcome_cells(20, methods),
        truth_cells(20, methods, count=19),
    ]
    return FakeResults(together(tables))


@pytest.fixture(scope="module")
def drawn(results: FakeResults, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("drawn")
    draw_figures(results, SPECS, directory, formats=FORMATS)
    return directory


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_files_are_named_after_what_they_show(drawn: Path) -> None:
    stems = [
        "alpha_by_outcome-wald-n20",
        "alpha_surface-wald-common",
        "alpha_surface-wald-own",
        "alpha_surface-wald-map",
        "length_surface-wald-over-balanced_tail-map",
        "length_surface-wald-over-balanced_tail-mesh",
        "coverage_curve-n20",
        "length_curve-n20",
        "bounds-n20",
        "outcome_tails-n20-x15",
    ]
    assert set(contents(drawn)) == {f"{stem}.{ending}" for stem in stems for ending in FORMATS}


def test_second_draw_gives_the_same_bytes_in_whatever_order_formats_are_written(
    results: FakeResults, drawn: Path, tmp_path: Path
) -> None:
    draw_figures(results, SPECS, tmp_path, formats=FORMATS[::-1])
    first, again = contents(drawn), contents(tmp_path)
    assert first.keys() == again.keys()
    assert [name for name in first if first[name] != again[name]] == []


def test_bytes_depend_on_neither_settings_nor_hash_seed_and_pyplot_is_not_loaded(
    results: FakeResults, drawn: Path, tmp_path: Path
) -> None:
    settings, table, directory = (tmp_path / name for name in ("matplotlibrc", "cells", "out"))
    settings.write_text(FOREIGN_SETTINGS)
    results.cells.write_parquet(table)
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", REDRAW, str(table), str(directory)],
        env={
            **os.environ,
            "MATPLOTLIBRC": str(settings),
            "PYTHONHASHSEED": "12345",
            "PYTHONPATH": str(root),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    first, again = contents(drawn), contents(directory)
    assert first.keys() == again.keys()
    assert [name for name in first if first[name] != again[name]] == []
    assert run.stdout.strip() == "False"


def test_files_tell_neither_date_nor_version(drawn: Path) -> None:
    for name, data in contents(drawn).items():
        telling = [word for word in (b"Matplotlib", b"CreationDate", b"<dc:date>") if word in data]
        assert not telling, name


def test_labels_that_fall_together_as_file_names_are_numbered(tmp_path: Path) -> None:
    cells = outcome_cells(5, ["wald"])
    labels = ["Mine/1", "mine 1", "MINE:1"]
    same = pl.concat([cells.with_columns(method=pl.lit(label)) for label in labels])
    paths = draw_figures(FakeResults(same), [Spec("alpha_by_outcome")], tmp_path)
    assert [path.name for path in paths] == [
        "alpha_by_outcome-Mine_1-n5.png",
        "alpha_by_outcome-mine_1-n5-2.png",
        "alpha_by_outcome-MINE_1-n5-3.png",
    ]
    assert all(path.is_file() for path in paths)


def test_nothing_is_written_when_one_figure_cannot_be_drawn(
    results: FakeResults, tmp_path: Path
) -> None:
    specs = [*SPECS, Spec("alpha_by_outcome", {"n": 7})]
    with pytest.raises(InputError, match="no n 7, only"):
        draw_figures(results, specs, tmp_path / "figures")
    assert not (tmp_path / "figures").exists()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (Spec("alpha_by_day"), "no figure is called 'alpha_by_day'; there are alpha_by_outcome"),
        (Spec("alpha_by_outcome", {"n": "many"}), "option n: Input should be a valid integer"),
        (
            Spec("outcome_tails", {"x": 101}),
            "^outcome_tails: expected an x",
        ),
        (Spec("calibration"), "calibration is drawn from a calibration experiment, not coverage"),
    ],
)
def test_specs_that_do_not_hold_are_refused(
    results: FakeResults, spec: Spec, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        draw_figures(results, [spec], tmp_path)


def test_kinds_are_drawn_for_their_families_and_experiments_only(tmp_path: Path) -> None:
    rates = FakeResults(rate_outcome_cells(["wald"], x=range(5)))
    with pytest.raises(InputError, match="alpha_surface is drawn for proportion, not rate"):
        draw_figures(rates, [Spec("alpha_surface")], tmp_path)
    with pytest.raises(InputError, match="bounds is drawn from a coverage experiment"):
        draw_figures(calibration_results(), [Spec("bounds")], tmp_path)


def test_unknown_formats_are_refused(results: FakeResults, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="png, svg, pdf, not as 'gif'"):
        draw_figures(results, SPECS, tmp_path, formats=["png", "gif"])


def test_settings_of_the_caller_are_left_as_they_were(results: FakeResults, tmp_path: Path) -> None:
    import matplotlib

    with matplotlib.rc_context({"font.size": 31.0}):
        draw_figures(results, [Spec("length_curve")], tmp_path)
        assert matplotlib.rcParams["font.size"] == 31.0
