"""What readers call the methods of a run: the user's label, or the title in the catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from harness.base.plain_data import plain_number
from harness.families.catalogue import family_of
from harness.methods.catalogue import ALIASES, CATALOGUE, find
from harness.methods.method import TWO_SIDED


def method_titles(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the title of each method of a run by its label, which tables have as ``method``.

    A label that the user gave is the title. A method of the catalogue without one has its
    ``short_title``, with its side if that is one limit only, and with its prior if the config gives
    one. Titles differ from each other: of equal ones each is followed by its label.

    Args:
        manifest: of a run; of a calibration, which has no methods, the titles are empty.

    Example:
        >>> experiment = {"family": "proportion", "methods": [
        ...     {"name": "wilson", "side": "two-sided", "label": "wilson"},
        ...     {"name": "wilson", "side": "upper", "label": "wilson upper"},
        ...     {"name": "balanced_tail", "side": "two-sided", "prior": [2, 1], "label": "ours"},
        ... ]}
        >>> for label, title in method_titles({"experiment": experiment}).items():
        ...     print(f"{label}: {title}")
        wilson: Wilson score
        wilson upper: Wilson score (upper limit)
        ours: ours
    """
    experiment = manifest["experiment"]
    methods = experiment.get("methods", ())
    titles = {each["label"]: _title(each, experiment["family"]) for each in methods}
    met = Counter(titles.values())
    return {
        label: title if met[title] == 1 or title == label else f"{title} ({label})"
        for label, title in titles.items()
    }


def _title(method: Mapping[str, Any], family: str) -> str:
    """The title of a method as the resolved config writes it."""
    label, name = str(method["label"]), method.get("name")
    if name is None:
        return label
    side = method.get("side", TWO_SIDED)
    prior = ", ".join(str(plain_number(value)) for value in method.get("prior") or ())
    names = [name, *(alias for alias, known in ALIASES[family].items() if known == name)]
    # The labels that a config without one gets, by the name as it is written there.
    one_side = "" if side == TWO_SIDED else f" {side}"
    plain = {f"{each}{one_side}" for each in names}
    with_prior = {f"{each}{one_side} [{prior}]" for each in names} if prior else set()
    if label not in plain | with_prior:
        return label
    title = short_title(family, name)
    if label in with_prior:
        title += f", prior {family_of(family).model.PRIOR}({prior})"
    return title if side == TWO_SIDED else f"{title} ({side} limit)"


def short_title(family: str, name: str) -> str:
    """Return the title of a method in the catalogue up to its first comma.

    It is the whole title where that of another method of the family begins with the same words,
    unless these words are the name of the method.

    >>> short_title("proportion", "clopper_pearson"), short_title("proportion", "jeffreys_modified")
    ('Clopper-Pearson', 'Jeffreys, modified next to the ends')
    """
    whole = find(family, name).title
    short = whole.partition(", ")[0]
    others = [each.title for each in CATALOGUE[family].values() if each.title != whole]
    clear = not any(f"{other},".startswith((f"{short},", f"{short} ")) for other in others)
    return short if clear or short.lower() == name else whole
