"""How many faults a check finds, and how many sound methods it accuses.

``python -m benchmarks.detection`` prints three rates, each with its exact 95 % interval:

- of the faults of ``tests.checks.planted.faults``, those that a plain check finds in words that
  tell of the cause or the place;
- of the methods of ``tests.checks.planted.sound``, those that a plain check fails;
- of a hundred mutants drawn from the seeds 0, 1, 2, …, those that a plain check finds. A mutant
  that moves no limit of a wide grid by 1e-9 is not counted.

Each outcome is printed to the standard error as it comes. What is missed or accused follows
with its source line. It takes about half an hour on one core;
``planted``, ``sound`` or ``mutants`` as an argument measures one of the three, and a further
argument only what has it in its name.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import harness
from benchmarks.timing import report
from harness.checks.check import check
from harness.checks.findings import FAIL
from harness.checks.report import CheckReport
from tests.checks.planted.fault import Fault, is_named, report_of
from tests.checks.planted.faults import FAULTS
from tests.checks.planted.mutants import Mutant, mutant
from tests.checks.planted.sound import SOUND, Sound

Item = TypeVar("Item")

MUTANTS = 100
_LONGEST = 230


@dataclass(frozen=True)
class Outcome:
    """The result of one check."""

    name: str
    is_found: bool
    """Whether the check failed."""
    is_named: bool
    """Whether a failure tells of the cause or the place."""
    words: str
    """The first line of the report."""
    seconds: float


def planted(only: str = "") -> None:
    """Print the rate of detection of the faults that are planted by hand."""
    faults = [fault for fault in FAULTS if only in f"{fault.method.name}: {fault.name}"]
    outcomes = list(_each(faults, _of_fault))
    found = [each for each in outcomes if each.is_found and each.is_named]
    _print_rate("planted faults found", len(found), len(outcomes), ">= 0.96")
    _print_list("missed", (each for each in outcomes if not each.is_found))
    _print_list("not named", (each for each in outcomes if each.is_found and not each.is_named))


def sound(only: str = "") -> None:
    """Print the rate of false alarms, and the longest check of a sound method."""
    outcomes = list(_each([each for each in SOUND if only in each.method], _of_sound))
    accused = [each for each in outcomes if each.is_found]
    _print_rate("sound methods accused", len(accused), len(outcomes), "0")
    _print_list("accused", accused)
    slowest = max(outcomes, key=lambda each: each.seconds)
    report(f"slowest check of a sound method, {slowest.name}, s", f"{slowest.seconds:.1f}", "<= 60")


def mutants(only: str = "") -> None:
    """Print the rate of detection of faults that are drawn."""
    moving = (each for each in map(mutant, itertools.count()) if each.moves_a_limit())
    drawn = [each for each in itertools.islice(moving, MUTANTS) if only in each.method.name]
    outcomes = list(_each(drawn, _of_mutant))
    found = [each for each in outcomes if each.is_found]
    seeds = f"seeds {drawn[0].seed} to {drawn[-1].seed}"
    _print_rate(f"mutants found, {seeds}", len(found), len(outcomes), "-")
    _print_list("missed", (each for each in outcomes if not each.is_found))


def _each(items: Iterable[Item], outcome_of: Callable[[Item, Path], Outcome]) -> Iterator[Outcome]:
    for item in items:
        with tempfile.TemporaryDirectory() as folder:
            outcome = outcome_of(item, Path(folder))
        seen = f"found: {outcome.words[:_LONGEST]}" if outcome.is_found else "passed"
        print(f"{outcome.seconds:.1f} s  {outcome.name}  {seen}", file=sys.stderr, flush=True)
        yield outcome


def _of_fault(fault: Fault, folder: Path) -> Outcome:
    start = time.perf_counter()
    found = report_of(fault.source, fault.method, folder, fault.method.contract)
    return _outcome(f"{fault.method.name}: {fault.name}", found, start, fault.words)


def _of_mutant(drawn: Mutant, folder: Path) -> Outcome:
    start = time.perf_counter()
    found = report_of(drawn.source, drawn.method, folder, drawn.method.contract)
    name = f"seed {drawn.seed}, {drawn.method.name}: {drawn.line}  ->  {drawn.changed}"
    return _outcome(name, found, start)


def _of_sound(method: Sound, folder: Path) -> Outcome:
    start = time.perf_counter()
    if method.planted_in is None:
        found = check(
            method.method, family=method.family, contract=method.contract, grid=method.grid
        )
    else:
        source = method.planted_in.source
        found = report_of(source, method.planted_in, folder, method.contract)
    name = f"{Path(method.method).name} ({method.family}, {method.contract})"
    return _outcome(name, found, start)


def _outcome(name: str, found: CheckReport, start: float, words: str = "") -> Outcome:
    named = is_named(found, words)
    return Outcome(name, found.verdict == FAIL, named, found.headline, time.perf_counter() - start)


def _print_rate(what: str, count: int, total: int, aim: str) -> None:
    interval = harness.interval("proportion", "clopper_pearson", x=count, n=total)
    span = f"{count / total:.3f} ({interval.lower:.3f} to {interval.upper:.3f})"
    report(f"{what}: {count} of {total}", span, aim)


def _print_list(what: str, outcomes: Iterable[Outcome]) -> None:
    for each in outcomes:
        print(f"  {what}: {each.name}\n    {each.words[:_LONGEST]}")


PARTS = {"planted": planted, "sound": sound, "mutants": mutants}

if __name__ == "__main__":
    chosen = sys.argv[1:2] or list(PARTS)
    for name in chosen:
        PARTS[name](*sys.argv[2:3])
