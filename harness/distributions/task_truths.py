"""Where the probabilities come from that the samples of a task are right, one for each task.

The true values of pass@k and pass^k are moments of the distribution over tasks: 1 − E (1 − p)^k and
E p^k, in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.arguments import validate_number
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.distributions.list_truths import BetaRuns, LawTruth, PointRuns, Shape, validate_names


class BetaTasks(BetaRuns):
    """Probabilities from Beta(s, t).

    >>> BetaTasks(2.0, 3.0).powers(1)
    (0.4, 0.6)
    """

    @property
    def title(self) -> str:
        """The law in words, for tables and figures."""
        return f"tasks of Beta({self.s:g}, {self.t:g})"

    def powers(self, k: int) -> tuple[float, float]:
        """Return E p^k = ∏ (s + i)/(s + t + i) over i < k, and E (1 − p)^k with t for s."""
        total = self.s + self.t
        solved = math.prod((self.s + i) / (total + i) for i in range(k))
        return solved, math.prod((self.t + i) / (total + i) for i in range(k))


class PointTasks(PointRuns):
    """Finitely many probabilities, each with its share of the tasks."""

    @classmethod
    def of(cls, settings: Any) -> PointTasks:
        """Return the law with the settings of a config."""
        law = PointRuns.of(settings)
        if law.points[0] < 0 or law.points[-1] > 1:
            raise InputError(
                f"values of points should be probabilities from 0 to 1, found {law.points[0]:g} "
                f"to {law.points[-1]:g}"
            )
        return cls(law.points, law.weights)

    def powers(self, k: int) -> tuple[float, float]:
        """Return Σ w p^k and Σ w (1 − p)^k."""
        pairs = list(zip(self.points, self.weights, strict=True))
        return math.fsum(w * p**k for p, w in pairs), math.fsum(w * (1 - p) ** k for p, w in pairs)


@dataclass(frozen=True)
class MixtureTasks:
    """Tasks that are never solved, tasks that always are, and uniform probabilities of the rest.

    >>> MixtureTasks(0.25, 0.5).powers(1)
    (0.625, 0.375)
    """

    never: float
    always: float

    @classmethod
    def of(cls, settings: Any) -> MixtureTasks:
        """Return the law with the settings of a config."""
        validate_names("mixture", ("never", "always"), settings)
        never, always = settings["never"], settings["always"]
        for name, share in (("never", never), ("always", always)):
            validate_number(f"{name} of mixture", share)
        if not (never >= 0 and always >= 0 and never + always < 1):
            raise InputError(
                "never and always of mixture should be shares from 0 on with a sum below 1, found "
                f"{never:g} and {always:g}"
            )
        return cls(float(never) + 0.0, float(always) + 0.0)

    @property
    def title(self) -> str:
        """The law in words, for tables and figures."""
        return f"{self.never:.0%} of tasks never solved, {self.always:.0%} always, others uniform"

    def draw(self, rng: np.random.Generator, shape: Shape) -> Floats:
        """Return independent probabilities in an array of the given shape."""
        # A uniform number says which part a task is of, and where it lies in that of the rest.
        rest = 1.0 - self.never - self.always
        return np.clip((rng.random(shape) - self.never) / rest, 0.0, 1.0)

    def powers(self, k: int) -> tuple[float, float]:
        """Return always + rest/(k + 1), and the same of never."""
        rest = (1.0 - self.never - self.always) / (k + 1)
        return self.always + rest, self.never + rest

    def content(self) -> Mapping[str, Any]:
        """The law as plain data, as random streams are keyed by it."""
        return {"mixture": {"never": self.never, "always": self.always}}


TasksLaw = BetaTasks | PointTasks | MixtureTasks

LAWS_OF_TASKS: Mapping[str, Callable[[Any], Any]] = {
    "beta": BetaTasks.of,
    "mixture": MixtureTasks.of,
    "points": PointTasks.of,
}
"""The laws by their names in a config, each with the function that makes it from its settings."""


@dataclass(frozen=True)
class TaskTruth(LawTruth):
    """One law of the probabilities of tasks."""

    law: TasksLaw
