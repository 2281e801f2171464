"""The levels that the values of a config stand for: sizes, alphas, outcomes, engines, labels."""

from __future__ import annotations

from harness.config.coverage_form import CROSS, ENGINES
from harness.config.draft import Draft
from harness.config.experiment import Size
from harness.config.form import Form
from harness.config.method_entry import CatalogueMethod, FileMethod, ModuleMethod
from harness.config.outcome_entry import Fractions, ListedOutcomes, OutcomeGrid
from harness.config.size_entry import ExposureGrid, LogGrid, SizesEntry
from harness.methods.method import TWO_SIDED

Method = str | CatalogueMethod | FileMethod | ModuleMethod
OutcomesEntry = str | Fractions | ListedOutcomes | OutcomeGrid


def each_size(entry: SizesEntry) -> tuple[float, ...]:
    """Sizes of one sample, in the order of the config."""
    if isinstance(entry, LogGrid | ExposureGrid):
        return entry.log_grid.values()
    return tuple(entry) if isinstance(entry, list) else (entry,)


def sizes_of(form: Form, parts: Draft) -> tuple[Size, ...]:
    """Ascending sizes, or pairs of them; none where a key of theirs is wrong."""
    names = form.family.sizes
    if not all(name in parts for name in names):
        return ()
    first, *others = (each_size(parts[name]) for name in names)
    if not others:
        return tuple(sorted(first))
    return tuple(sorted(paired(first, others[0], bool(parts.get(CROSS)))))


def paired(
    first: tuple[float, ...], second: tuple[float, ...], cross: bool
) -> list[tuple[float, float]]:
    """Each with the other in its place, one with all, or all with all."""
    if cross or 1 in (len(first), len(second)):
        return [(one, other) for one in first for other in second]
    return list(zip(first, second, strict=False))


def alphas_of(alpha: float | list[float]) -> tuple[float, ...]:
    """Nominal alphas, in the order of the config."""
    return tuple(alpha) if isinstance(alpha, list) else (alpha,)


def outcomes_of(entry: OutcomesEntry) -> int | tuple[int, ...] | None:
    """None for all, the number of fractions, or the outcomes in ascending order."""
    if isinstance(entry, Fractions):
        return entry.fractions
    if isinstance(entry, ListedOutcomes):
        return tuple(sorted(entry.values))
    return entry.log_grid.values() if isinstance(entry, OutcomeGrid) else None


def engines_of(engines: list[str] | None, trials: object | None) -> tuple[str, ...]:
    """The engines that run, always in one order; left out, all that can."""
    if engines is None:
        return ENGINES if trials is not None else tuple(e for e in ENGINES if e != "monte_carlo")
    return tuple(engine for engine in ENGINES if engine in engines)


def label_of(method: Method) -> str:
    """The label given, or one that tells the method's side and prior."""
    if isinstance(method, str):
        return method
    if method.label is not None:
        return method.label
    if not isinstance(method, CatalogueMethod):
        return method.function
    side = "" if method.side == TWO_SIDED else f" {method.side}"
    prior = "" if method.prior is None else f" [{', '.join(map(_short, method.prior))}]"
    return f"{method.name}{side}{prior}"


def plain_number(value: float) -> int | float:
    """2.0 as 2, so that a resolved config reads the same however the number was written."""
    whole = value.is_integer() and abs(value) < 1e15
    return int(value) if whole else value


def _short(value: float) -> str:
    return str(plain_number(float(value)))
