"""The page of the recommended methods: how close the others come, by family."""

from __future__ import annotations

from handbook import links
from handbook.text import cell, code, table
from harness.families.catalogue import FAMILIES
from harness.findings.choice import Candidate, choices
from harness.findings.manifest import worst_cases_are_exact
from harness.findings.numbers import percent
from harness.kinds.stored import load_tables
from harness.methods.catalogue.recommended import RECOMMENDED
from harness.methods.listing import recommended_for

_HEAD = """# Recommended methods

The rule stands on [Which interval](which_interval.md#the-rule). Each table has the methods of a
family, two-sided at alpha 0.05: coverage on average over the true values, of several sizes its
range; coverage at the worst true value and size; and the mean length relative to the shortest
method, averaged over the sizes. Methods that are about right on average come first.

"""


def page() -> str:
    """The page: a section for each family."""
    return _HEAD + "\n".join(map(_section, RECOMMENDED))


def _section(family: str) -> str:
    name = f"recommendation/{family}"
    results = load_tables(links.ROOT / "results" / name)
    (choice,) = choices(results)
    exact = worst_cases_are_exact(results.manifest)
    ordered = sorted(choice.candidates, key=lambda each: (not each.about_right, each.worst))
    worst = "at worst" if exact else "at the worst found"
    head = ("method", "covers on average", worst, "length", "recommended as")
    rows = [_row(each, family) for each in ordered]
    reason = RECOMMENDED[family].reason
    why = f"`{RECOMMENDED[family].use}`: {reason}.\n\n" if reason else ""
    return (
        f"## {cell(FAMILIES[family].title)}\n\n"
        f"[config](../configs/{name}.yaml), [results](../results/{name})\n\n"
        f"{why}{table(head, rows)}"
    )


def _row(one: Candidate, family: str) -> tuple[str, ...]:
    low, high = percent(1 - max(one.means)), percent(1 - min(one.means))
    error = f" ± {percent(one.std_error, 2)}" if one.std_error else ""
    return (
        code(one.method),
        low if low == high else f"{low} to {high}",
        f"{percent(1 - one.worst)}{error}",
        f"{one.relative_length:.3f}",
        recommended_for(family, one.method),
    )
