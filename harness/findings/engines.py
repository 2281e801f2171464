"""What the engines of a run say of each other, and whether computed probabilities are right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.base.text import printable
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.findings.manifest import engines_met, not_compared, why_unchecked

_Row = Mapping[str, Any]
GOOD, DOUBTFUL, BAD, PLAIN = "good", "doubtful", "bad", ""
"""What a remark means."""
_SECOND = "second computation"
_WORDS = {
    MONTE_CARLO: "Monte Carlo",
    POSTERIOR: "the posterior",
    ENUMERATION: "enumeration",
    CLOSED_FORM: "the closed form",
    _SECOND: "a second computation",
}


@dataclass(frozen=True)
class Remark:
    """A sentence whose beginning says what it means."""

    meaning: str
    beginning: str
    """With the meaning, as in ``Calibrated under the prior``."""
    rest: str

    @property
    def sentence(self) -> str:
        return printable(f"{self.beginning}{self.rest}")


def engine_remarks(manifest: _Row) -> Iterator[Remark]:
    """Yield whether the engines agree, and what was not compared.

    Of a calibration, which has one engine, there are none.
    """
    if "agreement" not in manifest:
        return
    agreement, identity = manifest["agreement"], manifest["identity"]
    if agreement["checked"]:
        if agreement["agrees"]:
            yield Remark(GOOD, "Monte Carlo and exact agree", f" in {agreement['tests']} tests.")
        for what, line in _disagreeing(agreement):
            at = ", ".join(f"{name} = {size:.15g}" for name, size in line["at"].items())
            where = f"{what}, {at or 'over the whole run'}, p = {line['smallest_p']:.2g}."
            yield Remark(BAD, "Monte Carlo and exact disagree", f": {where}")
    if "not_checked" in agreement:
        drawn = ", ".join(agreement["not_checked"])
        why = why_unchecked(manifest)
        yield Remark(PLAIN, "", f"Not compared with exact values, since {why}: {drawn}.")
    for each in manifest.get("assumptions", ()):
        what = ", ".join(each["methods"])
        yield Remark(PLAIN, "", f"The exact values of {what} rest on {each['assumes']}.")
    for sentence in not_compared(manifest):
        yield Remark(PLAIN, "", f"{sentence}.")
    if identity["holds"] is None:
        return
    if identity["holds"]:
        met = engines_met(manifest)
        what = "Posterior and enumeration agree" if met else "Exact values are confirmed"
        how = "" if met else " by a second computation"
        size = f"differences below {identity['largest_discrepancy_below']:g}"
        yield Remark(GOOD, what, f"{how}: {size}.")
        return
    for each in identity["comparisons"]:
        if not each["holds"]:
            apart, most = each["largest_discrepancy_below"], identity["tolerance"]
            against = each["against"]
            other = _WORDS[against if against in _EXACT else _SECOND]
            rest = f"{other}: by up to {apart:g} where {most:g} is allowed."
            what = f"The {each['of']} of {each['published']} differ"
            yield Remark(BAD, what, f" from those of {rest}")


def _disagreeing(agreement: _Row) -> Iterator[tuple[str, _Row]]:
    """The outcomes drawn, and the method that disagrees most, where they disagree."""
    if agreement["agrees"]:
        return
    draws, level = agreement["draws"], agreement["level"]
    if draws is not None and not draws["agree"]:
        yield "the outcomes drawn", draws
    worst = min(agreement["methods"], key=lambda line: line["smallest_p_adjusted"])
    if worst["smallest_p_adjusted"] < level:
        yield worst["method"], worst


_EXACT = (POSTERIOR, ENUMERATION)


def tests_of_draws(manifest: _Row) -> list[_Row]:
    """What Monte Carlo was tested against exact values on, and how it ended."""
    agreement = manifest.get("agreement", {"checked": False})
    if not agreement["checked"]:
        return []
    level, draws = agreement["level"], agreement["draws"]
    rows: list[_Row] = [
        {**line, "what": line["method"], "agrees": line["smallest_p_adjusted"] >= level}
        for line in agreement["methods"]
    ]
    if draws is not None:
        rows.insert(0, {**draws, "what": "the outcomes drawn", "agrees": draws["agree"]})
    return rows


def comparisons(manifest: _Row) -> list[_Row]:
    """What exact values were compared with."""
    found: list[_Row] = []
    for line in manifest["identity"]["comparisons"] if "agreement" in manifest else ():
        one, other = line["published"], line["against"]
        other = _SECOND if other == one else other
        found.append({**line, "one": _WORDS.get(one, one), "other": _WORDS.get(other, other)})
    return found


def searched_worst_cases(manifest: _Row) -> list[_Row]:
    """The worst cases that a search found, each beside the largest alpha on a net of truths."""
    return [
        {**each, "size": _size_of(each)}
        for each in manifest.get("worst_cases", ())
        if "searched" in each
    ]


def _size_of(case: _Row) -> str:
    """The sizes of a worst case, which stand between its alpha and what was found."""
    names = [*case][2 : [*case].index("worst_alpha")]
    return ", ".join(f"{name} = {case[name]:g}" for name in names)
