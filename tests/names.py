"""Write ``harness/names.py`` anew: ``python -m tests.names``."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import fill

import harness
from harness.catalogue import design_for
from harness.designs.design import Design
from harness.families.catalogue import COMPARED, FAMILIES
from harness.families.family import Family
from harness.methods.catalogue import CATALOGUE, by_any_name
from harness.methods.method import ALL_SIDES

FILE = Path(harness.__file__).with_name("names.py")

HEAD = '''"""The names of families, methods and sides as types, for editors and type checkers.

A list of the methods of a family has its aliases too. ``python -m tests.names`` writes this file
from the catalogue.
"""

from typing import Literal
'''


def type_name(family: str) -> str:
    """The name of the type of a family's methods: ``ProportionMethod``."""
    return "".join(part.capitalize() for part in family.split("_")) + "Method"


def is_planned(family: Family) -> bool:
    """Whether ``size`` has an answer for a family."""
    design = design_for(family)
    return family.has_outcomes or bool(design.size_needs) or draws_growing(design)


def draws_growing(design: Design) -> bool:
    """Whether lists are drawn that grow with their size."""
    return design.lists is not None and design.lists.draw_growing is not None


def source() -> str:
    """The text of the file."""
    lists = [
        ("Side", ALL_SIDES, ""),
        ("FamilyName", FAMILIES, "What is estimated."),
        (
            "ComparedFamily",
            [each.name for each in COMPARED],
            "The families that compare two samples.",
        ),
        (
            "SimulatedFamily",
            [name for name, each in FAMILIES.items() if not each.has_outcomes],
            "The families whose coverage is that of data sets that are drawn.",
        ),
        (
            "PlannedFamily",
            [name for name, each in FAMILIES.items() if is_planned(each)],
            "The families that have an answer to how many suffice.",
        ),
    ]
    every = "\n    | ".join(map(type_name, FAMILIES))
    return "".join(
        [
            HEAD,
            *(_literal(*each) for each in lists),
            *_methods(),
            f"\nMethodName = (\n    {every}\n)\n",
            '"""The methods of all families."""\n',
        ]
    )


def _methods() -> Iterator[str]:
    """The type of the methods of each family; that of families with the same ones is one type."""
    known: dict[tuple[str, ...], str] = {}
    for family in FAMILIES:
        names, name = tuple(by_any_name(CATALOGUE[family])), type_name(family)
        same = known.setdefault(names, name)
        yield _literal(name, names, "") if same == name else f"\n{name} = {same}\n"


def _literal(name: str, words: Iterable[str], note: str) -> str:
    """A type of words, as many in a line as fit: nobody reads them one by one."""
    listed = ", ".join(f'"{word}"' for word in words)
    lines = fill(listed, 100, initial_indent="    ", subsequent_indent="    ")
    return f"\n{name} = Literal[\n{lines},\n]\n" + (f'"""{note}"""\n' if note else "")


if __name__ == "__main__":
    FILE.write_text(source(), encoding="utf-8")
