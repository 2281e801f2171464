"""The names of several experiments side by side: each is a folder of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.errors import Fault


def name_clashes(named: Sequence[tuple[str, str]]) -> Iterator[Fault]:
    """Experiments that would write into each other; ``named``: where a name is given, and it.

    Two names that differ in case alone are one folder on some machines. A folder inside another's
    would go when that one is replaced.
    """
    taken: dict[tuple[str, ...], str] = {}
    for place, name in named:
        parts = tuple(name.casefold().split("/"))
        for other, first in taken.items():
            shared = min(len(parts), len(other))
            if parts == other:
                yield Fault(
                    place, "name", f"expected a name of its own, found {name} as in {first}"
                )
            elif parts[:shared] == other[:shared]:
                inner = "inside" if len(parts) > len(other) else "around"
                message = f"expected a folder of its own, found {name} {inner} the one of {first}"
                yield Fault(place, "name", message)
        taken.setdefault(parts, place)
