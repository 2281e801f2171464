"""The trials of a calibration, as a journal keeps them: the sums over its first shards."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from harness.designs.calibration import BinTally, Design, Shard
from harness.study.journal.codec import DamagedRecordError, pack, unpack
from harness.study.journal.database import ColumnKey, Journal
from harness.study.journal.environment import engines_digest
from harness.study.journal.keys import digest

Tallies = tuple[BinTally, ...]
"""One of each reference."""


@dataclass
class CalibrationRecord:
    """What a journal knows of the trials of a calibration."""

    journal: Journal
    design: Design
    first: Shard
    done: int = 0
    """The number of the shards at the start that are recorded or merged."""
    _record: int | None = None
    _unsaved: Tallies | None = field(default=None, repr=False)

    def find(self, shards: int) -> Tallies:
        """Return the merged tallies of as many first shards as are known; none for nothing.

        Args:
            shards: the number of shards with the full number of trials.

        Raises:
            InputError: the journal is damaged.
        """
        with self.journal.faults():
            known = [each for each in self.journal.records(self._key()) if each.stop <= shards]
            if not known:
                return ()
            longest = max(known, key=lambda each: each.stop)
            self.done, self._record = longest.stop, longest.number
            tallies = unpack(longest.content, tuple)
            if not all(isinstance(each, BinTally) for each in tallies):
                raise DamagedRecordError("a record is no tally of a calibration")
            return tallies

    def keep(self, merged: Tallies, done: int) -> None:
        """Keep the merged tallies of the first shards; they are written from time to time."""
        self._unsaved, self.done = merged, done
        if self.journal.is_due:
            start = time.monotonic()
            self.save()
            self.journal.commit(start)

    def save(self) -> None:
        """Put what was kept into the journal."""
        if self._unsaved is not None:
            columns = (ColumnKey("", ""),)
            content, span = pack(self._unsaved), (0, self.done)
            self._record = self.journal.put(self._key(), span, columns, content, self._record)
            self._unsaved = None

    def _key(self) -> bytes:
        design = self.design
        return digest(
            {
                "calibration": design.family,
                "sizes": [list(span) for span in design.sizes],
                "truth": dict(design.truth.content()),
                "delta": list(design.delta),
                "prior": list(design.prior),
                "bins": design.bins,
                "seed": self.first.seed,
                "shard": self.first.trials,
                "engines": engines_digest(),
            }
        )
