"""The section of cells: what it holds, to the last bit, and what it leaves to the file."""

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from harness.report import sections
from harness.report.packing import numbers
from harness.report.page import plain
from harness.report.sections import LARGEST, cells
from harness.tables.results import Results
from tests.report.some_runs import CONFIGS, page_of, results_of, unpacked


def decoded(columns: list[dict[str, Any]]) -> dict[str, list[Any] | npt.NDArray[np.float64]]:
    """The columns of a section, as its script decodes them."""
    by_name = {each["name"]: each for each in columns}
    found: dict[str, Any] = {}

    def of(name: str) -> Any:
        if name not in found:
            found[name] = _decode(by_name[name])
        return found[name]

    def _decode(column: Mapping[str, Any]) -> Any:
        if column["type"] in ("text", "flag"):
            return [column["levels"][code] for code in unpacked(column["codes"])]
        if "codes" in column:
            return unpacked(column["levels"])[unpacked(column["codes"])]
        bits = unpacked(column["values"]).view(np.uint64)
        if "rule" not in column:
            return bits.view(np.float64)
        with np.errstate(invalid="ignore"):
            if column["rule"] == "share":
                guess = unpacked(column["counts"]) / of(column["of"])
            else:
                one, other = (of(name) for name in column["of"])
                guess = one + other if column["rule"] == "sum" else one - other
        guessed = np.where(np.isnan(guess), np.uint64(0), guess.view(np.uint64))
        return (bits ^ guessed).view(np.float64)

    return {name: of(name) for name in by_name}


def data_of(results: Results) -> dict[str, Any]:
    """What the script of the section reads: plain data of JSON."""
    section = cells(results)
    return dict(json.loads(json.dumps(plain(section.data), allow_nan=False)))


def shown(results: Results) -> pl.DataFrame:
    """The rows of the tables that belong in the page."""
    names = [name for name in ("n", "n1", "n2", "k") if name in results.cells.columns]
    if not names:
        return results.cells
    return results.cells.filter(pl.max_horizontal(names) <= LARGEST)


@pytest.mark.parametrize("name", CONFIGS)
def test_every_bit_of_every_number_of_the_tables_is_in_the_page(name: str) -> None:
    results = results_of(name)
    expected = shown(results)
    data = data_of(results)
    assert data["rows"] == expected.height > 0
    assert [each["name"] for each in data["columns"]] == expected.columns
    for column, values in decoded(data["columns"]).items():
        if expected[column].dtype.is_numeric():
            bits = np.asarray(values, np.float64).view(np.uint64)
            np.testing.assert_array_equal(bits, numbers(expected[column]).view(np.uint64), column)
        else:
            assert list(values) == expected[column].to_list()


@pytest.mark.parametrize("name", CONFIGS)
def test_the_same_results_give_the_same_bytes(name: str) -> None:
    assert page_of(cells(results_of(name))) == page_of(cells(results_of(name)))


def test_larger_sizes_are_named_and_left_to_the_file() -> None:
    page = page_of(cells(results_of("truths"), "truths/cells.parquet"))
    assert "those of n = 150 are in the file <code>truths/cells.parquet</code> only" in page


def test_an_exposure_is_no_number_of_trials_and_has_no_largest_one() -> None:
    section = cells(results_of("rates"))
    assert section.context["left_out"] == ""
    assert section.context["count"] == results_of("rates").cells.height


def test_of_too_many_cells_the_smaller_sizes_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    results = results_of("outcomes")
    few = results.cells.filter(pl.col("n") <= 10)
    monkeypatch.setattr(sections, "MOST_CELLS", few.height)
    assert data_of(results)["rows"] == few.height
    monkeypatch.setattr(sections, "MOST_CELLS", 5)
    section = cells(results)
    assert section.data is None
    assert "of n = 5, 10 and 20 are in the file" in page_of(section)


def test_without_cells_the_section_says_how_to_have_them() -> None:
    results = results_of("outcomes")
    without = dataclasses.replace(results, cells=results.cells.clear())
    section = cells(without, "elsewhere/cells.parquet")
    page = page_of(section)
    assert "run the config again, and <code>elsewhere/cells.parquet</code> holds them" in page
    assert section.data is None
    assert section.scripts == ()


def test_columns_that_say_nothing_are_hidden_and_those_to_choose_from_listed() -> None:
    data = data_of(results_of("outcomes"))
    assert data["choices"] == ["method", "side", "n", "engine"]
    assert data["hidden"] == ["family", "alpha", "given", "truth"]
    assert data["all"] == "alpha 0.05 and given outcome"
    assert data_of(results_of("two_samples"))["choices"] == ["method", "n1", "n2"]
    assert data_of(results_of("truths"))["choices"] == ["method", "alpha", "engine", "given"]


def test_numbers_that_follow_from_others_cost_nothing() -> None:
    data = data_of(results_of("outcomes"))
    rules = {each["name"]: each.get("rule") for each in data["columns"]}
    assert rules["alpha_error"] == rules["length"] == "difference"
    length = next(each for each in data["columns"] if each["name"] == "length")
    assert np.count_nonzero(unpacked(length["values"]).view(np.uint64)) == 0
    letters = len(json.dumps(data))
    assert letters / data["rows"] < 45


def test_labels_of_users_stay_text() -> None:
    page = page_of(cells(results_of("truths")))
    assert "<b>" not in page
    assert "\\u003cb\\u003e" in page


def test_numbers_that_are_missing_infinite_or_negative_zero_keep_their_bits() -> None:
    column = pl.Series("length", [math.inf, -math.inf, None, float("nan"), -0.0, 5e-324])
    found = numbers(column).view(np.uint64).tolist()
    nan, minus_zero = 0x7FF8 << 48, 1 << 63
    assert found == [0x7FF0 << 48, 0xFFF0 << 48, nan, nan, minus_zero, 1]
