"""What a run reports of its progress while it runs."""

from __future__ import annotations


class Progress:
    """The number of trials to do and done, as a study reports it while it runs; shown nowhere."""

    def begun(self, program: str) -> None:
        """Report that another version of the program, in words, has begun the run."""

    def damaged(self, records: int) -> None:
        """Report how many damaged records of the journal are computed anew."""

    def found(self, recorded: int, parts: int) -> None:
        """Report how many of the parts of the work a former run has recorded."""

    def expect(self, trials: int) -> None:
        """Report that so many more trials are to come."""

    def advance(self, trials: int) -> None:
        """Report that so many more trials are done."""
