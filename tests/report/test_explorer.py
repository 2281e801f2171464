"""The page for teaching holds the numbers of the harness, and is small."""

import base64
import json
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import InputError
from harness.catalogue import scenario_for
from harness.cli import main
from harness.distributions.truths import DiscreteTruth
from harness.families.catalogue import family_of
from harness.figures.kinds.intervals_drawn import SHARD
from harness.kinds.load import load_experiment
from harness.pages.explorer import (
    ABOVE,
    BELOW,
    HOLDS,
    MOST_BYTES,
    Numbers,
    explorer,
    numbers_of,
    outcomes_in_words,
)
from harness.report.page import render

ROOT = Path(__file__).parents[2]
CONFIG: dict[str, Any] = {
    "name": "some",
    "title": "Some intervals",
    "family": "proportion",
    "n": [5, 20],
    "methods": ["wald", "wilson", {"name": "clopper_pearson", "label": "exact"}],
    "truth": {"values": [0.05, 0.2, 0.5, 0.9]},
    "engines": ["enumeration", "posterior"],
    "seed": 11,
    "figures": [],
    "execution": {"jobs": 1},
}
DRAWN = {
    "methods": ["bootstrap_percentile"],
    "engines": ["monte_carlo"],
    "trials": {"per_truth": 9},
}
CLUSTERS = {"sampling": {"clusters": {"size": 5, "rho": 0.1}}, "engines": ["enumeration"]}
METHODS = ["wald", "wilson", "exact"]


@cache
def numbers() -> Numbers:
    return numbers_of(load_experiment(CONFIG))


@cache
def results() -> harness.Results:
    return harness.run(CONFIG, out=None)


@cache
def shipped() -> str:
    return render(explorer(load_experiment(ROOT / "configs" / "explorer.yaml"), "the command"))


def island(page: str) -> dict[str, Any]:
    """The data of a page."""
    found = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


def unpacked(packed: dict[str, str], *shape: int) -> np.ndarray:
    """An array as the script of the page gets it."""
    kind = np.dtype(packed["type"]).newbyteorder("<")
    planes = np.frombuffer(zlib.decompress(base64.b64decode(packed["packed"])), np.uint8)
    items = np.ascontiguousarray(planes.reshape(kind.itemsize, -1).T)
    return items.view(kind).reshape(shape)


def cells(method: str, n: int, given: str) -> pl.DataFrame:
    engine = "enumeration" if given == "truth" else "posterior"
    order = "truth" if given == "truth" else "x"
    return results().cells.filter(method=method, n=n, given=given, engine=engine).sort(order)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("row", [0, 1, 2])
def test_miss_probabilities_lengths_and_limits_are_those_of_a_run(place: int, row: int) -> None:
    size = numbers().sizes[place]
    at_truths, at_outcomes = (cells(METHODS[row], size.n, given) for given in ("truth", "outcome"))
    for name, found in {
        "miss_below": size.exact.below,
        "miss_above": size.exact.above,
        "actual_alpha": size.exact.missed,
        "length": size.exact.length,
    }.items():
        assert found[row].tolist() == at_truths[name].to_list()
    assert size.limits.lower[row].tolist() == at_outcomes["lower"].to_list()
    assert size.limits.upper[row].tolist() == at_outcomes["upper"].to_list()


def test_limits_are_those_of_interval() -> None:
    size = numbers().sizes[1]
    found = harness.interval("proportion", "wilson", x=np.arange(21), n=20)
    assert (size.limits.lower[1] == found.lower).all()
    assert (size.limits.upper[1] == found.upper).all()


def test_the_bars_in_colour_add_up_to_the_actual_alpha() -> None:
    for size in numbers().sizes:
        for side, expected in ((BELOW, size.exact.below), (ABOVE, size.exact.above)):
            sums = np.where(size.misses == side, size.probability, 0.0).sum(axis=2)
            # Both are sums of at most 21 probabilities, rounded differently.
            assert np.abs(sums - expected).max() < 1e-14
        assert np.abs(size.probability.sum(axis=1) - 1).max() < 1e-13


def test_a_truth_at_a_limit_is_held() -> None:
    limits = harness.interval("proportion", "wilson", x=np.arange(6), n=5)
    config = {**CONFIG, "n": 5, "truth": {"values": [float(limits.upper[0])]}}
    (size,) = numbers_of(load_experiment(config)).sizes
    assert size.misses[1, 0, 0] == HOLDS


def test_the_first_hundred_are_the_samples_of_the_figure() -> None:
    for size in numbers().sizes:
        for row, p in enumerate(numbers().truths.tolist()):
            scenario = scenario_for(family_of("proportion"), size.n, DiscreteTruth((p,)))
            drawn = scenario.draw_outcomes([np.full(100, p)], scenario.stream(11, SHARD))
            assert (size.drawn[row, 0] == drawn).all()


def test_misses_are_counted_in_the_drawn_intervals() -> None:
    size = numbers().sizes[1]
    for row in range(3):
        for at, p in enumerate(numbers().truths.tolist()):
            x = size.drawn[at]
            held = (size.limits.lower[row][x] <= p) & (p <= size.limits.upper[row][x])
            assert (size.counts[row, at] == (~held).sum(axis=1)).all()
    assert (size.expected == 100 * size.exact.missed).all()


def test_all_hundreds_together_are_near_the_expected_number() -> None:
    # 24 counts of 1000 trials with known probabilities, each within 4.5 standard deviations: a
    # false alarm has probability 2e-4. The seed is fixed.
    for size in numbers().sizes:
        total, spread = size.counts.sum(axis=2), np.sqrt(10) * size.spread
        assert (np.abs(total - 10 * size.expected) <= 4.5 * spread + 1e-9).all()


def test_curves_reach_from_0_to_1_and_go_through_the_exact_values() -> None:
    for size in numbers().sizes:
        for row, curve in enumerate(size.curves):
            assert (curve.truths[0], curve.truths[-1]) == (0, 1)
            for at, p in enumerate(numbers().truths.tolist()):
                here = curve.missed[curve.truths == p]
                if here.size == 1:  # no jump at p
                    assert abs(here[0] - size.exact.missed[row, at]) < 1e-14


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ("00000", ""),
        ("11111", "anything"),
        ("10000", "0"),
        ("11000", "at most 1"),
        ("00001", "4"),
        ("00011", "at least 3"),
        ("01100", "1 to 2"),
        ("10011", "0, or at least 3"),
        ("10101", "0, or 2, or 4"),
    ],
)
def test_outcomes_are_described_in_words(marks: str, words: str) -> None:
    assert outcomes_in_words([each == "1" for each in marks], 4) == words


def test_the_page_holds_the_numbers_bit_for_bit() -> None:
    data = island(render(explorer(load_experiment(CONFIG))))
    assert data["methods"] == ["Wald", "Wilson score", "exact"]
    assert data["truths"] == [0.05, 0.2, 0.5, 0.9]
    for size, stored in zip(numbers().sizes, data["sizes"], strict=True):
        assert stored["n"] == size.n
        for name in ("lower", "upper"):
            assert (unpacked(stored[name], 3, -1) == getattr(size.limits, name)).all()
        assert (unpacked(stored["probability"], 4, -1) == size.probability).all()
        for name in ("below", "above", "missed", "length"):
            assert (unpacked(stored[name], 3, 4) == getattr(size.exact, name)).all()
        for name in ("expected", "spread"):
            assert (unpacked(stored[name], 3, 4) == getattr(size, name)).all()
        assert (unpacked(stored["coverage"], 3, 4) == 1 - size.exact.missed).all()
        assert (unpacked(stored["misses"], 3, 4, -1) == size.misses).all()
        assert (unpacked(stored["drawn"], 4, 10, 100) == size.drawn).all()
        assert (unpacked(stored["counts"], 3, 4, 10) == size.counts).all()
        assert (unpacked(stored["totals"], 3, 4, 10) == np.cumsum(size.counts, axis=2)).all()
        when = unpacked(stored["when"], 3, 4)
        for row, at in np.ndindex(3, 4):
            missing = (size.misses[row, at] != HOLDS).tolist()
            assert data["words"][when[row, at]] == outcomes_in_words(missing, size.n)


def test_the_shipped_page_is_small_and_always_the_same() -> None:
    page = shipped()
    assert len(page.encode()) < MOST_BYTES
    assert page == render(
        explorer(load_experiment(ROOT / "configs" / "explorer.yaml"), "the command")
    )
    assert "the command" in page


def test_without_scripts_a_sentence_says_what_is_seen() -> None:
    data = island(shipped())
    n, p = data["start"]["n"], data["start"]["p"]
    assert (data["sizes"][n]["n"], data["truths"][p]) == (20, 0.05)
    assert (
        "At n = 20 and p = 0.05 the Wald interval misses when x is 0, or at least 5: that has "
        "probability 36.1 %; of the 100 intervals drawn 36 miss, 36.1 are expected."
    ) in shipped()
    still = shipped().partition("<noscript>")[2].partition("</noscript>")[0]
    assert still.count("<polyline") == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": [0.05, 0.1]}, "with alpha 0.05, 0.1"),
        ({"truth": {"uniform": [0, 1]}}, "from a grid or a list"),
        (CLUSTERS, "without the key sampling"),
        ({"n": 100_000}, "cannot hold 4 true values with 100001 outcomes"),
        ({"truth": {"grid": {"start": 0, "stop": 1, "count": 3001}}}, "fewer true values"),
        (DRAWN, "draws its limits"),
    ],
)
def test_a_config_that_the_page_cannot_show_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        explorer(load_experiment({**CONFIG, **changes}))


def test_another_family_is_refused() -> None:
    rate = {
        "name": "r",
        "family": "rate",
        "exposure": 1,
        "methods": ["wald"],
        "truth": {"values": [1]},
    }
    with pytest.raises(InputError, match="found r of the family rate"):
        explorer(load_experiment(rate))


def test_another_kind_is_refused() -> None:
    config = {"kind": "choice", "name": "c", "family": "proportion", "n": [10]}
    chosen = load_experiment(
        {**config, "methods": ["wald"], "truths": {"flat": {"uniform": [0, 1]}}}
    )
    with pytest.raises(InputError, match="of the kind coverage, found c of the kind choice"):
        explorer(chosen)


def test_labels_of_the_user_stay_text() -> None:
    label = '<img src="x" onerror="alert(1)">'
    page = render(
        explorer(load_experiment({**CONFIG, "methods": [{"name": "wald", "label": label}]}))
    )
    assert "<img" not in page
    assert island(page)["methods"] == [label]


# ``report --explorer`` writes the page for teaching.


COMMAND_CONFIG = """
name: mine
family: proportion
n: [5, 10]
methods: [wald]
truth: {values: [0.1, 0.5]}
engines: [enumeration]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(COMMAND_CONFIG, "utf-8")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit code, and all that was printed."""
    code = main(["report", *words])
    return code, "".join(capsys.readouterr())


def test_a_page_of_a_config_names_the_command_that_makes_it(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, "--explorer", "mine.yaml") == (0, "explorer.html\n")
    page = (here / "explorer.html").read_text("utf-8")
    command = "python -m harness report --explorer mine.yaml"
    assert page == render(explorer(load_experiment("mine.yaml"), command))
    assert command in page


def test_without_a_config_it_is_the_shipped_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "explorer").mkdir()
    assert told(capsys, "--explorer", "--out", "pages/a.html") == (0, "pages/a.html\n")
    page = (here / "pages/a.html").read_text("utf-8")
    assert "What does 95 % mean?" in page
    assert len(page.encode()) < 3_000_000


def test_a_former_page_is_replaced_and_another_file_is_not(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert told(capsys, "--explorer", "mine")[0] == 0
    (here / "explorer.html").write_text("mine", "utf-8")
    code, said = told(capsys, "--explorer", "mine")
    assert (code, "was written by no report" in said) == (2, True)
    assert (here / "explorer.html").read_text("utf-8") == "mine"
    assert told(capsys, "--explorer", "mine", "--out", "mine.yaml")[0] == 2
    assert (here / "mine.yaml").read_text("utf-8") == COMMAND_CONFIG


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--explorer", "mine", "mine.yaml", "quickstart"], "takes one config, found 2"),
        (["--explorer", "--markdown"], "found --markdown as well"),
        (["--explorer", "nothing"], "expected a config, found no such file"),
        (["--explorer", "rare_events"], "found rare_events of the family rate"),
        ([], "name a folder of results, or --explorer"),
    ],
)
def test_what_it_cannot_do_is_said(
    here: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    code, said = told(capsys, *words)
    assert code == 2
    assert message in " ".join(said.split())
    assert not (here / "explorer.html").exists()
