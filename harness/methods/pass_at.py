"""Intervals for pass@k and pass^k: of the values of tasks, and of the beta-binomial model.

The data are the mean and the sd of the tasks' values, their number C, shape (m,) each, the values,
x and n, shape (m, C) each. The value of a task is 1 − C(n − x, k)/C(n, k) of pass@k and
C(x, k)/C(n, k) of pass^k, whose mean over tasks is unbiased.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import newton_roots
from harness.base.numerics.special import upper_point
from harness.families.family import Data
from harness.methods import bounded
from harness.methods.method import LimitPair


def bootstrap_t(data: Data, alpha: float, side: str, rng: np.random.Generator) -> LimitPair:
    """The studentized bootstrap of the mean over tasks, cut at 0 and at 1.

    From mean − t*₍B+1−r₎ sd/√C to mean − t*₍ᵣ₎ sd/√C, of B = 999 resamples of the C tasks, as
    ``bootstrap_t`` of runs. Of no width where all tasks have one value, and of two tasks.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
    """
    return bounded.bootstrap_t(0.0, 1.0, data[:4], alpha, side, rng)


# About how many numbers of a table are worked on at a time.
_CELLS = 1 << 19


def beta_binomial(k: int, of_failures: bool, data: Data, tail: float) -> LimitPair:
    """logit θ̂ ± t · s/(1 − θ̂), with θ̂ = ∏ (μ(1 − ρ) + iρ)/(1 − ρ + iρ), i < k, and s = se(ln θ̂).

    θ̂ is E p^k of the beta distribution of the tasks' probabilities p with mean μ and correlation ρ
    in [0, 1], which have the largest likelihood of beta-binomial counts x; pass@k is 1 less that of
    the failures n − x. s is that of the delta method, with the observed information of μ and ρ, or
    of μ alone where ρ̂ is 0 or 1, and t the upper ``tail`` point of Student's distribution with
    C − 1 degrees of freedom. Limits lie about θ̂, not about the mean of the tasks' values. It
    assumes the beta distribution: where tasks are of two kinds it may be for another number however
    many tasks there are. Of no width where all samples are right, or none is.

    Griffiths (1973), Biometrics 29, 637–648, for the fit; Smith (1983), Appl. Stat. 32, 196–204,
    for the likelihood as sums.
    """
    _, _, count, _, x, n = data
    right = n - x if of_failures else x
    lower, upper = np.empty((2, len(x)))
    # Both limits where all samples are right, and where none is.
    lower[:] = upper[:] = (right > 0).all(axis=1)
    mixed = np.flatnonzero((right > 0).any(axis=1) & (right < n).any(axis=1))
    rows = max(_CELLS // int(n.max(initial=1.0)), 1)
    for start in range(0, mixed.size, rows):
        block = mixed[start : start + rows]
        log_theta, error = _Sums(right[block], n[block]).fitted(k)
        missed = -np.expm1(log_theta)
        centre = log_theta - np.log(missed)
        delta = upper_point(count[block] - 1.0, tail) * (error / missed)
        lower[block], upper[block] = expit(centre - delta), expit(centre + delta)
    return (1.0 - upper, 1.0 - lower) if of_failures else (lower, upper)


class _Sums:
    """The log likelihood of beta-binomial counts of m rows, by how many exceed each number j.

    With Sⱼ, Fⱼ and Nⱼ tasks of x > j, n − x > j and n > j, and c = 1 − ρ, it is

        Σ Sⱼ ln(μc + jρ) + Fⱼ ln((1 − μ)c + jρ) − Nⱼ ln(c + jρ).

    The terms of j = 0 stand apart, as c divides out of them but for tasks with both results.
    """

    def __init__(self, x: Floats, n: Floats) -> None:
        most, m = int(n.max()), len(x)

        def above(counts: Floats) -> Floats:
            """How many counts of each row are above j = 0 … most − 1, shape (m, most)."""
            keys = counts.astype(np.int64) + (most + 1) * np.arange(m)[:, None]
            seen = np.bincount(keys.ravel(), minlength=m * (most + 1)).reshape(m, most + 1)
            return np.asarray(seen[:, :0:-1].cumsum(axis=1)[:, ::-1], np.float64)

        right, wrong, all_ = above(x), above(n - x), above(n)
        self.tasks = x.shape[1]
        self.some_right, self.some_wrong = right[:, 0], wrong[:, 0]
        self.both = self.some_right + self.some_wrong - self.tasks
        self.right, self.wrong, self.all = right[:, 1:], wrong[:, 1:], all_[:, 1:]
        self.j = np.arange(1.0, most)
        self.mean = x.sum(axis=1) / n.sum(axis=1)

    def best_mean(self, rho: Floats, rows: Positions) -> Floats:
        """The μ with the largest likelihood at ρ: the root of a/(a + b) − μ, shape (m,).

        The derivative by μ is a/μ − b/(1 − μ), with a = S₀ + Σ Sⱼ μc/(μc + jρ), and b likewise.
        """
        c, within = (1.0 - rho)[:, None], self.j * rho[:, None]
        right, wrong = self.right[rows], self.wrong[rows]
        some_right, some_wrong = self.some_right[rows], self.some_wrong[rows]

        def excess(mu: Floats, index: Positions) -> tuple[Floats, Floats]:
            of_right = mu[:, None] * c[index] + within[index]
            of_wrong = (1.0 - mu)[:, None] * c[index] + within[index]
            share, other = right[index] / of_right, wrong[index] / of_wrong
            part = c[index, 0]
            a = some_right[index] + mu * part * share.sum(axis=1)
            b = some_wrong[index] + (1.0 - mu) * part * other.sum(axis=1)
            rise = part * (share * within[index] / of_right).sum(axis=1)
            fall = part * (other * within[index] / of_wrong).sum(axis=1)
            total = a + b
            return a / total - mu, (rise * b + a * fall) / (total * total) - 1.0

        zeros = np.zeros(rho.size)
        return newton_roots(
            excess, zeros, zeros + 1.0, self.mean[rows], "no beta-binomial mean at outcome {}"
        )

    def derivatives(self, mu: Floats, rho: Floats, rows: Positions) -> tuple[Floats, ...]:
        """The derivatives by ρ, by μ twice, by both, and by ρ twice, shape (m,) each."""
        j, c = self.j, (1.0 - rho)[:, None]
        m, within = mu[:, None], j * rho[:, None]
        of_right, of_wrong, of_all = m * c + within, (1.0 - m) * c + within, c + within
        right, wrong = self.right[rows] / of_right, self.wrong[rows] / of_wrong
        every = self.all[rows] / of_all
        slopes = (j - m) / of_right, (j - 1.0 + m) / of_wrong, (j - 1.0) / of_all
        # c is 0 only where no task has both results.
        both = self.both[rows] / np.where(rho < 1.0, 1.0 - rho, 1.0)
        by_rho = (j - m) * right + (j - 1.0 + m) * wrong - (j - 1.0) * every
        return (
            by_rho.sum(axis=1) - both,
            -self.some_right[rows] / mu**2
            - self.some_wrong[rows] / (1.0 - mu) ** 2
            - (c * c * (right / of_right + wrong / of_wrong)).sum(axis=1),
            (j * (wrong / of_wrong - right / of_right)).sum(axis=1),
            -both / np.where(rho < 1.0, 1.0 - rho, 1.0)
            - ((j - m) * right * slopes[0]).sum(axis=1)
            - ((j - 1.0 + m) * wrong * slopes[1]).sum(axis=1)
            + ((j - 1.0) * every * slopes[2]).sum(axis=1),
        )

    def fitted(self, k: int) -> tuple[Floats, Floats]:
        """ln θ̂ and its standard error, shape (m,) each."""
        every = np.arange(self.mean.size)
        rho = np.where(self.both > 0, 0.0, 1.0)
        # The likelihood rises from ρ = 0 on.
        at_zero = self.derivatives(self.mean, np.zeros(every.size), every)[0]
        inside = every[(self.both > 0) & (at_zero > 0)]

        def score(rho: Floats, index: Positions) -> tuple[Floats, Floats]:
            rows = inside[index]
            mu = self.best_mean(rho, rows)
            slope, in_mu, in_both, in_rho = self.derivatives(mu, rho, rows)
            c, profile = 1.0 - rho, in_rho - in_both * in_both / in_mu
            return c * slope / self.tasks, (c * profile - slope) / self.tasks

        if inside.size:
            zeros = np.zeros(inside.size)
            rho[inside] = newton_roots(
                score, zeros, zeros + 1.0, zeros + 0.3, "no beta-binomial correlation at outcome {}"
            )
        mu = self.best_mean(rho, every)
        _, in_mu, in_both, in_rho = self.derivatives(mu, rho, every)
        i, c = np.arange(1.0, k), (1.0 - rho)[:, None]
        of_right, of_all = mu[:, None] * c + i * rho[:, None], c + i * rho[:, None]
        log_theta = np.log(mu) + np.log(of_right / of_all).sum(axis=1)
        by_mu = 1.0 / mu + (c / of_right).sum(axis=1)
        by_rho = ((i - mu[:, None]) / of_right - (i - 1.0) / of_all).sum(axis=1)
        # The information of ρ that is left beside μ, where ρ is inside its range.
        left = np.full(every.size, np.inf)
        left[inside] = np.maximum(in_both * in_both / in_mu - in_rho, 0.0)[inside]
        with np.errstate(divide="ignore"):
            variance = -(by_mu**2) / in_mu + (by_rho - by_mu * in_both / in_mu) ** 2 / left
        return log_theta, np.sqrt(variance)
