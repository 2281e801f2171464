"""The sizes, outcomes and priors at which accuracy is measured, and what is promised there."""

from __future__ import annotations

from collections.abc import Iterator

SIZES = (1, 2, 5, 10, 60, 100, 1000, 10**5, 10**6, 10**8)
PRIORS = ((1.0, 1.0), (0.5, 0.5), (2.0, 5.0), (0.1, 0.1))
# Half a unit in the last place, relative to the number.
HALF_ULP = 2.0**-53


def outcomes(n: int) -> list[int]:
    """0, 1, n/2, n - 1 and n, each once."""
    return sorted({0, 1, n // 2, n - 1, n})


def cases(sizes: tuple[int, ...] = SIZES) -> Iterator[tuple[int, int, float, float]]:
    """n, x and the two parameters of the prior."""
    for n in sizes:
        for x in outcomes(n):
            for prior in PRIORS:
                yield n, x, *prior


def promised(n: int) -> float:
    """The relative accuracy of a tail probability at size n."""
    if n <= 10**5:
        return 1e-12
    return 3e-12 if n <= 10**6 else 3e-11
