"""The laws of what differs between the runs, the cases or the tasks of a list.

A run has a value of a law: normal, gamma, beta, a mixture with failed runs, or listed points. A
task has the probability that a sample of it is right, of a law from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, cast

import numpy as np
from scipy.special import betaincinv, gammainccinv, gammaincinv, ndtr, ndtri

from harness.base.arguments import quoted, validate_choice, validate_number
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated

LARGEST = 1e100
"""The largest magnitude of a number of a law, so that squares of values are doubles."""

LARGEST_SKEWNESS = 20.0
"""The largest magnitude of the skewness of a gamma law."""

Shape = int | tuple[int, ...]


class _RunsLaw:
    """A law of the values of runs; what it does not say is as here."""

    name: ClassVar[str]
    """The name of the law, as a config has it."""
    is_normal: ClassVar[bool] = False

    @property
    def span(self) -> tuple[float, float]:
        """The ends between which every value lies."""
        return -math.inf, math.inf

    def content(self) -> Mapping[str, Any]:
        """The law as plain data, as random streams are keyed by it."""
        return {self.name: asdict(cast(Any, self))}


@dataclass(frozen=True)
class NormalRuns(_RunsLaw):
    """The normal law with a mean and a standard deviation.

    >>> NormalRuns(0.75, 0.02).content()
    {'normal': {'mean': 0.75, 'sd': 0.02}}
    """

    mean: float
    sd: float
    name: ClassVar[str] = "normal"
    is_normal: ClassVar[bool] = True

    @classmethod
    def of(cls, settings: Any) -> NormalRuns:
        """Return the law with the settings of a config."""
        mean, sd = _named("normal", ("mean", "sd"), settings)
        return cls(_magnitude("normal", "mean", mean), _sd("normal", sd))

    @property
    def title(self) -> str:
        """The law with its parameters beside the mean, for tables and figures."""
        return f"normal runs, sd {self.sd:g}"

    def draw(self, rng: np.random.Generator, shape: Shape) -> Floats:
        """Return independent values of runs in an array of the given shape."""
        return rng.normal(self.mean, self.sd, shape)

    def quantile(self, p: float) -> float:
        """Return the p quantile, mean + sd · Φ⁻¹(p), for p in (0, 1)."""
        return self.mean + self.sd * float(ndtri(p))


@dataclass(frozen=True)
class GammaRuns(_RunsLaw):
    """A gamma law, shifted and scaled to a mean and a standard deviation, with a skewness γ.

    The value of a run is mean + sd · (G − a)/√a · sign(γ), where G has the gamma distribution of
    shape a = 4/γ² and scale 1. At γ = 2 it is an exponential distribution; below 0 the long tail
    lies below the mean, as that of scores with an upper end. The support ends 2·sd/|γ| away from
    the mean on the side of the short tail.

    >>> GammaRuns(0.75, 0.02, -2.0).content()
    {'gamma': {'mean': 0.75, 'sd': 0.02, 'skewness': -2.0}}
    """

    mean: float
    sd: float
    skewness: float
    """γ, not 0."""
    name: ClassVar[str] = "gamma"

    @classmethod
    def of(cls, settings: Any) -> GammaRuns:
        """Return the law with the settings of a config."""
        mean, sd, skewness = _named("gamma", ("mean", "sd", "skewness"), settings)
        if not 0 < abs(skewness) <= LARGEST_SKEWNESS:
            raise InputError(
                f"skewness of gamma should be a number from -{LARGEST_SKEWNESS:g} to "
                f"{LARGEST_SKEWNESS:g} and not 0, where the law is normal, found {skewness:g}"
            )
        return cls(_magnitude("gamma", "mean", mean), _sd("gamma", sd), skewness)

    @property
    def span(self) -> tuple[float, float]:
        """The ends between which every value lies."""
        end = self.mean - 2.0 * self.sd / self.skewness
        return (end, math.inf) if self.skewness > 0 else (-math.inf, end)

    @property
    def title(self) -> str:
        """The law with its parameters beside the mean, for tables and figures."""
        return f"gamma runs, sd {self.sd:g}, skewness {self.skewness:g}"

    def draw(self, rng: np.random.Generator, shape: Shape) -> Floats:
        """Return independent values of runs in an array of the given shape."""
        a = 4.0 / self.skewness**2
        # 1/√a = |γ|/2, with the sign of γ
        return self.mean + self.sd * (0.5 * self.skewness) * (rng.gamma(a, 1.0, shape) - a)

    def quantile(self, p: float) -> float:
        """Return the p quantile, for p in (0, 1); that of G, or for γ < 0 its 1 − p quantile.

        >>> round(GammaRuns(1.0, 1.0, 2.0).quantile(0.5), 6), round(math.log(2), 6)
        (0.693147, 0.693147)
        """
        a = 4.0 / self.skewness**2
        g = float((gammaincinv if self.skewness > 0 else gammainccinv)(a, p))
        return self.mean + self.sd * (0.5 * self.skewness) * (g - a)


@dataclass(frozen=True)
class BetaRuns(_RunsLaw):
    """The law Beta(s, t) of accuracies, with s, t > 0.

    >>> BetaRuns(9.0, 1.0).mean
    0.9
    """

    s: float
    t: float
    span: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @classmethod
    def of(cls, settings: Any) -> BetaRuns:
        """Return the law with the settings of a config."""
        if isinstance(settings, str) or not isinstance(settings, Sequence) or len(settings) != 2:
            raise InputError(f"beta should be two numbers above 0, found {quoted(settings)}")
        s, t = (_number("beta", "each number", value) for value in settings)
        if not (0 < s <= LARGEST and 0 < t <= LARGEST):
            raise InputError(f"beta should be two numbers above 0, found {s:g} and {t:g}")
        return cls(s, t)

    @property
    def mean(self) -> float:
        """s/(s + t)."""
        return self.s / (self.s + self.t)

    @property
    def sd(self) -> float:
        """√(s t/(s + t + 1))/(s + t)."""
        total = self.s + self.t
        return math.sqrt(self.s / total * (self.t / total) / (total + 1.0))

    @property
    def title(self) -> str:
        """The law with its parameters beside the mean, for tables and figures."""
        return f"beta runs, Beta({self.s:g}, {self.t:g})"

    def draw(self, rng: np.random.Generator, shape: Shape) -> Floats:
        """Return independent values of runs in an array of the given shape."""
        return rng.beta(self.s, self.t, shape)

    def quantile(self, p: float) -> float:
        """Return the p quantile, for p in (0, 1)."""
        return float(betaincinv(self.s, self.t, p))

    def content(self) -> Mapping[str, Any]:
        """The law as plain data, as random streams are keyed by it."""
        return {"beta": [self.s, self.t]}


@dataclass(frozen=True)
class MixtureRuns(_RunsLaw):
    """Normal runs of which each fails with a probability, and then has a value of another law.

    The mean that intervals are for is that of all runs, the failed ones included,

        (1 − share) · mean + share · mean of failed runs.

    >>> truth = MixtureRuns(NormalRuns(0.75, 0.02), NormalRuns(0.1, 0.0), 0.1)
    >>> round(truth.mean, 6)
    0.685
    """

    normal: NormalRuns
    failed: NormalRuns
    share: float
    """The probability that a run fails, in (0, 1)."""

    @classmethod
    def of(cls, settings: Any) -> MixtureRuns:
        """Return the law with the settings of a config."""
        validate_names("mixture", ("normal", "failed"), settings)
        share, mean, sd = _named("failed", ("share", "mean", "sd"), settings["failed"])
        if not 0 < share < 1:
            raise InputError(f"share of failed should be a number between 0 and 1, found {share:g}")
        if sd != 0:
            _sd("failed", sd)
        failed = NormalRuns(_magnitude("failed", "mean", mean), sd)
        return cls(NormalRuns.of(settings["normal"]), failed, share)

    @property
    def mean(self) -> float:
        """The mean of all runs."""
        return (1.0 - self.share) * self.normal.mean + self.share * self.failed.mean

    @property
    def sd(self) -> float:
        """The standard deviation of all runs."""
        within = (1.0 - self.share) * self.normal.sd**2 + self.share * self.failed.sd**2
        between = self.share * (1.0 - self.share) * (self.normal.mean - self.failed.mean) ** 2
        return math.sqrt(within + between)

    @property
    def title(self) -> str:
        """The law with its parameters beside the mean, for tables and figures."""
        return f"{self.normal.title}, of which a share {self.share:g} fails at {self.failed.mean:g}"

    def draw(self, rng: np.random.Generator, shape: Shape) -> Floats:
        """Return independent values of runs in an array of the given shape."""
        fails = rng.random(shape) < self.share
        mean = np.where(fails, self.failed.mean, self.normal.mean)
        return mean + np.where(fails, self.failed.sd, self.normal.sd) * rng.standard_normal(shape)

    def quantile(self, p: float) -> float:
        """Return the p quantile, the smallest value with probability p or more up to it.

        It lies between the p quantiles of both laws, and is bisected down to neighbouring doubles:
        failed runs of one value, with sd = 0, are a jump of the distribution function.
        """
        low, high = sorted(law.quantile(p) for law in (self.normal, self.failed))
        if self._cdf(low) >= p:
            return low
        while low < (middle := low + (high - low) / 2) < high:
            low, high = (low, middle) if self._cdf(middle) >= p else (middle, high)
        return high

    def _cdf(self, x: float) -> float:
        """The probability that a run has a value of at most x."""
        normal, failed = self.normal, self.failed
        failed_below = ndtr((x - failed.mean) / failed.sd) if failed.sd else x >= failed.mean
        below = ndtr((x - normal.mean) / normal.sd)
        return float((1.0 - self.share) * below + self.share * failed_below)

    def content(self) -> Mapping[str, Any]:
        """The law as plain data, as random streams are keyed by it."""
        failed = {"share": self.share, "mean": self.failed.mean, "sd": self.failed.sd}
        return {"mixture": {**self.normal.content(), "failed": failed}}


@dataclass(frozen=True)
class PointRuns(_RunsLaw):
    """Finitely many values with their probabilities, as scores that are 0 or 1, or those of a file.

    >>> PointRuns((0.0, 1.0), (0.25, 0.75)).sd
    0.4330127018922193
    """

    points: tuple[float, ...]
    """Ascending and distinct."""
    weights: tuple[float, ...]
    """The probability of each, above 0; their sum is 1."""

    @classmethod
    def of(cls, settings: Any) -> PointRuns:
        """Return the law with the settings of a config."""
        validate_names("points", ("values", "weights"), settings)
        lists = [settings["values"], settings["weights"]]
        if any(isinstance(setting, str) or not isinstance(setting, Sequence) for setting in lists):
            raise InputError(f"points should be two lists, found {quoted(settings)}")
        values, weights = (
            [_number("points", "each number", x) for x in setting] for setting in lists
        )
        if len(values) != len(weights) or len({*values}) != len(values) or len(values) < 2:
            raise InputError(
                "points should be two or more distinct values with a weight each, found "
                f"{len(values)} values, {len({*values})} distinct, and {len(weights)} weights"
            )
        if min(weights) <= 0 or abs(math.fsum(weights) - 1.0) > 1e-9:
            raise InputError(
                f"weights of points should be above 0 and have the sum 1, found "
                f"{', '.join(f'{weight:g}' for weight in weights)}"
            )
        for value in values:
            _magnitude("points", "each value", value)
        order = sorted(range(len(values)), key=values.__getitem__)
        return cls(tuple(values[i] for i in order), tuple(weights[i] for i in order))

    @property
    def mean(self) -> float:
        """The sum of values times weights."""
        return math.fsum(x * w for x, w in zip(self.points, self.weights, strict=True))

    @property
    def sd(self) -> float:
        """The root of the weighted mean of squared deviations."""
        mean, pairs = self.mean, zip(self.points, self.weights, strict=True)
        return math.sqrt(math.fsum(w * (x - mean) ** 2 for x, w in pairs))

    @property
    def span(self) -> tuple[float, float]:
        """The ends between which every value lies."""
        return self.points[0], self.points[-1]

    @property
    def title(self) -> str:
        """The law with its parameters beside the mean, for tables and figures."""
        if len(self.points) > 4:
            return f"one of {len(self.points)} values"
        pairs = zip(self.points, self.weights, strict=True)
        return "values " + enumerated(f"{x:g} ({100 * w:g} %)" for x, w in pairs)

    def draw(self, rng: np.random.Generator, shape: Shape) -> Floats:
        """Return independent values of runs in an array of the given shape."""
        place = np.searchsorted(np.cumsum(self.weights[:-1]), rng.random(shape), side="right")
        return np.array(self.points)[place]

    def quantile(self, p: float) -> float:
        """Return the p quantile, the smallest value with probability p or more up to it."""
        return self.points[int(np.searchsorted(np.cumsum(self.weights[:-1]), p))]

    def content(self) -> Mapping[str, Any]:
        """The law as plain data, as random streams are keyed by it."""
        return {"points": {"values": [*self.points], "weights": [*self.weights]}}


RunsTruth = PointRuns | NormalRuns | GammaRuns | BetaRuns | MixtureRuns
"""The law of the value of one run."""


def runs_truth(name: str, settings: Any) -> RunsTruth:
    """Return the law of a name with its settings, as a config writes them.

    Args:
        name: a key of `LAWS_OF_RUNS`.
        settings: numbers by name for ``normal`` (mean, sd) and ``gamma`` (mean, sd, skewness);
            two numbers for ``beta``; for ``mixture`` the mappings ``normal`` and ``failed``.

    Raises:
        InputError: the law is unknown, a setting is missing or unknown, or a number is out of
            range.

    Example:
        >>> runs_truth("beta", [9, 1])
        BetaRuns(s=9.0, t=1.0)
    """
    return LAWS_OF_RUNS[validate_choice("truth", name, LAWS_OF_RUNS, [])](settings)


LAWS_OF_RUNS: Mapping[str, Callable[[Any], RunsTruth]] = {
    "normal": NormalRuns.of,
    "gamma": GammaRuns.of,
    "beta": BetaRuns.of,
    "mixture": MixtureRuns.of,
    "points": PointRuns.of,
}
"""The laws by their names in a config, each with the function that makes it from its settings."""


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


def validate_names(where: str, names: tuple[str, ...], settings: Any) -> None:
    """Refuse what is no mapping with exactly these keys."""
    if not isinstance(settings, Mapping) or set(settings) != set(names):
        raise InputError(
            f"{where} should be a mapping with {enumerated(names)}, found {quoted(settings)}"
        )


def _named(where: str, names: tuple[str, ...], settings: Any) -> tuple[float, ...]:
    """The numbers of a mapping with exactly these keys."""
    validate_names(where, names, settings)
    return tuple(_number(where, name, settings[name]) for name in names)


def _number(where: str, name: str, value: Any) -> float:
    """Return a finite number, with 0 for −0."""
    validate_number(f"{name} of {where}", value)
    if not math.isfinite(value):
        raise InputError(f"{name} of {where} should be a finite number, found {value:g}")
    return float(value) + 0.0


def _magnitude(where: str, name: str, value: float) -> float:
    """Return a number whose square is a double."""
    if abs(value) > LARGEST:
        raise InputError(
            f"{name} of {where} should be a number of at most {LARGEST:g}, found {value:g}"
        )
    return value


def _sd(where: str, value: float) -> float:
    """Return a standard deviation that is above 0."""
    if not 0 < value <= LARGEST:
        raise InputError(
            f"sd of {where} should be a number above 0 and at most {LARGEST:g}, found {value:g}"
        )
    return value
