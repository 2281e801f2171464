"""The trials of a simulation study: shards of a scenario, and what methods answered in them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.errors import MethodError
from harness.base.numerics.arrays import Floats, Integers
from harness.base.temporary import temporary_prefix
from harness.callers.location import FunctionLocation
from harness.callers.simulation.answers import AGAINST_TRUTH, FIELDS
from harness.callers.simulation.process import EndedError, StrayedError, trial_process
from harness.callers.simulation.reading import number_name
from harness.callers.simulation.requests import (
    IDLE,
    MODEL,
    MODEL_STREAM,
    ONLY,
    TIES,
    TIES_STREAM,
    StudyProgram,
    TrialRequest,
    stream_key,
)
from harness.callers.simulation.worker import CHANGED, FAILED

SHARD, BATCHES = 256, 8
"""Trials of a shard; of a study in batches it has so many batches, or more to reach them."""
_MOST_ENDS = 2
"""How often a function may end its process or hang in a shard before it is not called any more."""


def shard_size(batch: int) -> int:
    """The number of trials of a shard."""
    return SHARD if batch == 0 else batch * max(BATCHES, -(-SHARD // batch))


@dataclass(frozen=True)
class TrialShard:
    """Trials of one scenario, drawn with one process."""

    scenario: int
    """Its number, from 1 on."""
    factors: Mapping[str, Any]
    seed: int
    first: int
    """The first trial; trials are numbered from 1 on."""
    count: int
    methods: tuple[int, ...]
    """The numbers of the methods that are called, from 1 on; then 0 for the truths that the model
    draws, where they are not recorded."""

    def request(self, program: StudyProgram) -> TrialRequest:
        """What a process of the study is asked for."""
        streams = {str(number): program.methods[number - 1][0] for number in self.methods if number}
        streams[MODEL] = MODEL_STREAM
        if program.drawn:
            streams[TIES] = TIES_STREAM
        keys = {
            name: stream_key(self.seed, self.factors, program.batch, who)
            for name, who in streams.items()
        }
        return TrialRequest(self.factors, keys, self.methods, self.first, self.count)


Event = tuple[int, str] | tuple[()]
"""A trial and what happened there; nothing where nothing did."""


@dataclass(frozen=True)
class MethodTrials:
    """What one method answered in consecutive trials of one scenario, or the model drew as truths.

    Of several estimands the names of numbers are those of ``number_name``.
    """

    given: tuple[str, ...]
    """The numbers that it gave in any of them."""
    values: Floats
    """Shape (given, trials); NaN where there is none."""
    answered: Integers
    """1 in trials with an answer, else 0; shape (trials,)."""
    failed: Event = ()
    """The first trial without an answer."""
    changed: Event = ()
    """The first trial in which the method changed what others get too, such as the data."""

    def fields(self, estimand: str = ONLY) -> dict[str, Floats]:
        """The numbers of an estimand, shape (trials,); NaN of those that were not given."""
        missing = np.full(self.answered.size, np.nan)
        given = dict(zip(self.given, self.values, strict=True))
        names = (*FIELDS, *AGAINST_TRUTH)
        return {name: given.get(number_name(estimand, name), missing) for name in names}


def joined(parts: Sequence[MethodTrials]) -> MethodTrials:
    """The trials of several shards, in their order."""
    given = tuple(dict.fromkeys(name for part in parts for name in part.given))
    answered = np.concatenate([part.answered for part in parts])
    values = np.full((len(given), answered.size), np.nan)
    ends = np.cumsum([part.answered.size for part in parts]).tolist()
    for part, end in zip(parts, ends, strict=True):
        rows = [given.index(name) for name in part.given]
        values[rows, end - part.answered.size : end] = part.values
    return MethodTrials(
        given,
        values,
        answered,
        next((part.failed for part in parts if part.failed), ()),
        next((part.changed for part in parts if part.changed), ()),
    )


@dataclass(frozen=True)
class ShardAnswers:
    """What the methods of a shard answered."""

    methods: tuple[MethodTrials, ...]
    """In the order of the shard."""
    calls: Calls
    """The calls that were made."""
    lost: tuple[int, ...] = ()
    """The numbers of the methods with a trial in which a signal has ended the process, or there was
    no answer in time: that may have come from outside."""


Calls = dict[int, tuple[int, float]]
"""The number of calls of a function, 0 for the model, and their seconds."""
SentFiles = Mapping[str, Mapping[str, bytes]]
"""The files of folders by their names there."""
_STRAYED: set[StudyProgram] = set()
"""The studies of which a call has changed what their functions share."""
_SENT: dict[str, tempfile.TemporaryDirectory[str]] = {}
_LOCK = threading.Lock()


def located(program: StudyProgram, files: SentFiles) -> StudyProgram:
    """The functions as another machine finds them: in the files as sent where it has no such.

    Args:
        program: the functions.
        files: those of their folders.
    """

    folders = {folder: _folder_of(folder, sent) for folder, sent in files.items()}

    def here(place: FunctionLocation) -> FunctionLocation:
        if place.path is None:
            return place
        path = Path(place.path)
        return replace(place, path=str(folders[str(path.parent)] / path.name))

    methods = tuple((label, here(place)) for label, place in program.methods)
    return replace(program, model=here(program.model), methods=methods, truths=())


def _folder_of(folder: str, sent: Mapping[str, bytes]) -> Path:
    """The folder itself where it has the files that were sent, else a copy of them."""
    if all(_has(Path(folder, name), content) for name, content in sent.items()):
        return Path(folder)
    with _LOCK:
        if folder not in _SENT:
            _SENT[folder] = tempfile.TemporaryDirectory(prefix=temporary_prefix("files"))
        for name, content in sent.items():
            target = Path(_SENT[folder].name, name)
            if not _has(target, content):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        return Path(_SENT[folder].name)


def _has(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def simulate_trials(
    program: StudyProgram, shard: TrialShard, lines: bool = False, files: SentFiles | None = None
) -> ShardAnswers:
    """Draw the trials of a shard, and call each of its methods with the data of all of them.

    Where a function ends its process or hangs, the trial has no answer of it, and the shard is run
    again without this call. Where it hangs in the first trial of a shard, as one that always does,
    or the third time in a shard, it is not called in the trials that follow. Where one changes what
    the functions of a process share, or the process ends between two calls, the shard is run again
    in a new process, in which every change is noted and set back.

    Args:
        program: the functions.
        shard: which trials.
        lines: whether the reasons of failures have the lines of the user's code.
        files: of the functions, where this may be another machine than that of the user.

    Raises:
        InputError: a function cannot be loaded.
        MethodError: the process ends twice while no function is called.
    """
    if files is not None:
        program = located(program, files)
    ended: dict[tuple[int, int], str] = {}
    lost: set[int] = set()
    watched = False
    skipped: list[tuple[int, int]] = []
    stopped: dict[int, str] = {}
    asked = replace(shard.request(program), lines=lines)
    while True:
        asked = replace(asked, skipped=frozenset(skipped), watched=watched or program in _STRAYED)
        try:
            with trial_process(program, shard.factors) as process:
                reply = process.trials(asked)
                if reply.content["strayed"]:
                    raise StrayedError
            break
        except StrayedError:
            _STRAYED.add(program)
        except EndedError as fault:
            place = fault.function, fault.trial
            if fault.function == IDLE and not watched:
                watched = True
                if not fault.killed:
                    _STRAYED.add(program)
                continue
            if fault.function == IDLE or place in ended:
                cause = "; the memory may not suffice" * fault.killed
                raise MethodError(
                    f"scenario {shard.scenario}, trials {shard.first} to "
                    f"{shard.first + shard.count - 1}: the process of the functions {fault} "
                    f"between two calls{cause}"
                ) from None
            ended[place] = fault.why
            if fault.killed or fault.hung:
                lost |= {fault.function} if fault.function else {*shard.methods}
            skipped.append(place)
            times = sum(function == fault.function for function, _ in ended)
            if (fault.hung and fault.trial == shard.first) or times > _MOST_ENDS:
                later = range(fault.trial + 1, shard.first + shard.count)
                if later:
                    often = f"{times} times, " if times > 1 else ""
                    what = f"trials {later.start} to {later.stop - 1}"
                    stopped[fault.function] = f"{often}and was not called in {what}"
                skipped += [(fault.function, trial) for trial in later]
    events: dict[tuple[int, str], Event] = {}
    for row, kind, trial, why in reply.content["faults"]:
        number = shard.methods[row]
        function = 0 if (0, trial) in ended else number
        if kind == FAILED and (function, trial) in ended:
            why = ended[function, trial]
            if function in stopped:
                why += f" ({stopped[function]})"
        events[row, kind] = (trial, f"{MODEL} {why}" if (0, trial) in ended else why)
    given, values = reply.content["given"], reply.arrays["values"]
    answered = reply.arrays["answered"]
    if reply.content["all_answered"]:
        answered = np.ones((len(values), shard.count), np.int64)
    answers = tuple(
        _answers(given, *numbers, events.get((row, FAILED), ()), events.get((row, CHANGED), ()))
        for row, numbers in enumerate(zip(values, answered, strict=True))
    )
    calls = {function: (times, took) for function, times, took in reply.content["calls"]}
    return ShardAnswers(answers, calls, tuple(sorted(lost)))


def _answers(
    names: Sequence[str], values: Floats, answered: Integers, failed: Event, changed: Event
) -> MethodTrials:
    used = np.flatnonzero(~np.isnan(values).all(axis=1)).tolist()
    given = tuple(names[row] for row in used)
    return MethodTrials(given, values[used], answered, failed, changed)
