"""What a surface over n and x/n asks of the experiment: sizes, outcomes, methods to compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.config.draft import Draft
from harness.config.figure_entry import kind_of
from harness.config.levels import OutcomesEntry, each_size, engines_of
from harness.config.outcome_entry import Fractions, ListedOutcomes
from harness.config.truth_levels import is_discrete
from harness.figures.alpha_surface import AlphaSurface
from harness.figures.catalogue import FIGURES
from harness.figures.length_surface import LengthSurface
from harness.figures.options import FigureOptions

LARGEST_BESIDE_TRUTHS = 1 << 17
"""The most outcomes that stand in the tables beside a list of true values, which has cells enough
given the truth; this keeps memory flat for large n."""


def surface_relations(entry: FigureOptions, parts: Draft) -> Iterator[tuple[str, str]]:
    """Surfaces that have nothing to be drawn from."""
    if not isinstance(entry, AlphaSurface | LengthSurface):
        return
    engine, sizes = _engine(entry, parts), _whole(parts)
    beside_truths = engine not in (None, "posterior") and has_true_values(parts)
    if beside_truths and set(engines_of(parts["engines"], parts["trials"])) == {"enumeration"}:
        yield (
            "engine" if isinstance(entry, AlphaSurface) else "kind",
            "expected posterior or monte_carlo among the engines, found enumeration, which alone "
            "has no cells per outcome over a grid or a list of true values",
        )
    elif sizes:
        yield from _sizes(sizes, beside_truths)
    # Monte Carlo covers the outcomes that come up, whichever are asked for.
    if sizes and "outcomes" in parts and engine in ("posterior", "enumeration"):
        yield from _fractions(entry.fractions, parts["outcomes"], sizes)


def _whole(parts: Draft) -> list[int]:
    """The sizes of a proportion."""
    return [int(n) for n in each_size(parts["n"])] if "n" in parts else []


def has_true_values(parts: Draft) -> bool:
    """Whether the truth is known to be a grid or a list."""
    return "truth" in parts and is_discrete(parts["truth"])


def _engine(entry: FigureOptions, parts: Draft) -> str | None:
    """The engine whose cells are drawn; None where there is none, or it is not known."""
    if "engines" not in parts or "trials" not in parts:
        return None
    engines = engines_of(parts["engines"], parts["trials"])
    wanted = FIGURES[kind_of(entry)].engines(entry)
    return next((engine for engine in wanted if engine in engines), None)


def _sizes(sizes: Sequence[int], beside_truths: bool) -> Iterator[tuple[str, str]]:
    every = set(sizes)
    small = {n for n in every if n < LARGEST_BESIDE_TRUTHS}
    if len(every) < 2:
        yield "kind", f"expected two sizes or more for a surface, found {len(every)}"
    elif beside_truths and len(small) < 2:
        yield (
            "kind",
            f"expected two sizes or more below {LARGEST_BESIDE_TRUTHS} for a surface over a grid "
            f"or a list of true values, found {len(small)}",
        )


def _fractions(
    asked: int, outcomes: OutcomesEntry, sizes: Sequence[int]
) -> Iterator[tuple[str, str]]:
    if isinstance(outcomes, ListedOutcomes):
        yield "kind", "expected outcomes: all or fractions for a surface, found values"
    if not isinstance(outcomes, Fractions):
        return
    there = outcomes.fractions
    if all(_holds(n, there - 1, asked - 1) for n in sizes):
        return
    fitting = [str(f) for f in range(2, min(there, 1001) + 1) if (there - 1) % (f - 1) == 0]
    few = ", ".join(fitting[:12]) + (", ..." if len(fitting) > 12 else "")
    yield (
        "fractions",
        f"expected fractions that outcomes: {{fractions: {there}}} hold ({few}), found {asked}",
    )


def _holds(n: int, steps: int, asked: int) -> bool:
    """Whether each n·i/asked is among the n·j/steps, all of them rounded half up."""
    if steps % asked == 0 or n <= steps:
        return True
    return all(_is_held(n, steps, (2 * n * i + asked) // (2 * asked)) for i in range(asked + 1))


def _is_held(n: int, steps: int, x: int) -> bool:
    """Whether x - 1/2 <= n·j/steps < x + 1/2 for a j, the least that is large enough."""
    j = max(0, -(-steps * (2 * x - 1) // (2 * n)))
    return 2 * n * j < steps * (2 * x + 1)
