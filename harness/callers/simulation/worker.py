"""The program of the process: it draws the data of trials and calls the methods with them."""

from __future__ import annotations

import inspect
import mmap
import random
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.callers.calls import ANYTHING, Function, FunctionError, describe, draws, one_line
from harness.callers.location import FunctionLocation, function_of, module_of
from harness.callers.messages import Content, Message, unpacked
from harness.callers.simulation.answers import FIELDS, failure, read_answer, read_answers
from harness.callers.simulation.guard import Guard, copy_of, same_data
from harness.callers.simulation.program import MODEL, Program, Stream
from harness.callers.simulation.r_functions import RError, RProcess, is_of_r
from harness.callers.worker import serve

LOAD, TRUTH, TRIALS = "load", "truth", "trials"
"""The tasks of the process."""
IDLE = -1
"""In place of a function while none is called."""
FAILED, CHANGED = "failed", "changed"
"""What a method did in a trial: it gave no answer, or it changed the data in place."""
NOT_CALLED = "was not called any more, as it had ended its process or hung before"


class Functions:
    """The loaded functions of a study; those of one file share its module, those of R a process."""

    def __init__(self) -> None:
        self._modules: dict[tuple[str | None, str | None], Any] = {}
        self._r = RProcess()

    def load(self, location: FunctionLocation, *, is_model: bool = False) -> Function:
        """The function of a location.

        Raises:
            FunctionError: it cannot be loaded.
        """
        if is_of_r(location.path):
            return self._r.function(location, is_model=is_model)
        if location.place is None:
            return location.load()
        key = location.path, location.module
        if key not in self._modules:
            self._modules[key] = module_of(location)
        return function_of(self._modules[key], location)


@dataclass
class Block:
    """The trials of one request, as they are answered."""

    methods: Sequence[int]
    """The numbers of the methods that are called, from 1 on."""
    first: int
    count: int
    skipped: frozenset[tuple[int, int]]
    """Functions, 0 for the model, with trials in which they are not called again."""
    lines: bool
    """Whether the reason of a failure has the lines of the user's code."""
    state: int | None = None
    """What the global generators start from; None for 0, and for data that are not compared."""
    same_data: bool = True
    """Whether the data of the last trial are those of the request before."""
    values: Floats = field(init=False)
    answered: Bools = field(init=False)
    faults: dict[tuple[int, str], tuple[int, str]] = field(default_factory=dict)
    """By method and kind the first trial and what happened."""
    calls: dict[int, list[float]] = field(default_factory=dict)
    """Of each function the number of its calls and their seconds."""

    def __post_init__(self) -> None:
        self.values = np.full((len(self.methods), len(FIELDS), self.count), np.nan)
        self.answered = np.zeros((len(self.methods), self.count), bool)

    def fail(self, rows: Sequence[int], trial: int, why: str) -> None:
        """Note that methods, by their rows, have no answer in a trial."""
        for row in rows:
            self.faults.setdefault((row, FAILED), (trial, why))

    def took(self, function: int, start: float) -> None:
        """Count a call that began at a time of ``perf_counter``."""
        count = self.calls.setdefault(function, [0, 0.0])
        count[0] += 1
        count[1] += perf_counter() - start

    def content(self) -> Content:
        """The content and the arrays of the reply."""
        given = np.flatnonzero(~np.isnan(self.values).all(axis=(0, 2)))
        content = {
            "faults": [[row, kind, *fault] for (row, kind), fault in self.faults.items()],
            "calls": [[function, *counted] for function, counted in self.calls.items()],
            "same_data": self.same_data,
            "given": [FIELDS[place] for place in given],
        }
        return content, {
            "values": self.values[:, given],
            "answered": self.answered.astype(np.int64),
        }

    def reason(self, error: BaseException) -> str:
        """What a function raised, with the lines of the user's code where they are asked for."""
        if not self.lines:
            return failure(error)
        if isinstance(error, RError):  # which has lines of R alone
            return failure(error)
        frames = traceback.extract_tb(error.__traceback__)
        inside = [each for each in frames if each.filename != __file__]
        return "".join(["raised\n", *traceback.format_list(inside), describe(error)])


class Caller:
    """The calls of the functions of one study."""

    def __init__(self, program: Program, position: memoryview) -> None:
        functions, self._program = Functions(), program
        self.model = functions.load(program.model, is_model=True)
        self.methods = [functions.load(place) for _, place in program.methods]
        estimand = program.estimand
        self.estimand = None if estimand is None else functions.load(estimand)
        self.stochastic = [draws(method) for method in self.methods]
        self.alpha, self.batch = program.alpha, program.batch
        self._position = position
        self._former: Any = None
        """The data of the last trial of a request whose data are compared."""

    def truth(self, factors: Mapping[str, Any]) -> float:
        """The true value of the estimand.

        Raises:
            FunctionError: the function fails, or returns no number.
        """
        assert self.estimand is not None
        try:
            found = self.estimand(**factors)
        except ANYTHING as error:
            raise FunctionError(failure(error)) from None
        number = np.asarray(found)
        if number.dtype.kind not in "iuf" or number.size != 1 or not np.isfinite(number).all():
            shown = one_line(found, repr)
            raise FunctionError(f"should return one finite number, and returned {shown}")
        return float(number.item())

    def refuse_misfits(self, factors: Mapping[str, Any]) -> None:
        """Refuse a function that does not take its arguments.

        Raises:
            FunctionError: there is one.
        """
        leading = ["rng", "trials"] if self.batch else ["rng"]
        calls: list[tuple[Any, Function | None, list[str], Mapping[str, Any]]] = [
            (self._program.model, self.model, leading, factors),
            (self._program.estimand, self.estimand, [], factors),
        ]
        for (_, place), method in zip(self._program.methods, self.methods, strict=True):
            calls.append((place, method, ["data", "alpha"], {"rng": 0} if draws(method) else {}))
        for place, function, first, named in calls:
            try:
                signature = inspect.signature(function)  # type: ignore[arg-type]
            except (TypeError, ValueError):  # no estimand, or a function in C
                continue
            try:
                signature.bind(*first, **named)
            except TypeError as error:
                wanted = ", ".join([*first, *named])
                raise FunctionError(
                    f"{place} is to be called with ({wanted}), and takes {signature}: {error}"
                ) from None

    def run(self, block: Block, factors: Mapping[str, Any], keys: Mapping[str, str]) -> None:
        """Draw the data of all trials of a block and call the methods with them.

        Args:
            block: is filled.
            factors: of the scenario.
            keys: of the streams: of ``model``, and of the methods by their numbers.
        """
        # A function that draws from the global generators draws the same in every run.
        random.seed(block.state or 0)
        np.random.seed(block.state or 0)  # noqa: NPY002
        model = Stream(keys[MODEL])
        streams = [
            Stream(keys[str(number)]) if self.stochastic[number - 1] else None
            for number in block.methods
        ]
        step = self.batch or 1
        for start in range(block.first, block.first + block.count, step):
            self._trial(block, start, partial(self._draw, model, start, factors), streams)
        self._position[0] = IDLE

    def _draw(self, model: Stream, start: int, factors: Mapping[str, Any]) -> Any:
        self._position[0], self._position[1] = 0, start
        if self.batch:
            return self.model(model.at(start), self.batch, **factors)
        return self.model(model.at(start), **factors)

    def _trial(
        self,
        block: Block,
        start: int,
        draw: Callable[[], Any],
        streams: Sequence[Stream | None],
    ) -> None:
        """Draw the data of a trial, or of a batch from its first one on, and call the methods."""
        rows = range(len(block.methods))
        if (0, start) in block.skipped:
            block.fail(rows, start, f"{MODEL} {NOT_CALLED}")
            return
        data = self._drawn(block, rows, start, draw)
        if data is None:
            return
        guard = Guard(data[0])
        if block.state is not None:
            former, self._former = self._former, copy_of(guard.data)
            block.same_data = former is None or same_data(former, guard.data)
        for row, number in enumerate(block.methods):
            if (number, start) in block.skipped:
                block.fail([row], start, NOT_CALLED)
                continue
            self._position[0] = number
            method, stream, begun = self.methods[number - 1], streams[row], perf_counter()
            try:
                if stream is None:
                    found = method(guard.data, self.alpha)
                else:
                    found = method(guard.data, self.alpha, rng=stream.at(start))
                block.took(number, begun)
            except ANYTHING as error:
                block.fail([row], start, block.reason(error))
            else:
                self._read(block, row, start, found)
            changed = guard.has_changed()
            if changed:
                block.faults.setdefault((row, CHANGED), (start, "changed the data in place"))
            if (changed or not guard.is_known) and row + 1 < len(block.methods):
                # The other methods get the data as they were drawn.
                data = self._drawn(block, rows[row + 1 :], start, draw)
                if data is None:
                    return
                guard = Guard(data[0])

    def _drawn(
        self, block: Block, rows: Sequence[int], start: int, draw: Callable[[], Any]
    ) -> tuple[Any] | None:
        """The data of a trial; None where the model fails, and with it the methods of some rows."""
        begun = perf_counter()
        try:
            data = draw()
        except ANYTHING as error:
            block.fail(rows, start, f"{MODEL} {block.reason(error)}")
            return None
        block.took(0, begun)
        return (data,)

    def _read(self, block: Block, row: int, start: int, found: Any) -> None:
        place = start - block.first
        try:
            if not self.batch:
                block.values[row, :, place] = read_answer(found)
                block.answered[row, place] = True
                return
            numbers, answered, first = read_answers(found, self.batch)
        except ANYTHING as error:
            text = str(error) if type(error) is ValueError else failure(error)
            block.fail([row], start, text)
            return
        # The last batch has all of its trials, of which a part may be asked for.
        last = min(self.batch, block.count - place)
        block.values[row, :, place : place + last] = numbers[:, :last]
        block.answered[row, place : place + last] = answered[:last]
        if first is not None and first[0] < last:
            block.fail([row], start + first[0], first[1])


class TrialAnswers:
    """The answers of the functions of one study, which the first request names."""

    def __init__(self, position: memoryview) -> None:
        """
        Args:
            position: holds the function that is called and the trial, for the other end to see.
        """
        self._position = position
        self._caller: Caller | None = None

    def answer(self, request: Message) -> Content:
        """The content and the arrays of the reply.

        Raises:
            FunctionError: a function cannot be loaded or does not take its arguments, or the one of
                the true value fails.
        """
        content = request.content
        if content["task"] == LOAD:
            self._caller = Caller(unpacked(content["program"]), self._position)
            self._caller.refuse_misfits(content["factors"])
            return {}, {}
        assert self._caller is not None
        if content["task"] == TRUTH:
            return {"truth": self._caller.truth(content["factors"])}, {}
        asked = {name: content[name] for name in ("methods", "first", "count", "lines", "state")}
        block = Block(**asked, skipped=frozenset(map(tuple, content["skipped"])))
        self._caller.run(block, content["factors"], content["keys"])
        return block.content()


def main() -> int:
    """Answer requests about trials; the last argument is the file of the position."""
    # No file is written beside those of the user.
    sys.dont_write_bytecode = True
    with Path(sys.argv[-1]).open("r+b") as file:
        position = memoryview(mmap.mmap(file.fileno(), 0)).cast("q")
    position[0] = IDLE
    return serve(TrialAnswers(position).answer, copies_answer=False)
