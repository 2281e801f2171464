"""The program of the process: it draws the data of trials and calls the methods with them."""

from __future__ import annotations

import inspect
import mmap
import os
import random
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.calls import ANYTHING, Function, FunctionError, describe, draws, one_line
from harness.callers.location import FunctionLocation, function_of, module_of
from harness.callers.messages import CUT_OFF, LOAD, Content, Message, unpacked
from harness.callers.process import LOADED, has_pipes, serve
from harness.callers.simulation.answers import failure
from harness.callers.simulation.guard import (
    CHANGED_DATA,
    DREW,
    Guard,
    SharedState,
    copy_of,
    generators,
    is_of_lock,
    owner,
    same_data,
)
from harness.callers.simulation.r_functions import RError, RProcess, is_of_r
from harness.callers.simulation.reading import (
    TRUTH,
    AnswerReader,
    Truth,
    data_and_truths,
    number_name,
)
from harness.callers.simulation.requests import (
    IDLE,
    MODEL,
    TIES,
    TRUTHS,
    Stream,
    StudyProgram,
    TrialRequest,
)

FAILED, CHANGED = "failed", "changed"
"""What a method did in a trial: it gave no answer, or it changed what others get too."""
NOT_CALLED = "was not called any more, as it had ended its process or hung before"
_FORKED = "made a copy of its process that returned too, and was not called any more"
_SECOND_RETURN = 0.5
"""Seconds that a copy of the process, which a function has made, has to return as well."""


class LockedError(Exception):
    """A method fails since it cannot write to the data of a trial."""


class Block:
    """The trials of one request, as they are answered."""

    def __init__(
        self, asked: TrialRequest, reader: AnswerReader, stochastic: Sequence[bool]
    ) -> None:
        """
        Args:
            asked: the trials.
            reader: of answers.
            stochastic: of each method of the study, whether it draws random numbers.
        """
        self.asked, self.reader, self.batch = asked, reader, reader.program.batch
        self.model_stream = Stream(asked.keys[MODEL])
        self.ties_stream = Stream(asked.keys[TIES]) if TIES in asked.keys else None
        self.rows = range(sum(number > 0 for number in asked.methods))
        """Those of methods; that of the model is the last one."""
        self.streams = [
            Stream(asked.keys[str(asked.methods[row])])
            if stochastic[asked.methods[row] - 1]
            else None
            for row in self.rows
        ]
        self.truths: Mapping[str, Truth] = {}
        """Those that the model has drawn last, by estimand."""
        rows = len(asked.methods)
        self.values = np.full((rows, len(reader.names), asked.count), np.nan)
        self.answered = np.zeros((rows, asked.count), np.int64)
        self.faults: dict[tuple[int, str], tuple[int, str]] = {}
        """By the row of a method and the kind the first trial and what happened."""
        self.calls: dict[int, list[float]] = {}
        """The number of calls of each function and their seconds."""
        self.same_data = True
        """Whether the data of the last trial are those of the request before."""
        self.strayed = False
        """Whether a call has changed what the functions share, which is not known of which one."""
        self.forked: set[int] = set()
        """The functions of which a copy of the process has returned."""
        self.locks: dict[int, bool] = {}
        """Whether a method, by its number, is handed locked data, as it has not changed them."""

    def fail(self, rows: Sequence[int], trial: int, why: str) -> None:
        """Note that methods, by their rows, have no answer in a trial."""
        for row in rows:
            self.faults.setdefault((row, FAILED), (trial, why))

    def change(self, rows: Sequence[int], trial: int, what: str) -> None:
        """Note that methods, by their rows, have changed something in a trial.

        What others see goes before a draw from a global generator.
        """
        for row in rows:
            before = self.faults.get((row, CHANGED))
            if before is None or (before[1].endswith(DREW) and not what.endswith(DREW)):
                self.faults[row, CHANGED] = trial, what

    def took(self, function: int, start: float) -> None:
        """Count a call that began at a time of ``perf_counter``."""
        count = self.calls.setdefault(function, [0, 0.0])
        count[0] += 1
        count[1] += perf_counter() - start

    def reason(self, error: BaseException) -> str:
        """What a function raised, with the lines of the user's code where they are asked for."""
        if not self.asked.lines or isinstance(error, RError):  # which has lines of R alone
            return failure(error)
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if frame.filename != __file__]
        return "".join(["raised\n", *traceback.format_list(inside), describe(error)])

    def read(self, row: int, start: int, answer: Any) -> None:
        """Read the answer of a method in a trial, or in a batch from its first one on."""
        place = start - self.asked.first
        try:
            number, ties = self.asked.methods[row], partial(self._ties, start)
            reading: Any = self.reader.read(answer, number, self.truths, ties)
            if not self.batch:
                self.values[row, :, place] = reading
                self.answered[row, place] = True
                return
            numbers, answered, first = reading
        except ANYTHING as error:
            text = str(error) if type(error) is ValueError else failure(error)
            self.fail([row], start, text)
            return
        # The last batch has all of its trials, of which a part may be asked for.
        last = min(self.batch, self.asked.count - place)
        self.values[row, :, place : place + last] = numbers[:, :last]
        self.answered[row, place : place + last] = answered[:last]
        if first is not None and first[0] < last:
            self.fail([row], start + first[0], first[1])

    def _ties(self, start: int) -> Floats:
        """Numbers in [0, 1) for each estimand and trial of a call."""
        assert self.ties_stream is not None
        shape = len(self.reader.program.estimands), self.batch or 1
        return self.ties_stream.at(start).random(shape)

    def drew(self, start: int, truths: Mapping[str, Truth]) -> None:
        """Note the truths of a trial, or of a batch from its first one on."""
        self.truths, place = truths, start - self.asked.first
        if len(self.rows) < len(self.asked.methods):
            last = place + min(self.batch or 1, self.asked.count - place)
            self.answered[-1, place:last] = True
            for estimand, truth in truths.items():
                array = np.atleast_1d(truth)
                if array.dtype.kind != "U":
                    name = self.reader.names.index(number_name(estimand, TRUTH))
                    self.values[-1, name, place:last] = array[: last - place]

    def content(self) -> Content:
        """The content and the arrays of the reply."""
        given = np.flatnonzero(~np.isnan(self.values).all(axis=(0, 2)))
        content = {
            "faults": [[row, kind, *fault] for (row, kind), fault in self.faults.items()],
            "calls": [[function, *counted] for function, counted in self.calls.items()],
            "same_data": self.same_data,
            "strayed": self.strayed,
            "given": [self.reader.names[place] for place in given],
            "all_answered": bool(self.answered.all()),
        }
        answered = self.answered[:, : 0 if content["all_answered"] else None]
        return content, {"values": self.values[:, given], "answered": answered}


class Study:
    """The functions of one study, and their calls."""

    def __init__(self, position: memoryview, request: Message) -> None:
        """
        Args:
            position: holds the function that is called and the trial, for the other end to see.
            request: has the program, and factors with which the functions should be callable.

        Raises:
            FunctionError: a function cannot be loaded, or does not take its arguments.
        """
        self._position = position
        program: StudyProgram = unpacked(request.content["program"])
        self.alpha, self.batch = program.alpha, program.batch
        self._drawn, self._reader = program.drawn, AnswerReader(program)
        self._modules: dict[tuple[str | None, str | None], Any] = {}
        self._r = RProcess()
        self._process = os.getpid()
        self._forks: list[int] = []
        """Not empty after a call that has made a copy of the process, also in the copy."""
        self._waits_for_copies = True
        if hasattr(os, "register_at_fork"):
            noted = partial(self._forks.append, self._process)
            os.register_at_fork(after_in_parent=noted, after_in_child=noted)
        self._state = self._initial = SharedState.now()
        self._states: dict[str, SharedState] = {}
        """What the functions of a file, or of a package, share after it was loaded."""
        self.model = self._load(program.model, is_model=True)
        self.methods = [self._load(place) for _, place in program.methods]
        self.truths = [self._load(place) for place in program.truths]
        self.stochastic = [draws(method) for method in self.methods]
        self._refuse_misfits(program, request.content["factors"])
        places = [program.model, *(place for _, place in program.methods)]
        self._own = [self._states.get(owner(place), self._initial) for place in places]
        """What each function finds: the model, then the methods."""
        self._seeded: dict[int, Any] = {}
        """The states of the global generators by what they start from."""
        self._former: Any = None
        """The data of the last trial of a request whose data are compared."""

    def _load(self, location: FunctionLocation, *, is_model: bool = False) -> Function:
        """The function of a location; those of one file share its module, those of R a process."""
        if is_of_r(location.path):
            return self._r.function(location, is_model=is_model)
        key = location.path, location.module
        self._share(self._states.get(owner(location), self._initial))
        if location.place is None:
            function = location.load()
        else:
            if key not in self._modules:
                self._modules[key] = module_of(location)
            function = function_of(self._modules[key], location)
        sys.modules.update(LOADED)
        now = SharedState.now()
        if self._state.change(now) is not None:
            self._state = self._states[owner(location)] = now
        return function

    def _share(self, state: SharedState) -> None:
        """Make a state the one that the next call finds."""
        if state is not self._state:
            state.restore()
            self._state = state

    def _refuse_misfits(self, program: StudyProgram, factors: Mapping[str, Any]) -> None:
        """Refuse a function that does not take its arguments."""
        leading = ["rng", "trials"] if self.batch else ["rng"]
        calls: list[tuple[Any, Function | None, list[str], Mapping[str, Any]]] = [
            (program.model, self.model, leading, factors),
            *(
                (place, f, [], factors)
                for place, f in zip(program.truths, self.truths, strict=True)
            ),
        ]
        for (_, place), method in zip(program.methods, self.methods, strict=True):
            calls.append((place, method, ["data", "alpha"], {"rng": 0} if draws(method) else {}))
        for place, function, first, named in calls:
            try:
                signature = inspect.signature(function)  # type: ignore[arg-type]
            except (TypeError, ValueError):  # a function in C
                continue
            try:
                signature.bind(*first, **named)
            except TypeError as error:
                wanted = ", ".join([*first, *named])
                raise FunctionError(
                    f"{place} is to be called with ({wanted}), and takes {signature}: {error}"
                ) from None

    def answer(self, request: Message) -> Content:
        """The content and the arrays of the reply.

        Raises:
            FunctionError: the function of the true value fails.
        """
        content = request.content
        if content["task"] == LOAD:
            return {}, {}
        if content["task"] == TRUTHS:
            return {"truth": self._truth(content["number"], content["factors"])}, {}
        block = Block(unpacked(content["trials"]), self._reader, self.stochastic)
        # A function that draws from the global generators draws the same in every run.
        random.seed(block.asked.state or 0)
        np.random.seed(block.asked.state or 0)  # noqa: NPY002
        first, seeded = block.asked.first, block.asked.state or 0
        if seeded not in self._seeded:
            self._seeded[seeded] = generators()
        for start in range(first, first + block.asked.count, self.batch or 1):
            self._trial(block, start)
        self._position[0] = IDLE
        if not block.asked.watched:
            changed = self._state.change(SharedState.now()) is not None
            block.strayed = changed or generators() != self._seeded[seeded]
            sys.modules.update(LOADED)
        return block.content()

    def _truth(self, number: int, factors: Mapping[str, Any]) -> float:
        """The true value of an estimand, by the number of its function."""
        try:
            truth: Any = self.truths[number](**factors)
        except ANYTHING as error:
            raise FunctionError(failure(error)) from None
        value = np.asarray(truth)
        if value.dtype.kind not in "iuf" or value.size != 1 or not np.isfinite(value).all():
            shown = one_line(truth, repr)
            raise FunctionError(f"should return one finite number, and returned {shown}")
        return float(value.item())

    def _trial(self, block: Block, start: int) -> None:
        """Draw the data of a trial, or of a batch from its first one on, and call the methods."""
        asked, rows = block.asked, block.rows
        if (0, start) in asked.skipped or 0 in block.forked:
            block.fail(rows, start, f"{MODEL} {NOT_CALLED}")
            return
        guard = self._drawn_data(block, rows, start)
        if guard is not None and asked.state is not None:
            former, self._former = self._former, copy_of(guard.data)
            block.same_data = former is None or same_data(former, guard.data)
        for row in rows:
            number = asked.methods[row]
            if guard is None:
                return
            if (number, start) in asked.skipped or number in block.forked:
                block.fail([row], start, NOT_CALLED)
                continue
            try:
                answer = self._answer(block, row, start, guard)
            except LockedError:
                block.locks[number] = False
                answer = self._answer(block, row, start, guard)
            if answer is not None:
                block.read(row, start, *answer)
            changed = guard.has_changed()
            block.locks[number] = block.locks.get(number, True) and not changed
            if changed:
                block.change([row], start, CHANGED_DATA)
            if (changed or not guard.is_known) and row + 1 < len(rows):
                # The other methods get the data as they were drawn.
                guard = self._drawn_data(block, rows[row + 1 :], start)

    def _answer(self, block: Block, row: int, start: int, guard: Guard) -> tuple[Any] | None:
        """What a method answers to the data of a trial; None where it fails.

        Raises:
            LockedError: it fails since it cannot write to the data.
        """
        number, stream = block.asked.methods[row], block.streams[row]
        drawn = {} if stream is None else {"rng": stream.at(start)}
        data = guard.handed(block.locks.get(number, False))
        method = self.methods[number - 1]
        return self._called(block, [row], start, number, method, data, self.alpha, **drawn)

    def _drawn_data(self, block: Block, rows: Sequence[int], start: int) -> Guard | None:
        """The data of a trial; None where the model fails, and with it the methods of some rows."""
        self._position[1] = start
        trials = (self.batch,) if self.batch else ()
        stream, factors = block.model_stream.at(start), block.asked.factors
        data = self._called(block, rows, start, 0, self.model, stream, *trials, **factors)
        if data is not None and self._drawn:
            try:
                trial_data, truths = data_and_truths(*data, self._drawn, self.batch)
            except ValueError as error:
                block.fail(rows, start, f"{MODEL} {error}")
                return None
            block.drew(start, truths)
            data = (trial_data,)
        return None if data is None else Guard(*data)

    def _called(
        self,
        block: Block,
        rows: Sequence[int],
        start: int,
        number: int,
        function: Function,
        *arguments: Any,
        **named: Any,
    ) -> tuple[Any] | None:
        """What a function answers in a trial; None where it fails, for methods by their rows.

        Raises:
            LockedError: it fails since it cannot write to data that are locked.
        """
        self._position[0] = number
        self._share(self._own[number])
        answer, watched = None, block.asked.watched
        before = generators() if watched else None
        begun = perf_counter()
        try:
            answer = (function(*arguments, **named),)
            block.took(number, begun)
        except ANYTHING as error:
            if block.locks.get(number) and is_of_lock(error):
                raise LockedError from None
            block.fail(rows, start, f"{_who(number)}{block.reason(error)}")
        if self._forks and self._has_copies():
            answer = None
            block.forked.add(number)
            block.fail(rows, start, f"{_who(number)}{_FORKED}")
        if watched:
            if not has_pipes():
                os._exit(CUT_OFF)
            if (what := self._state.change(SharedState.now())) is not None:
                self._state.restore()
            elif generators() != before:
                what = DREW
            if what is not None:
                block.change(rows, start, f"{_who(number)}{what}")
        return answer

    def _has_copies(self) -> bool:
        """Whether a copy of the process has returned from a call, which ends the copy here."""
        if os.getpid() != self._process:
            self._position[2] = True
            os._exit(0)
        self._forks.clear()
        end = time.monotonic() + _SECOND_RETURN * self._waits_for_copies
        while not self._position[2] and time.monotonic() < end:
            time.sleep(0.002)
        self._waits_for_copies = bool(self._position[2])
        self._position[2] = False
        return self._waits_for_copies


def _who(number: int) -> str:
    """What the reason of a fault begins with, by the number of the function."""
    return "" if number else f"{MODEL} "


def main() -> int:
    """Answer requests about trials; the last argument is the position's file or its descriptor."""
    # No file is written beside those of the user.
    sys.dont_write_bytecode = True
    place = sys.argv[-1]
    with open(int(place) if place.isdecimal() else place, "r+b") as file:  # noqa: PTH123
        position = memoryview(mmap.mmap(file.fileno(), 0)).cast("q")
    position[0] = IDLE
    return serve(partial(Study, position), copies_answer=False)
