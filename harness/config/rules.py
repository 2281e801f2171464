"""What must hold between the values of a config. A rule speaks up where all it reads is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.config.draft import Draft
from harness.config.faults import Complaint
from harness.config.form import Form, is_bounded
from harness.config.levels import engines_of, label_of
from harness.config.outcome_rules import outcome_relations
from harness.config.repeated import repeated, repeated_levels
from harness.config.shared_keys import CALIBRATION
from harness.config.size_rules import size_relations
from harness.config.trial_entry import PerOutcome, PerTruth
from harness.config.truth_levels import is_discrete
from harness.families.catalogue import FAMILIES


def relations(form: Form, raw: Mapping[str, Any], parts: Draft) -> Iterator[Complaint]:
    """Faults between keys, those of the figures apart; ``raw``: the config as it was read."""
    yield from repeated_levels(form, raw)
    yield from size_relations(form, parts)
    if form.kind == CALIBRATION:
        yield from _seed(parts, "a calibration")
        return
    yield from _labels(parts)
    yield from _trials(form, parts)
    yield from _monte_carlo(parts)
    yield from outcome_relations(form, parts)


def _labels(parts: Draft) -> Iterator[Complaint]:
    """A wrong method has no label, and None would repeat."""
    methods = parts.get("methods", [])
    labels = [i if method is None else label_of(method) for i, method in enumerate(methods)]
    for first, again in repeated(labels):
        yield Complaint(
            ("methods", again, "label"),
            f"expected a label of its own, found {labels[again]!r}, which methods[{first}] has",
        )


def _trials(form: Form, parts: Draft) -> Iterator[Complaint]:
    truth, trials = parts.get("truth"), parts.get("trials")
    if isinstance(trials, PerTruth) and truth is not None and not is_discrete(truth):
        every = " or ".join(["per_outcome"] * is_bounded(form.family) + ["per_size"])
        yield Complaint(
            ("trials", "per_truth"),
            f"expected {every}, found per_truth, which needs a truth that is a "
            "grid or a list of values",
        )
    if isinstance(trials, PerOutcome) and not is_bounded(form.family):
        bounded = ", ".join(name for name, family in FAMILIES.items() if is_bounded(family))
        yield Complaint(
            ("trials", "per_outcome"),
            "expected per_size or per_truth, found per_outcome, which needs a family with "
            f"finitely many outcomes ({bounded})",
        )


def _monte_carlo(parts: Draft) -> Iterator[Complaint]:
    if "engines" not in parts or "trials" not in parts:
        return
    if "monte_carlo" not in engines_of(parts["engines"], parts["trials"]):
        return
    if parts["trials"] is None:
        yield Complaint(
            ("engines", parts["engines"].index("monte_carlo")),
            "expected trials (per_outcome, per_size or per_truth) with monte_carlo, found none",
        )
    yield from _seed(parts, "monte_carlo")


def _seed(parts: Draft, what: str) -> Iterator[Complaint]:
    if "seed" in parts and parts["seed"] is None:
        yield Complaint(
            ("seed",),
            f"expected a whole number, found nothing: {what} draws random numbers, and every "
            "one of them comes from a seed that is written down",
        )
