"""The ranks that differences of systems leave open, all of them together at one level."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools

Places = npt.NDArray[np.int64]
IsBetter = Callable[[Places, Places, float], Bools]
"""Whether systems are better than others, by a one-sided interval of each difference at an alpha:
the places of the first systems, those of the second ones, and alpha."""


def ranks_left_open(count: int, is_better: IsBetter, alpha: float) -> tuple[Places, Places]:
    """Return the first and the last rank that each system may have.

    Holm's step-down procedure tests all K = m(m − 1) hypotheses "system i is not better than
    system j". With r of them rejected, each other one is tested at the level alpha/(K − r), until
    none is rejected any more. A system may have every rank from 1 + the number of systems that are
    better than it to m − the number of those that are worse. No true hypothesis is rejected with a
    probability of at least 1 − alpha, whatever the dependence between the systems, and then the
    ranks of all systems are among theirs. The ranks of tied systems are all those that an order of
    them could give.

    Holm (1979), Scandinavian Journal of Statistics 6:65; Mogstad, Romano, Shaikh and Wilhelm
    (2024), Review of Economic Studies 91:476.

    Args:
        count: m, the number of systems, 2 or more.
        is_better: the test of a hypothesis, whose rejections at an alpha are among those at any
            larger one.
        alpha: the probability that the ranks of some system are not among its own, in (0, 1).

    Returns:
        The first and the last ranks, from 1 to m, shape (m,) each.

    Example:
        >>> import numpy as np
        >>> scores = np.array([9.0, 2.0, 1.0])
        >>> first, last = ranks_left_open(3, lambda i, j, _: scores[i] - scores[j] > 5, 0.05)
        >>> first.tolist(), last.tolist()
        ([1, 2, 2], [1, 3, 3])
    """
    first, second = np.nonzero(~np.eye(count, dtype=bool))
    better = np.zeros((count, count), bool)
    while first.size:
        rejected = is_better(first, second, alpha / first.size)
        better[first[rejected], second[rejected]] = True
        if not rejected.any():
            break
        first, second = first[~rejected], second[~rejected]
    return 1 + better.sum(axis=0), count - better.sum(axis=1)
