"""What the engines of a run say of each other, and whether computed probabilities are right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.base.text import printable
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.findings.manifest import engines_met, not_compared, why_unchecked
from harness.findings.numbers import significant, whole
from harness.findings.table import Entry, TextTable, text_table

GOOD, DOUBTFUL, BAD, PLAIN = "good", "doubtful", "bad", ""
"""What a remark means."""
_EXACT = (POSTERIOR, ENUMERATION)
_SECOND = "second computation"
_DRAWS = "the outcomes drawn"
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


def engine_remarks(manifest: Mapping[str, Any]) -> Iterator[Remark]:
    """Yield whether the engines agree, and what was not compared.

    Of a calibration, which has one engine, there are none.
    """
    if "agreement" not in manifest:
        return
    agreement, identity = manifest["agreement"], manifest["identity"]
    if agreement["checked"] and agreement["agrees"]:
        yield Remark(GOOD, "Monte Carlo and exact agree", f" in {agreement['tests']} tests.")
    elif agreement["checked"]:
        worst = min(agreement["methods"], key=lambda line: line["smallest_p_adjusted"])
        for what, line, agrees in _tests_of_draws(agreement):
            if not agrees and (what == _DRAWS or line is worst):
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


def engine_tables(manifest: Mapping[str, Any]) -> list[TextTable]:
    """How exact values met a second computation, searched worst cases and trials, as tables.

    A table of which there are no rows is left out.
    """
    tables = (_comparisons(manifest), _searched_worst_cases(manifest), tests_table(manifest))
    return [table for table in tables if table.rows]


def _comparisons(manifest: Mapping[str, Any]) -> TextTable:
    """What exact values were compared with."""
    rows = []
    for line in manifest["identity"]["comparisons"] if "agreement" in manifest else ():
        published, against = line["published"], line["against"]
        other = _SECOND if against == published else against
        verdict = Entry("equal", kind=GOOD) if line["holds"] else Entry("different", kind=BAD)
        rows.append(
            {
                "What": Entry(line["of"]),
                "by": Entry(_WORDS.get(published, published)),
                "and by": Entry(_WORDS.get(other, other)),
                "Differences below": Entry(significant(line["largest_discrepancy_below"], 2)),
                "Verdict": verdict,
            }
        )
    texts = ("What", "by", "and by", "Verdict")
    return text_table("Exact values that are computed in two ways.", rows, texts)


def _searched_worst_cases(manifest: Mapping[str, Any]) -> TextTable:
    """The worst cases that a search found, each beside the largest alpha on a net of truths."""
    rows = []
    for case in manifest.get("worst_cases", ()):
        if "searched" not in case:
            continue
        names = [*case]
        # The sizes stand between the alpha of a worst case and what was found.
        sizes = names[2 : names.index("worst_alpha")]
        rows.append(
            {
                "Method": Entry(case["method"]),
                "Alpha": Entry(significant(case["alpha"], 4)),
                "Size": Entry(", ".join(f"{name} = {case[name]:g}" for name in sizes)),
                "by the search": Entry(significant(case["searched"], 6)),
                "on the net": Entry(significant(case["on_net"], 6)),
            }
        )
    caption = (
        "Worst cases that a search found, and the largest alpha on a net of truths that it did not "
        "use. The larger one is shown."
    )
    return text_table(caption, rows, ("Method", "Size"))


def tests_table(manifest: Mapping[str, Any]) -> TextTable:
    """What Monte Carlo was tested against exact values on, and how it ended."""
    agreement = manifest.get("agreement", {"checked": False})
    tested = _tests_of_draws(agreement) if agreement["checked"] else []
    rows = [
        {
            "Of": Entry(what),
            "Tests": Entry(whole(line["tests"])),
            "Smallest p": Entry(significant(line["smallest_p"], 2)),
            "after Holm": Entry(significant(line["smallest_p_adjusted"], 2)),
            "Intervals that miss": Entry(whole(line.get("intervals_missing"))),
            "expected": Entry(significant(line.get("expected_missing"), 3)),
            "Verdict": Entry("agrees", kind=GOOD) if agrees else Entry("disagrees", kind=BAD),
        }
        for what, line, agrees in tested
    ]
    caption = "Monte Carlo beside exact values: tests, and 95 % intervals that miss."
    return text_table(caption, rows, ("Of", "Verdict"))


def _tests_of_draws(
    agreement: Mapping[str, Any],
) -> list[tuple[str, Mapping[str, Any], bool]]:
    """What was tested, with its numbers and whether it agrees."""
    draws = agreement["draws"]
    of_draws = [] if draws is None else [(_DRAWS, draws, draws["agree"])]
    of_methods = [
        (line["method"], line, line["smallest_p_adjusted"] >= agreement["level"])
        for line in agreement["methods"]
    ]
    return [*of_draws, *of_methods]
