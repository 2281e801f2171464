"""The levels that the values of a config stand for: sizes, alphas, engines, labels."""

from __future__ import annotations

from harness.config.level_entry import LogGrid
from harness.config.method_entry import CatalogueMethod, FileMethod, ModuleMethod
from harness.config.schema import ENGINES
from harness.config.truth_entry import Beta, Grid, Uniform, Values
from harness.methods.method import TWO_SIDED
from harness.truths import BetaTruth, DiscreteTruth, Truth, UniformTruth

Method = str | CatalogueMethod | FileMethod | ModuleMethod
TruthEntry = Uniform | Grid | Values | Beta


def sizes_of(n: int | list[int] | LogGrid) -> tuple[int, ...]:
    """Ascending sizes."""
    if isinstance(n, LogGrid):
        return n.log_grid.values()
    return (n,) if isinstance(n, int) else tuple(sorted(n))


def alphas_of(alpha: float | list[float]) -> tuple[float, ...]:
    """Nominal alphas, in the order of the config."""
    return tuple(alpha) if isinstance(alpha, list) else (alpha,)


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


def truth_of(entry: TruthEntry) -> Truth:
    """The truth; adding 0.0 makes a zero of -0.0."""
    if isinstance(entry, Uniform):
        lower, upper = entry.uniform
        return UniformTruth(lower + 0.0, upper + 0.0)
    if isinstance(entry, Beta):
        s, t = entry.beta
        return BetaTruth(float(s), float(t))
    values = entry.grid.values() if isinstance(entry, Grid) else tuple(sorted(entry.values))
    return DiscreteTruth(tuple(value + 0.0 for value in values))


def is_discrete(entry: TruthEntry) -> bool:
    """Whether there are finitely many true values."""
    return isinstance(entry, Grid | Values)


def plain_number(value: float) -> int | float:
    """2.0 as 2, so that a resolved config reads the same however the number was written."""
    whole = value.is_integer() and abs(value) < 1e15
    return int(value) if whole else value


def _short(value: float) -> str:
    return str(plain_number(float(value)))
