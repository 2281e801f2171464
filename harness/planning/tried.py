"""The sizes that a search has tried so far, in words: while it runs, and when it is interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.base.underway import underway


@dataclass
class Tried:
    """What a search knows of the sizes of the first sample.

    The answer is above the largest size that fails. A larger one that reaches the goal bounds it
    only as far as no size above that one fails.
    """

    goal: str = ""
    """What the sizes are to reach, in words."""
    count: int = 0
    failing: float = 0.0
    """The largest size that fails; 0 where none does."""
    above: Floats = field(default_factory=lambda: np.empty((2, 0)))
    """The larger sizes, which all reach the goal, and what each of them reaches, shape (2, m); not
    a number where that is not known."""

    def add(self, goal: str, sizes: Floats, reached: Bools, values: Floats | None = None) -> None:
        """Add sizes that were tried; those of another goal are forgotten.

        Args:
            goal: what they are to reach, in words.
            sizes: of the first sample, shape (N,).
            reached: whether each of them reaches it, shape (N,).
            values: what they reach, shape (N,), where that is known.
        """
        if goal != self.goal:
            self.goal, self.count, self.failing = goal, 0, 0.0
            self.above = np.empty((2, 0))
        self.count += sizes.size
        self.failing = float(max(self.failing, sizes[~reached].max(initial=0.0)))
        known = np.full(sizes.size, np.nan) if values is None else values
        above = np.concatenate([self.above, np.stack([sizes, known])[:, reached]], axis=1)
        self.above = above[:, above[0] > self.failing]

    def doing(self, name: str) -> str:
        """Say what is being searched, for a name of the size."""
        low, least = self.failing, self.above[0].min(initial=np.inf)
        if np.isinf(least):
            where = f", above {low:.6g}" if low else ""
        else:
            where = f", between {low:.6g} and {least:.6g}" if low else f", up to {least:.6g}"
        return f"searching {name}: {self.count:,} tried{where}"

    def found(self, name: str) -> str:
        """Say what is known of the answer, for a name of the size."""
        if not self.above.size:
            if not self.failing:
                return f"no {name} was tried yet"
            return f"so far no {name} that was tried, up to {self.failing:.15g}, has {self.goal}"
        size, value = self.above[:, np.argmin(self.above[0])].tolist()
        number = "" if np.isnan(value) else f" ({value:.6g})"
        reaches = f"so far {name} = {size:.15g} has {self.goal}{number}"
        if not self.failing:
            return f"{reaches}; smaller ones are not excluded"
        return f"{reaches}, and {name} = {self.failing:.15g} has not; none between is excluded"


@contextmanager
def searching(name: str, tried: Tried) -> Iterator[None]:
    """Say which sizes were tried while the block searches for one."""
    with underway(lambda: tried.doing(name), lambda: tried.found(name)):
        yield
