"""What must hold between the values of a config. A rule speaks up where all it reads is right."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from harness.config.document import Path
from harness.config.draft import Draft
from harness.config.faults import Complaint, describe, show_path
from harness.config.levels import engines_of, is_discrete, label_of
from harness.config.trial_entry import PerTruth

LEVELS = (int, float, str)


def relations(raw: Any, parts: Draft) -> Iterator[Complaint]:
    """Faults between keys, those of the figures apart; ``raw``: the config as it was read."""
    if isinstance(raw, Mapping):
        yield from _levels(raw)
    yield from _labels(parts)
    yield from _monte_carlo(parts)


def _levels(raw: Mapping[str, Any]) -> Iterator[Complaint]:
    """Values given twice, whatever else is wrong with the list they stand in."""
    truth = raw.get("truth")
    lists: dict[Path, object] = {(key,): raw.get(key) for key in ("n", "alpha", "engines")}
    lists["truth", "values"] = truth.get("values") if isinstance(truth, Mapping) else None
    for path, values in lists.items():
        if isinstance(values, list):
            # True is 1 to Python; the schema refuses it, and it repeats nothing.
            levels = [
                value if isinstance(value, LEVELS) and not isinstance(value, bool) else (i,)
                for i, value in enumerate(values)
            ]
            for first, again in _repeated(levels):
                also = show_path((*path, first))
                found = describe(values[again])
                message = f"expected each value once, found {found}, which {also} is too"
                yield Complaint((*path, again), message)


def _repeated(values: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Where a value first stands, and where again."""
    first: dict[Hashable, int] = {}
    for i, value in enumerate(values):
        if first.setdefault(value, i) != i:
            yield first[value], i


def _labels(parts: Draft) -> Iterator[Complaint]:
    """A wrong method has no label, and None would repeat."""
    methods = parts.get("methods", [])
    labels = [i if method is None else label_of(method) for i, method in enumerate(methods)]
    for first, again in _repeated(labels):
        yield Complaint(
            ("methods", again, "label"),
            f"expected a label of its own, found {labels[again]!r}, which methods[{first}] has",
        )


def _monte_carlo(parts: Draft) -> Iterator[Complaint]:
    truth, trials = parts.get("truth"), parts.get("trials")
    if isinstance(trials, PerTruth) and truth is not None and not is_discrete(truth):
        yield Complaint(
            ("trials", "per_truth"),
            "expected per_outcome or per_size, found per_truth, which needs a truth that is a "
            "grid or a list of values",
        )
    if "engines" not in parts or "trials" not in parts:
        return
    if "monte_carlo" not in engines_of(parts["engines"], trials):
        return
    if trials is None:
        yield Complaint(
            ("engines", parts["engines"].index("monte_carlo")),
            "expected trials (per_outcome, per_size or per_truth) with monte_carlo, found none",
        )
    if "seed" in parts and parts["seed"] is None:
        yield Complaint(
            ("seed",),
            "expected a whole number, found nothing: monte_carlo draws random numbers, and every "
            "one of them comes from a seed that is written down",
        )
