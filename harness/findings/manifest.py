"""What the manifest of a run says, in sentences and tables: failures, and how engines agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.base.text import enumerated, printable
from harness.catalogue import design_for, family_in
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.methods.remarks import ORDER, OUTSIDE
from harness.tables.formats import Entry, TextTable, text_table
from harness.tables.wording import significant, whole

_MOST_LISTED = 5

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


def agrees(content: Mapping[str, Any]) -> bool:
    """Whether no two engines disagree, from the content of the manifest of a run."""
    return False not in (content["agreement"]["agrees"], content["identity"]["holds"])


def worst_cases_are_exact(content: Mapping[str, Any]) -> bool:
    """Whether no worst case was found by a search, from the manifest of a run."""
    return all("found_by" not in case for case in content["worst_cases"])


def failed_methods(manifest: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each method that failed, from the manifest of a run."""
    for method, lines in _by_method(manifest.get("failures", ())):
        unit = "outcomes" if "outcomes" in lines[0] else "trials"
        failed, total = (sum(line[key] for line in lines) for key in (f"failed_{unit}", unit))
        not_called = sum(line["not_called"] for line in lines)
        uncalled = f", {not_called:,} of which it was not called for" if not_called else ""
        yield (
            f"{method}: {lines[0]['first']} (no limits for {failed:,} of {total:,} {unit}"
            f"{uncalled}, which count as misses)"
        )


def remarked_methods(manifest: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each method with limits outside the range, and for one with repeated calls.

    Args:
        manifest: that of a run.
    """
    for method, lines in _by_method(_remarks(manifest, OUTSIDE)):
        outside, asked = (
            sum(line[key] for line in lines) for key in ("outcomes", "outcomes_asked")
        )
        yield (
            f"{method}: {lines[0]['first']} (limits outside the range at {outside:,} of {asked:,} "
            f"outcomes; the tables keep them)"
        )
    for line in manifest.get("repeated", ()):
        yield (
            f"{line['method']}: {line['first']}; the call was repeated in a new process, and gave "
            f"what it would have given (calls repeated: {line['calls']:,})"
        )


def unsteady_methods(manifest: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each method whose limits depend on what it was asked before."""
    for method, lines in _by_method(_remarks(manifest, ORDER)):
        yield (
            f"{method}: {lines[0]['first']} (its limits depend on what was asked before, so that "
            f"none of its numbers can be trusted)"
        )


def _by_method(
    lines: Iterable[Mapping[str, Any]],
) -> Iterable[tuple[str, list[Mapping[str, Any]]]]:
    """The lines of each method, in the order in which methods come first."""
    lines_of: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        lines_of.setdefault(line["method"], []).append(line)
    return lines_of.items()


def _remarks(manifest: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    return [line for line in manifest.get("remarks", ()) if line["remark"] == kind]


def missed_precision(manifest: Mapping[str, Any]) -> str:
    """A sentence about the sizes whose intervals are wider than asked for; empty without any."""
    content = manifest.get("precision", {"sizes": []})
    wide = [size for size in content["sizes"] if not size["reached"]]
    if not wide:
        return ""
    names = family_in(manifest["experiment"]).sizes
    listed = [" and ".join(f"{name} = {size[name]:.15g}" for name in names) for size in wide]
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    widest = max(size["half_width"] for size in wide)
    return (
        f"Intervals are wider than ± {content['half_width']:g} at "
        f"{', '.join(listed[:_MOST_LISTED])}{more}, up to ± {widest:.2g}, "
        f"with max: {content['max']:,} trials"
    )


@dataclass(frozen=True)
class RunRemark:
    """A sentence whose beginning says what it means."""

    meaning: str
    beginning: str
    """The words with the meaning, as in ``Calibrated under the prior``."""
    rest: str

    @property
    def sentence(self) -> str:
        return printable(f"{self.beginning}{self.rest}")


def engine_remarks(manifest: Mapping[str, Any]) -> Iterator[RunRemark]:
    """Yield whether the engines agree, and what was not compared.

    Of results of a kind that has one engine there are none.
    """
    if "agreement" not in manifest:
        return
    agreement, family = manifest["agreement"], family_in(manifest["experiment"])
    if agreement["checked"] and agreement["agrees"]:
        yield RunRemark(GOOD, "Monte Carlo and exact agree", f" in {agreement['tests']} tests.")
    elif agreement["checked"]:
        # Of the methods the one that disagrees most is named.
        worst = min(agreement["methods"], key=lambda line: line["smallest_p_adjusted"])
        for what, line, agrees in _tests_of_draws(agreement):
            if not agrees and (what == _DRAWS or line is worst):
                at = ", ".join(f"{name} = {size:.15g}" for name, size in line["at"].items())
                where = f"{what}, {at or 'over the whole run'}, p = {line['smallest_p']:.2g}."
                yield RunRemark(BAD, "Monte Carlo and exact disagree", f": {where}")
    if "not_checked" in agreement:
        drawn = ", ".join(agreement["not_checked"])
        why = family.why_no_exact_value
        yield RunRemark(PLAIN, "", f"Not compared with exact values, since {why}: {drawn}.")
    for assumption in manifest.get("assumptions", ()):
        what = ", ".join(assumption["methods"])
        yield RunRemark(PLAIN, "", f"The exact values of {what} rest on {assumption['assumes']}.")
    if "not_enumerated" in manifest:
        most = f"{design_for(family).most_enumerated:,.0f}"
        at = enumerated(manifest["not_enumerated"])
        rest = f"Trials alone at {at}, where more than {most} tables are possible."
        yield RunRemark(PLAIN, "", rest)
    if family.has_outcomes:
        yield from _not_compared(manifest)
    yield from _identity(manifest)


def _engines_met(manifest: Mapping[str, Any]) -> bool:
    """Whether the posterior and the enumeration of a run were compared with each other."""
    ran = set(_EXACT) <= set(manifest["experiment"]["engines"])
    pairs = [
        {comparison["published"], comparison["against"]}
        for comparison in manifest["identity"]["comparisons"]
    ]
    return ran and set(_EXACT) in pairs


def _not_compared(manifest: Mapping[str, Any]) -> Iterator[RunRemark]:
    """A remark for each pair of engines that was not compared, and why."""
    engines, agreement = manifest["experiment"]["engines"], manifest["agreement"]
    if not agreement["checked"]:
        why = "monte carlo did not run"
        if MONTE_CARLO in engines:
            is_random = "not_checked" in agreement
            why = "their limits are random" if is_random else "there are none under a distribution"
        yield RunRemark(PLAIN, "", f"Monte Carlo and exact values were not compared: {why}.")
    if not _engines_met(manifest):
        absent = [engine for engine in _EXACT if engine not in engines]
        why = f"{' and '.join(absent)} did not run" if absent else "no distribution has both"
        yield RunRemark(PLAIN, "", f"Posterior and enumeration were not compared: {why}.")


def _identity(manifest: Mapping[str, Any]) -> Iterator[RunRemark]:
    """Whether exact values are those of a second computation, where they were compared."""
    identity = manifest["identity"]
    if identity["holds"]:
        met = _engines_met(manifest)
        what = "Posterior and enumeration agree" if met else "Exact values are confirmed"
        how = "" if met else " by a second computation"
        size = f"differences below {identity['largest_discrepancy_below']:g}"
        yield RunRemark(GOOD, what, f"{how}: {size}.")
        return
    for comparison in identity["comparisons"]:
        if not comparison["holds"]:
            apart, most = comparison["largest_discrepancy_below"], identity["tolerance"]
            against = comparison["against"]
            other = _WORDS[against if against in _EXACT else _SECOND]
            rest = f"{other}: by up to {apart:g} where {most:g} is allowed."
            what = f"The {comparison['of']} of {comparison['published']} differ"
            yield RunRemark(BAD, what, f" from those of {rest}")


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
