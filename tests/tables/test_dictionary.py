"""Every column of every table has a type, a unit and a meaning, beside the results as in Python."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from harness.base.errors import InputError
from harness.families.catalogue import FAMILIES, family_of
from harness.families.judged import known_judge
from harness.tables import columns
from harness.tables.columns import NUMBERED, RANKING, RECOMMENDATION, TABLES, TableKind
from harness.tables.dictionary import columns_of
from tests.study.experiments import in_memory
from tests.study.test_calibrate import FIGURE_12, computed

ROOT = Path(__file__).parents[2]
STORED = ("summary", "ranking", "recommendation", "near_nominal", "truths", "answers")


@pytest.fixture(params=["drawn", "listed"])
def results(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("table", TABLES)
def test_every_column_has_a_meaning_that_is_a_sentence(table):
    for family in (None, *FAMILIES):
        for column in columns_of(table, family):
            assert column.meaning.endswith(".")
            assert not {"{", "<"} & set(column.meaning + column.unit), column
            without = "chi_squared", "rho", "beta", "correlation"
            if column.type == "number" and column.name not in without:
                assert column.unit, column


def test_a_misspelt_condition_of_a_column_is_an_error_and_drops_no_column():
    with pytest.raises(AttributeError, match="gruoped"):
        TableKind(family_of("proportion")).has("gruoped")


def test_every_meaning_is_that_of_a_column():
    """No record is left that no family has, and beside them are those of which one says more."""
    own = {meaning for each in FAMILIES.values() for meaning in each.own_columns.values()}
    for table in TABLES:
        factors = (("factor", "number"),)
        families = [*FAMILIES.values(), known_judge(sensitivity=0.9, specificity=0.9)]
        kinds = [TableKind(family, factors=factors) for family in families]
        known = [columns.possible_records(table, kind).values() for kind in kinds]
        wanted = {each for each in columns.RECORDS if table in each.tables.split()}
        found = {record for records in known for record in records}
        assert wanted == {record for record in found if record.meaning not in own}
    everywhere = {column.name for table in TABLES for column in columns_of(table)}
    assert all(any(name.endswith(end) for name in everywhere) for end in NUMBERED)


@pytest.mark.parametrize("table", TABLES)
def test_the_columns_of_all_families_hold_those_of_each_in_their_order(table):
    merged = [column.name for column in columns_of(table)]
    for family in FAMILIES:
        names = [column.name for column in columns_of(table, family)]
        assert [name for name in merged if name in names] == names


def test_tables_have_the_columns_and_types_that_are_documented(results):
    kind = TableKind(family_of("proportion"))
    assert dict(results.ranking.schema) == columns.columns_of(RANKING, kind)
    assert dict(results.recommendation.schema) == columns.columns_of(RECOMMENDATION, kind)


@pytest.mark.parametrize("table", STORED)
def test_stored_tables_of_all_families_have_documented_columns(table):
    families = set()
    for path in (ROOT / "results").rglob(f"{table}.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            header, first = (row for row, _ in zip(csv.reader(file), range(2), strict=False))
        if "family" not in header:  # of a simulation study, with factors of its own
            continue
        family = first[header.index("family")]
        is_choice = {"truth", "allowed_mean", "recommended"} & set(header)
        name = table
        if "reference" in header:
            name = f"calibration_{table}"
        elif is_choice and table != "near_nominal":
            name = f"choice_{table}"
        known = [column.name for column in columns_of(name, family)]
        assert [column for column in known if column in header] == header, path
        families.add(family)
    assert families


def test_the_dictionary_beside_the_results_describes_every_column_of_every_table(results):
    stored = pl.read_csv(results.path / "columns.csv")
    assert stored.columns == ["table", "column", "type", "unit", "meaning"]
    assert stored.equals(results.dictionary)
    tables = {"cells.parquet" if name == "cells" else f"{name}.csv" for name in results.tables}
    assert {path.name for path in results.path.iterdir()} >= tables
    for name, table in results.tables.items():
        assert stored.filter(table=name)["column"].to_list() == table.columns


def test_the_parquet_file_has_the_dictionary_of_its_columns(results):
    metadata = pl.read_parquet_metadata(results.path / "cells.parquet")
    found = json.loads(metadata["columns"])
    for row in results.dictionary.filter(table="cells").iter_rows(named=True):
        entry = found.pop(row["column"])
        assert entry == {name: row[name] for name in ("type", "unit", "meaning")}
    assert found == {}


def test_the_metadata_change_no_value(results):
    assert pl.read_parquet(results.path / "cells.parquet").equals(results.cells)


def test_the_columns_of_a_calibration_have_meanings_of_their_own():
    results = computed(FIGURE_12, trials=100)
    rows = results.dictionary.filter(table="cells", column="std_error")
    assert rows["meaning"].to_list() == ["Monte Carlo standard error of the fraction."]


def test_a_unit_is_that_of_the_family():
    def unit(family, column):
        return {each.name: each.unit for each in columns_of("cells", family)}[column]

    assert unit("proportion", "lower") == unit("balanced_accuracy", "truth1") == "probability"
    assert unit("proportion_difference", "lower") == "difference of probabilities"
    assert unit("rate", "length") == unit("rate_ratio", "truth2") == "events per unit of exposure"
    assert unit("rate_ratio", "lower") == "ratio"
    assert unit("rate_ratio", "length") == "natural logarithm of the ratio"
    assert unit("mean", "lower") == unit("mean", "truth") == "unit of the values"


def test_a_numbered_column_says_of_what_it_is():
    (second,) = (each for each in columns_of("summary") if each.name == "n2")
    assert second.meaning.startswith("Number of trials of the second sample;")
    (pairs,) = (
        each for each in columns_of("cells", "paired_ratio") if each.name == "truth_neither"
    )
    assert pairs.meaning == "True value of a pair right in neither, in rows given the truth."


def test_what_depends_on_the_config_is_described_where_it_is_there():
    """Pooled outcomes have a last one, and failed limits stand for themselves."""
    results = in_memory(
        {
            "name": "grouped",
            "family": "rate",
            "exposure": 2,
            "methods": ["garwood"],
            "truth": {"uniform": [0, 3]},
            "trials": {"per_size": 50},
            "group": {"width": 2},
            "engines": ["monte_carlo"],
            "seed": 3,
        }
    )
    described = results.dictionary.filter(table="cells")["column"].to_list()
    assert described == results.cells.columns
    assert "x_last" in described


def test_an_unknown_table_or_family_is_refused_with_the_names_there_are():
    with pytest.raises(InputError, match="table should be one of summary, cells, ranking"):
        columns_of("sumary")
    with pytest.raises(InputError, match="family should be one of proportion, rate"):
        columns_of("summary", "proportions")
