"""What the manifest of a run says, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness.base.text import enumerated
from harness.catalogue import design_for, family_in
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.methods.remarks import ORDER, OUTSIDE

_MOST_LISTED = 5


Lines = list[Mapping[str, Any]]
"""The lines of a list in the manifest."""


def agrees(content: Mapping[str, Any]) -> bool:
    """Whether no two engines disagree, from the content of the manifest of a run."""
    return False not in (content["agreement"]["agrees"], content["identity"]["holds"])


def worst_cases_are_exact(content: Mapping[str, Any]) -> bool:
    """Whether no worst case was found by a search, from the manifest of a run."""
    return all("found_by" not in each for each in content["worst_cases"])


def engines_met(content: Mapping[str, Any]) -> bool:
    """Whether the posterior and the enumeration of a run were compared with each other."""
    ran = {POSTERIOR, ENUMERATION} <= set(content["experiment"]["engines"])
    pairs = [{each["published"], each["against"]} for each in content["identity"]["comparisons"]]
    return ran and {POSTERIOR, ENUMERATION} in pairs


def not_compared(content: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each pair of engines that was not compared, from the manifest of a run."""
    engines = content["experiment"]["engines"]
    family = family_in(content["experiment"])
    if "not_enumerated" in content:
        most = design_for(family).most_enumerated
        yield (
            f"Trials alone at {enumerated(content['not_enumerated'])}, where more than "
            f"{most:,.0f} tables are possible"
        )
    if not content["agreement"]["checked"] and family.has_outcomes:
        why = _absent([MONTE_CARLO])
        if MONTE_CARLO in engines:
            are_random = "not_checked" in content["agreement"]
            why = "their limits are random" if are_random else "there are none under a distribution"
        yield f"Monte Carlo and exact values were not compared: {why}"
    if not engines_met(content) and family.has_outcomes:
        absent = [each for each in (POSTERIOR, ENUMERATION) if each not in engines]
        why = _absent(absent) if absent else "no distribution has both"
        yield f"Posterior and enumeration were not compared: {why}"


def why_unchecked(content: Mapping[str, Any]) -> str:
    """Why some methods have no exact values, in a clause, from the manifest of a run."""
    if family_in(content["experiment"]).has_outcomes:
        return "their limits are random"
    return "no exact engine has values for them"


def _absent(engines: Sequence[str]) -> str:
    names = " and ".join(each.replace("_", " ") for each in engines)
    return f"{names} did not run"


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
    """A sentence for each method whose limits lie outside the range, from the manifest of a run."""
    for method, lines in _remarks_by_method(manifest, OUTSIDE):
        found, asked = (sum(line[key] for line in lines) for key in ("outcomes", "outcomes_asked"))
        yield (
            f"{method}: {lines[0]['first']} (limits outside the range at {found:,} of {asked:,} "
            f"outcomes; the tables keep them)"
        )


def unsteady_methods(manifest: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each method whose limits depend on what it was asked before."""
    for method, lines in _remarks_by_method(manifest, ORDER):
        yield (
            f"{method}: {lines[0]['first']} (its limits depend on what was asked before, so that "
            f"none of its numbers can be trusted)"
        )


def _remarks_by_method(manifest: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Lines]]:
    return _by_method(line for line in manifest.get("remarks", ()) if line["remark"] == kind)


def _by_method(lines: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Lines]]:
    """The lines of each method, in the order in which methods come first."""
    found: dict[str, Lines] = {}
    for line in lines:
        found.setdefault(line["method"], []).append(line)
    yield from found.items()


def missed_precision(manifest: Mapping[str, Any]) -> str:
    """A sentence about the sizes whose intervals are wider than asked for; empty without any."""
    content = manifest.get("precision", {"sizes": []})
    wide = [each for each in content["sizes"] if not each["reached"]]
    if not wide:
        return ""
    names = family_in(manifest["experiment"]).sizes
    listed = [" and ".join(f"{name} = {each[name]:.15g}" for name in names) for each in wide]
    more = f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
    widest = max(each["half_width"] for each in wide)
    return (
        f"Intervals are wider than ± {content['half_width']:g} at "
        f"{', '.join(listed[:_MOST_LISTED])}{more}, up to ± {widest:.2g}, "
        f"with max: {content['max']:,} trials"
    )
