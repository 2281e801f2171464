"""The outermost parameter value that an exact two-sided test does not reject.

The p-value of x is the sum of Pr(y; θ) over all outcomes y no more in keeping with θ than x.
Beyond the estimate that is the near tail of x and a far tail, which loses its nearest outcome
wherever θ passes the tie of that outcome with x. Between two ties the p-value falls, or falls and
rises again; at the ties themselves it falls from one to the next, for each of the orders. So the
last tie with a p-value above alpha is found first, and the limit lies there or in the piece past
it: at the one root of p-value = alpha if the p-value just past the tie is still above alpha.

Klaschka and Reiczigel (2021), Comput. Stat. 36, 1775–1790, doi:10.1007/s00180-020-00986-0, treat
these jumps for Blaker's and Sterne's orders.
"""

from __future__ import annotations

import numpy as np

from harness.methods.inversion.orders import Order
from harness.methods.inversion.tails import P, Tails, outward_root
from harness.numerics.arrays import Floats, Positions


def outer_limit(tails: Tails[P], alpha: float, order: Order) -> P:
    """The supremum of the points with p-value > alpha; the end of the range if all have."""
    inner = np.flatnonzero(tails.reach > 0)
    return tails.end.replaced(inner, _among_ties(tails.at(inner), alpha, order))


def _among_ties(tails: Tails[P], alpha: float, order: Order) -> P:
    last = order.last(tails, alpha)
    limit = order.tie(tails, last)
    past = last + 1.0
    above = tails.near(limit) + tails.far(past, limit) > alpha
    bare = np.flatnonzero(above & (past > tails.reach))
    piece = np.flatnonzero(above & (past <= tails.reach))
    limit = limit.replaced(bare, tails.at(bare).quantile(alpha))
    start = limit.at(piece)
    limit = limit.replaced(piece, _in_piece(tails.at(piece), alpha, order, past[piece], start))
    # Sterne's tie of two neighbouring Poisson counts is an estimate, and may round past it.
    return tails.between(np.zeros_like(past)).where(tails.distance(limit) < 0, limit)


def _in_piece(tails: Tails[P], alpha: float, order: Order, k: Floats, start: P) -> P:
    """Where the p-value falls to alpha between ``start`` and the tie at the distance k."""

    def log_excess(here: Tails[P], points: P, index: Positions) -> tuple[Floats, Floats]:
        p_value = here.near(points) + here.far(k[index], points)
        slope = here.near_slope(points) + here.far_slope(k[index], points)
        return np.log(p_value / alpha), slope / p_value

    width = tails.span(start, order.tie(tails, k))
    return outward_root(tails, log_excess, start, np.zeros_like(width), width, 0.5 * width)
