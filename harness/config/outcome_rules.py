"""What must hold of the outcomes that are reported, and of what they are judged under."""

from __future__ import annotations

from collections.abc import Iterator

from harness.config.draft import Draft
from harness.config.faults import Complaint, describe
from harness.config.form import Form, is_bounded
from harness.config.levels import each_size, engines_of, outcomes_of
from harness.config.outcome_entry import ListedOutcomes
from harness.config.truth_levels import is_discrete


def outcome_relations(form: Form, parts: Draft) -> Iterator[Complaint]:
    """Outcomes that cannot occur, groups of some of them, and references that are not there."""
    if is_bounded(form.family):
        yield from _within(parts)
    if parts.get("group") is not None and not _all(parts):
        yield Complaint(("group",), f"expected outcomes: all with groups, found {_found(parts)}")
    yield from _reference(parts)


def _within(parts: Draft) -> Iterator[Complaint]:
    """Every n has every listed outcome."""
    listed = parts.get("outcomes")
    if not isinstance(listed, ListedOutcomes) or "n" not in parts:
        return
    smallest = min(each_size(parts["n"]))
    for i, x in enumerate(listed.values):
        if x > smallest:
            yield Complaint(
                ("outcomes", "values", i),
                f"expected an outcome of at most {smallest}, the smallest n, found {x}",
            )


def _reference(parts: Draft) -> Iterator[Complaint]:
    if parts.get("reference") != "truth":
        return
    needs = []
    if "truth" in parts and is_discrete(parts["truth"]):
        needs.append("a truth that is a distribution")
    if not _all(parts):
        needs.append("outcomes: all")
    if "engines" in parts and "trials" in parts:
        engines = engines_of(parts["engines"], parts["trials"])
        if "posterior" not in engines:
            needs.append("posterior among the engines")
    for need in needs:
        yield Complaint(("reference",), f"expected prior, found truth, which needs {need}")


def _all(parts: Draft) -> bool:
    """Whether nothing speaks against all outcomes."""
    return "outcomes" not in parts or outcomes_of(parts["outcomes"]) is None


def _found(parts: Draft) -> str:
    return describe(parts["outcomes"].model_dump(mode="json"))
