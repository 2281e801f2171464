"""What a run will cost, in words: for ``run --dry-run`` and before a run that takes long."""

from __future__ import annotations

from harness.study.estimate import Estimate

_UNITS = ((86_400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))


def estimate_lines(name: str, found: Estimate) -> str:
    """The cost of a run on a line for each of its parts."""
    return "\n".join(
        (
            name,
            f"  scenarios: {found.scenarios:,}",
            f"  tasks: {_bound(found)}{found.tasks:,}",
            f"  trials: {_bound(found)}{found.trials:,}",
            f"  rows: at most {found.cells:,} of cells, {found.summary:,} of the summary",
            f"  time: {_bound(found)}about {_time(found)}",
            f"  memory: about {_memory(found)}",
        )
    )


def estimate_line(name: str, found: Estimate) -> str:
    """The cost of a run on one line."""
    return (
        f"{name}: the run is expected to take {_bound(found)}about {_time(found)} and "
        f"{_memory(found)} of memory "
        f"(scenarios: {found.scenarios:,}, trials: {_bound(found)}{found.trials:,}, "
        f"rows of cells: {found.cells:,} at most)"
    )


def _bound(found: Estimate) -> str:
    return "up to " if found.at_most else ""


def _time(found: Estimate) -> str:
    text = duration(found.seconds)
    return f"{text} without the user's functions" if found.without_user_functions else text


def _memory(found: Estimate) -> str:
    return f"{found.memory / 1e9:.2g} GB" if found.memory >= 1e9 else f"{found.memory / 1e6:.0f} MB"


def duration(seconds: float) -> str:
    """A time with two digits in the largest unit that it has one of: ``3.5 min``."""
    for length, unit in _UNITS:
        if seconds >= length:
            return f"{seconds / length:.2g} {unit}"
    return "1 s"
