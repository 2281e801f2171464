"""Approximate cumulants of the logarithms of Gamma variables and of their ratios.

The k-th cumulant of log Gamma(a, 1) is the polygamma function ψ_{k−1}(a). By ψ_k(a) = ψ_k(a + 1) −
(−1)^k k!/a^{k+1} and the first terms of the series at a + 1 it is good to about 1 % for any a > 0,
which is enough for where a quadrature has its nodes and where an iteration starts.

Abramowitz and Stegun (1964), 6.3.5, 6.3.18, 6.4.6 and 6.4.11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats


@dataclass(frozen=True)
class Cumulants:
    """The first four cumulants of m distributions, each of shape (m,)."""

    mean: Floats
    variance: Floats
    third: Floats
    fourth: Floats

    def less(self, other: Cumulants) -> Cumulants:
        """Those of the difference of two independent variables."""
        return Cumulants(
            self.mean - other.mean,
            self.variance + other.variance,
            self.third - other.third,
            self.fourth + other.fourth,
        )

    def moved(self, by: Floats) -> Cumulants:
        """Those of the variable plus a constant."""
        return Cumulants(self.mean + by, self.variance, self.third, self.fourth)


def of_log_gamma(a: Floats) -> Cumulants:
    """Return those of log G for G of Gamma(a, 1)."""
    inverse, start = 1.0 / (a + 1.0), 1.0 / a
    square = inverse * inverse
    return Cumulants(
        np.log1p(a) - inverse * (0.5 + inverse / 12.0) - start,
        inverse * (1.0 + inverse * (0.5 + inverse / 6.0)) + start**2,
        -square * (1.0 + inverse * (1.0 + 0.5 * inverse)) - 2.0 * start**3,
        square * inverse * (2.0 + inverse * (3.0 + 2.0 * inverse)) + 6.0 * start**4,
    )


def of_log_gamma_ratio(a: Floats, b: Floats) -> Cumulants:
    """Return those of log p for p of Beta(a, b), ψ(a) − ψ(a + b) and so on, without cancellation.

    The differences of the powers of 1/(a + 1) and of 1/(a + b + 1) are formed as products.
    """
    near, far = 1.0 / (a + 1.0), 1.0 / (a + b + 1.0)
    start, after = 1.0 / a, 1.0 / (a + b)

    def fall(x: Floats, y: Floats, power: int) -> Floats:
        """x^power − y^power for 1/y = 1/x + b."""
        total = sum(x**i * y ** (power - 1 - i) for i in range(power))
        return np.asarray(b * x * y * total)

    one, two, three = (fall(near, far, power) for power in (1, 2, 3))
    four, five = (fall(near, far, power) for power in (4, 5))
    return Cumulants(
        -np.log1p(b * near) - 0.5 * one - two / 12.0 - fall(start, after, 1),
        one + 0.5 * two + three / 6.0 + fall(start, after, 2),
        -(two + three + 0.5 * four) - 2.0 * fall(start, after, 3),
        2.0 * three + 3.0 * four + 2.0 * five + 6.0 * fall(start, after, 4),
    )
