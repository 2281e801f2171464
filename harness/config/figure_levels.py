"""The levels of the experiment that a figure names: sizes, true values, alphas, methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.config.draft import Draft
from harness.config.dump import flow
from harness.config.experiment import Size
from harness.config.faults import found_instead
from harness.config.form import Form
from harness.config.levels import Method, alphas_of, label_of, plain_number, sizes_of
from harness.config.pair_truth_entry import PairEntry
from harness.config.truth_levels import is_discrete, truth_of
from harness.errors import did_you_mean
from harness.figures.options import FigureOptions
from harness.methods.method import TWO_SIDED


def level_relations(form: Form, entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    """Options that name a level the experiment does not have, or should name one."""
    if hasattr(entry, "n"):
        sizes = [_plain(size) for size in sizes_of(form, parts)]
        if sizes:
            yield from _one_of(entry, "n", _size_name(form), sizes)
    if hasattr(entry, "second"):
        yield from _second(entry, parts)
    if "alpha" in parts:
        yield from _named(entry, ("alpha",), "an alpha", alphas_of(parts["alpha"]))
    methods = parts.get("methods", [None])
    if None not in methods:
        labels = [label_of(method) for method in methods]
        keys = ("method", "methods", "reference")
        yield from _named(entry, keys, "the label of a method", labels)
        yield from _compared(entry, methods)


def _size_name(form: Form) -> str:
    """``an n``, ``an exposure``, or ``a pair [n1, n2]``."""
    names = form.family.sizes
    if len(names) == 2:
        return f"a pair [{names[0]}, {names[1]}]"
    return f"an {names[0]}"


def _plain(size: Size) -> Any:
    """As it is written in a config."""
    if isinstance(size, tuple):
        return [plain_number(float(each)) for each in size]
    return plain_number(float(size))


def _second(entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    """The true value of the second sample that is held."""
    truth = parts.get("truth")
    if not isinstance(truth, PairEntry):
        found = getattr(entry, "second", None)
        if truth is not None and found is not None:
            yield "second", f"expected two samples for a second true value, found {flow(found)}"
    elif is_discrete(truth):
        listed = truth_of(truth.second)
        assert listed.is_discrete
        levels = [plain_number(value) for value in listed.values]
        yield from _one_of(entry, "second", "a second true value", levels)


def _one_of(
    entry: FigureOptions, key: str, what: str, levels: Sequence[Any]
) -> Iterator[tuple[str, str]]:
    """One level, which may be left out where there is only one."""
    value = getattr(entry, key)
    asked = list(value) if isinstance(value, tuple) else value
    if asked not in levels and not (asked is None and len(levels) == 1):
        wanted = f"{what} of this experiment ({_listed(levels)})"
        yield key, found_instead(wanted, asked)


def _named(
    entry: FigureOptions, keys: Sequence[str], what: str, levels: Sequence[Any]
) -> Iterator[tuple[str, str]]:
    """Levels of which one or several may be named."""
    for key in keys:
        value = getattr(entry, key, None)
        for asked in value if isinstance(value, list | tuple) else [value]:
            if asked is not None and asked not in levels:
                wanted = f"{what} of this experiment ({_listed(levels)})"
                yield key, found_instead(wanted, asked) + did_you_mean(asked, levels)


def _listed(levels: Sequence[Any]) -> str:
    few = [level if isinstance(level, str) else flow(level) for level in levels[:12]]
    return ", ".join(few) + (", ..." if len(levels) > len(few) else "")


def _compared(entry: FigureOptions, methods: Sequence[Method]) -> Iterator[tuple[str, str]]:
    """With no method named, all of the reference's side are drawn."""
    reference = getattr(entry, "reference", None)
    named = getattr(entry, "method", None) or getattr(entry, "methods", None)
    sides = {label_of(method): _side(method) for method in methods}
    if reference in sides and named is None:
        side = sides.pop(reference)
        if side not in sides.values():
            yield (
                "reference",
                f"expected another {side} method to compare with {reference}, found none",
            )


def _side(method: Method) -> str:
    return TWO_SIDED if isinstance(method, str) else method.side
