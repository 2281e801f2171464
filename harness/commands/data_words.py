"""The data of ``interval`` as words, and what is wrong with data of another family."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.base.errors import InputError
from harness.base.text import enumerated
from harness.commands.options import is_number
from harness.families.family import Family

_MARGINS = {"x1", "n1", "x2", "n2"}


def data_of_words(family: Family, words: Sequence[str]) -> dict[str, str]:
    """Return the text of each data option that words stand for.

    Args:
        family: of the data.
        words: fractions such as ``90/100``, a count and its size; or the values of a list, with
            spaces or commas between them.

    Raises:
        InputError: the family takes no such words, or another number of them.

    >>> from harness.families.catalogue import family_of
    >>> data_of_words(family_of("proportion"), ["90/100", "45/50"])
    {'x': '90,45', 'n': '100,50'}
    """
    found = " ".join(words)
    options = enumerated(f"--{name.replace('_', '-')}" for name in family.data)
    if not family.has_outcomes and len(family.data) == 1:
        return {family.data[0]: ",".join(found.replace(",", " ").split())}
    fractions = [word.strip(",").split("/") for word in words]
    is_fractions = all(len(parts) == 2 and all(map(is_number, parts)) for parts in fractions)
    if is_fractions and len(words) == 2:
        refuse_margins(family, _MARGINS)
    names = family.data
    takes_fractions = family.has_counts_of_samples or family.has_clusters
    if not takes_fractions or len(names) != 2 * family.samples:
        raise InputError(f"{family.name} takes its data by {options}, found {found}")
    if not is_fractions:
        raise InputError(
            f"{family.name} takes fractions x/{family.model.SIZE} such as 90/100, or {options}, "
            f"found {found}"
        )
    if family.samples == 1:
        columns = zip(*fractions, strict=True)
        return {name: ",".join(column) for name, column in zip(names, columns, strict=True)}
    if len(words) != family.samples:
        raise InputError(f"{family.name} takes two fractions, 45/60 52/60, found {found}")
    return dict(zip(names, (number for parts in fractions for number in parts), strict=True))


def refuse_margins(family: Family, names: Collection[str]) -> None:
    """Refuse the counts of two samples where those of pairs are needed.

    Args:
        family: of the data.
        names: of what is given.

    Raises:
        InputError: they are the counts of two samples, and the family is of pairs.
    """
    if "first_only" in family.data and set(names) >= _MARGINS:
        raise InputError(
            f"{family.name} needs the discordant pairs, on which its limits depend: two fractions "
            "do not say how many cases are right in the first only and in the second only; give "
            "--both, --first-only, --second-only and --neither, or a file with a row for each "
            "case, as --rows FILE --correct FIRST --correct SECOND (of separate cases "
            "proportion_difference takes two fractions)"
        )


def refuse_other_data(family: Family, names: Collection[str]) -> None:
    """Refuse data that the family lacks, with the families that have them.

    Args:
        family: of the data.
        names: of the data that are given.

    Raises:
        InputError: the data are those of other families.
    """
    from harness.families.catalogue import FAMILIES

    refuse_margins(family, names)
    for name in names:
        if name not in family.options and name != "population":
            others = [key for key, each in FAMILIES.items() if name in each.options]
            needed = enumerated(f"--{each.replace('_', '-')}" for each in family.data)
            raise InputError(
                f"--{name.replace('_', '-')} is for {enumerated(others)}; "
                f"{family.name} needs {needed}"
            )
