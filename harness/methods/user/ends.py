"""How often a process of a user's code is started anew before it is given up."""

from __future__ import annotations

from dataclasses import dataclass

ENOUGH = 3
"""After so many ends of its process a function is not called at the other outcomes of a size and
alpha; and nowhere any more, where it did not answer in time so often."""

MOST = 8 * ENOUGH
"""After so many ends a function is not called any more at all: each costs a part of a second."""


@dataclass
class Ends:
    """Counts of the calls for one outcome that ended the process of a function."""

    here: int = 0
    """At the outcomes that are being asked for."""
    all: int = 0
    hangs: int = 0
    """For want of an answer in time."""

    def add(self, hung: bool) -> None:
        self.here += 1
        self.all += 1
        self.hangs += hung

    @property
    def enough(self) -> bool:
        return self.here >= ENOUGH or self.hangs >= ENOUGH or self.all >= MOST

    @property
    def number(self) -> int:
        return self.here if self.here >= ENOUGH else self.all
