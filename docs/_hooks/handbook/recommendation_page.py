"""The page of the recommended methods: how close the others come, by family."""

from __future__ import annotations

from handbook import links
from handbook.text import cell, code, table
from harness.families.catalogue import FAMILIES, family_of
from harness.findings.judgements import AtAlpha, MethodJudgement, judgements
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
    (judged,) = judgements(load_tables(links.ROOT / "results" / name))
    ordered = sorted(judged.with_lengths, key=lambda method: (not method.about_right, method.worst))
    worst = "at worst" if ordered[0].is_exact else "lowest found"
    head = ("method", "covers on average", worst, "length", "recommended as")
    rows = [_row(method, judged, family) for method in ordered]
    reason = RECOMMENDED[family].reason
    why = f"`{RECOMMENDED[family].use}`: {reason}.\n\n" if reason else ""
    return (
        f"## {cell(FAMILIES[family].title)}\n\n"
        f"[config](../configs/{name}.yaml), [results](../results/{name})\n\n"
        f"{why}{table(head, rows)}"
    )


def _row(method: MethodJudgement, judged: AtAlpha, family: str) -> tuple[str, ...]:
    low, high = percent(1 - method.mean), percent(1 - min(method.means))
    error = f" ± {percent(method.std_error, 2)}" if method.std_error else ""
    return (
        code(method.method),
        low if low == high else f"{low} to {high}",
        f"{percent(1 - method.worst)}{error}",
        f"{judged.relative_length(method):.3f}",
        recommended_for(family_of(family), method.method),
    )
