"""The types of names are those of the catalogue, and the named arguments those of the families."""

from inspect import signature
from typing import Any, get_args, get_overloads, get_type_hints, is_typeddict

import pytest

from harness import names
from harness.families.catalogue import FAMILIES, family_of
from harness.families.family import STOPPING
from harness.families.lists import RANGE, bounded_mean
from harness.families.samples import POPULATION
from harness.methods.catalogue import CATALOGUE, by_any_name, methods_for
from harness.methods.significance import significance
from harness.one import compute, interval
from harness.one.typed_data import Options
from harness.planning.coverage import coverage
from harness.planning.size import size
from tests.names import FILE, source, type_name

OVERLOADS = get_overloads(interval)


def hints(function: Any) -> dict[str, Any]:
    return get_type_hints(function, include_extras=True)


def test_the_file_is_what_the_catalogue_makes_of_it() -> None:
    assert FILE.read_text("utf-8") == source(), "python -m tests.names writes it anew"


@pytest.mark.parametrize("family", CATALOGUE)
def test_a_family_has_a_type_of_its_methods_and_aliases(family: str) -> None:
    named = get_args(getattr(names, type_name(family)))
    assert set(named) == set(by_any_name(CATALOGUE[family]))
    assert set(named) <= {name for each in get_args(names.MethodName) for name in get_args(each)}


def test_every_family_has_overloads_with_its_data_and_its_methods() -> None:
    taken: dict[str, set[str]] = {}
    *of_one_method, of_rows, of_several = OVERLOADS
    (columns,) = get_args(hints(of_rows)["columns"])
    lists = {"positives", "negatives", "positives1", "negatives1", "positives2", "negatives2"}
    lists |= {"table", "verdicts"}
    data = {name for family in FAMILIES.values() for name in family.options} - lists
    assert data <= set(columns.__annotations__)
    assert hints(of_several)["method"] == list[Any] | tuple[Any, ...]
    for each in of_one_method:
        known = hints(each)
        method_names, _ = get_args(known["method"])
        (given,) = get_args(known["data"])
        assert is_typeddict(given)
        for family in get_args(known["family"]):
            assert method_names == getattr(names, type_name(family))
            taken.setdefault(family, set()).update(given.__annotations__)
    assert list(taken) == list(get_args(names.FamilyName)) == list(FAMILIES)
    for name, family in FAMILIES.items():
        all_methods = len(methods_for(family_of(name), finite_population=True))
        # One proportion has a population and a stopping rule besides.
        extra = (
            {POPULATION, STOPPING}
            if all_methods > len(methods_for(family_of(name)))
            else set(family.settings)
        )
        # The mean of values in a range other than 0 to 1 is a family of its own.
        extra |= {RANGE} if family is bounded_mean() else set()
        assert taken[name] - set(Options.__annotations__) == {*family.options} | extra


def test_the_options_are_those_of_the_function() -> None:
    parameters, taken = (signature(each).parameters.values() for each in (compute, interval))
    keywords = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    assert set(Options.__annotations__) == keywords
    assert [(each.name, each.kind, each.default) for each in taken if each.name != "rows"] == [
        (each.name, each.kind, each.default) for each in parameters
    ]


def test_planning_and_significance_name_the_families_that_they_take() -> None:
    assert hints(coverage)["family"] == names.FamilyName
    assert hints(coverage)["side"] == names.Side
    assert hints(size)["family"] == names.FamilyName
    assert hints(significance)["family"] == names.ComparedFamily
    for function in (coverage, size):
        assert get_args(hints(function)["method"])[0] in get_args(names.MethodName)
