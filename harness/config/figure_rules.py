"""What a figure asks of the experiment it is drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.config.draft import Draft
from harness.config.faults import Complaint, found_instead, nearest
from harness.config.figure_entry import kind_of
from harness.config.levels import alphas_of, engines_of, is_discrete, label_of, sizes_of
from harness.config.surface_rules import (
    LARGEST_BESIDE_TRUTHS,
    has_true_values,
    surface_relations,
)
from harness.config.trial_entry import PerTruth
from harness.figures.catalogue import FIGURES, AlphaByOutcome, FigureOptions


def figure_relations(parts: Draft) -> Iterator[Complaint]:
    """Figures that name what is not there, or need what does not run."""
    for i, entry in enumerate(parts.get("figures", [])):
        if entry is not None:
            for key, message in _relations(entry, parts):
                yield Complaint(("figures", i, key), message)


def _relations(entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    yield from _sources(entry, parts)
    if "n" in parts:
        yield from _size(entry, sizes_of(parts["n"]))
    if "alpha" in parts:
        yield from _named(entry, ("alpha",), "an alpha", alphas_of(parts["alpha"]))
    methods = parts.get("methods", [None])
    if None not in methods:
        labels = [label_of(method) for method in methods]
        yield from _named(
            entry, ("method", "methods", "reference"), "the label of a method", labels
        )
    yield from _counted(entry, parts)
    yield from surface_relations(entry, parts)


def _sources(entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    kind = FIGURES[kind_of(entry)]
    if "engines" in parts and "trials" in parts:
        engines = engines_of(parts["engines"], parts["trials"])
        needed = kind.engines(entry)
        if not set(needed) & set(engines):
            key = "engine" if hasattr(entry, "engine") else "kind"
            one = " or ".join(needed)
            yield key, f"expected {one} among the engines, found {', '.join(engines)}"
    if kind.over == "truth" and "truth" in parts and not is_discrete(parts["truth"]):
        (found,) = type(parts["truth"]).model_fields
        what = f"a truth that is a grid or a list of values for {kind.name}"
        yield "kind", f"expected {what}, found {found}"


def _counted(entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    """Counts of an outcome are binomial where the truth is drawn, and kept unless n is large."""
    if not isinstance(entry, AlphaByOutcome):
        return
    if isinstance(parts.get("trials"), PerTruth) and has_true_values(parts):
        yield (
            "kind",
            "expected trials per_outcome or per_size for alpha_by_outcome, found per_truth",
        )
    if "n" in parts and has_true_values(parts):
        sizes = sizes_of(parts["n"])
        n = sizes[0] if entry.n is None and len(sizes) == 1 else entry.n
        if n in sizes and n >= LARGEST_BESIDE_TRUTHS:
            most = f"an n below {LARGEST_BESIDE_TRUTHS}"
            yield "n", f"expected {most} with a grid or a list of true values, found {n}"


def _size(entry: FigureOptions, sizes: Sequence[int]) -> Iterator[tuple[str, str]]:
    yield from _named(entry, ("n",), "an n", sizes)
    if getattr(entry, "n", 0) is None and len(sizes) > 1:
        yield "n", f"expected an n of this experiment ({_listed(sizes)}), found nothing"


def _named(
    entry: FigureOptions, keys: Sequence[str], what: str, levels: Sequence[Any]
) -> Iterator[tuple[str, str]]:
    """Options that name a level the experiment does not have."""
    for key in keys:
        value = getattr(entry, key, None)
        for asked in value if isinstance(value, list | tuple) else [value]:
            if asked is not None and asked not in levels:
                wanted = f"{what} of this experiment ({_listed(levels)})"
                yield key, found_instead(wanted, asked) + nearest(asked, levels)


def _listed(levels: Sequence[Any]) -> str:
    few = [str(level) for level in levels[:12]]
    return ", ".join(few) + (", ..." if len(levels) > len(few) else "")
