"""The search for a worst case by climbs from several starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

SAME = 1e-11
"""Miss probabilities within so much of each other, relatively, are equal: symmetric methods are
equally bad at several points."""
# A start that is missed less often than this share of the best point so far is not climbed from.
# The share is low, since a climb may end well above the peak of the grid that it starts from.
_HOPELESS = 0.5
# Points above this share of the best one are refined.
_CLOSE = 0.999


class Point(Protocol):
    """A point of the space of truths."""

    @property
    def missed(self) -> float:
        """How often the point is missed."""


P = TypeVar("P", bound=Point)


def highest(
    starts: Iterable[P],
    climb: Callable[[P], P],
) -> list[P]:
    """Return the points that climbs reach from starts that are not hopeless, in their order.

    The first start is climbed from even where it is never missed, as all of a range may be.
    """
    reached: list[P] = []
    for start in starts:
        largest = max((point.missed for point in reached), default=0.0)
        is_hopeful = start.missed > _HOPELESS * largest and largest < 1.0 - SAME
        if is_hopeful or not reached:
            reached.append(climb(start))
    return reached


def refined(
    points: Sequence[P], refine: Callable[[P], P], count: int, place: Callable[[P], Any]
) -> P:
    """Return the best point after the ``count`` best ones are refined, the first one of equals.

    Args:
        points: one or more.
        refine: returns a point at least as bad, near the given one.
        count: the most points that are refined.
        place: by which equal points are ordered.
    """
    close = sorted(_close(points, _CLOSE), key=lambda point: (-point.missed, place(point)))
    return min(_close([refine(point) for point in close[:count]], 1.0 - SAME), key=place)


def _close(points: Sequence[P], share: float) -> list[P]:
    """Return the points with at least this share of the best miss probability."""
    largest = max(point.missed for point in points)
    return [point for point in points if point.missed >= share * largest]
