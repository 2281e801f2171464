"""Where the true values of a family of lists come from: always finitely many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats


class RunLaw(Protocol):
    """The distribution of the value of one run."""

    @property
    def mean(self) -> float: ...

    @property
    def sd(self) -> float: ...

    @property
    def is_normal(self) -> bool: ...

    @property
    def title(self) -> str:
        """The law in words, without its mean."""
        ...

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Return independent draws."""
        ...

    def content(self) -> Mapping[str, Any]:
        """Return the law as a config writes it."""
        ...


@dataclass(frozen=True)
class RunTruth:
    """One law of the values of runs, whose mean is estimated."""

    law: RunLaw
    is_discrete: ClassVar[Literal[True]] = True

    @property
    def count(self) -> int:
        """The number of true values: one."""
        return 1

    @property
    def values(self) -> tuple[Floats]:
        """The mean of the law, shape (1,)."""
        return (np.array([self.law.mean]),)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return self.law.content()


@dataclass(frozen=True)
class ClusterTruth:
    """Proportions p and correlations ρ within a cluster, crossed, with equal weights.

    Pairs are ordered by p, then by ρ.

    >>> ClusterTruth((0.5, 0.8), (0.0, 0.1, 0.2)).count
    6
    """

    p: tuple[float, ...]
    """Ascending and distinct, in [0, 1]."""
    rho: tuple[float, ...]
    """Ascending and distinct, in [0, 1)."""
    is_discrete: ClassVar[Literal[True]] = True

    @property
    def count(self) -> int:
        """The number of pairs."""
        return len(self.p) * len(self.rho)

    @property
    def values(self) -> tuple[Floats, Floats]:
        """p and ρ of each pair, two arrays of shape (count,)."""
        p, rho = np.array(self.p), np.array(self.rho)
        return np.repeat(p, rho.size), np.tile(rho, p.size)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"p": {"values": list(self.p)}, "rho": {"values": list(self.rho)}}


Strata = tuple[float, ...]
"""A probability for each stratum."""


@dataclass(frozen=True)
class StratumTruth:
    """Probabilities in each stratum of both samples: finitely many, with equal weights."""

    tables: tuple[tuple[Strata, Strata], ...]
    """p1 and p2 of each true value, in its strata."""
    differences: tuple[float, ...] | None = None
    """p1 − p2 of each true value, where it is the same in all strata."""
    is_discrete: ClassVar[Literal[True]] = True

    @classmethod
    def of_differences(cls, second: Strata, differences: tuple[float, ...]) -> StratumTruth:
        """Return the truths with one difference p1 − p2 in all strata.

        Raises:
            InputError: a probability p1 = p2 + difference is outside 0 … 1.
        """
        tables = []
        for difference in differences:
            first = tuple(_probability(p, difference) for p in second)
            tables.append((first, second))
        return cls(tuple(tables), tuple(differences))

    @property
    def count(self) -> int:
        """The number of true values."""
        return len(self.tables)

    @property
    def values(self) -> tuple[Floats]:
        """The mean difference over the strata, shape (count,).

        The parameter of a scenario weights the strata by their sizes; the two are the same where
        all strata have one difference.
        """
        if self.differences is not None:
            return (np.array(self.differences),)
        first, second = (np.array(each) for each in zip(*self.tables, strict=True))
        return ((first - second).mean(axis=1),)

    @property
    def strata(self) -> int:
        """The number of strata."""
        return len(self.tables[0][0])

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"tables": [[list(first), list(second)] for first, second in self.tables]}


def _probability(p: float, difference: float) -> float:
    # 0.7 + 0.3 − 1 may round to a little more than 0.
    first = p + difference
    if abs(first - round(first)) < 1e-12:
        first = float(round(first))
    if not 0.0 <= first <= 1.0:
        raise InputError(
            f"expected p1 = p2 + difference from 0 to 1 in every stratum, found "
            f"{p:.6g} + {difference:.6g} = {first:.6g}"
        )
    return first


ListTruth = RunTruth | ClusterTruth | StratumTruth
"""Where the true values of a family of lists come from."""
