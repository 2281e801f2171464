"""How a command ends: exit codes, the sentence of an error, and signals."""

from __future__ import annotations

import errno
import functools
import inspect
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from harness.base.errors import HarnessError, InputError
from harness.base.underway import Words, showing
from harness.commands.output import console, say

if TYPE_CHECKING:
    from rich.console import Console


_REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
"""Full disks and limits of files, memory and processes."""


def with_exit_code(function: Callable[..., int]) -> Callable[..., None]:
    """Wrap a command so that its return value or its exception becomes the exit code."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            with showing(_bar_of):
                code = function(*args, **kwargs)
        except HarnessError as fault:
            print_error(str(fault))
            code = fault.exit_code
        except KeyboardInterrupt as stop:
            how, code = ending(stop)
            # The terminal may be gone.
            with suppress(OSError):
                print_error(f"{how}; {stop if str(stop) else 'no incomplete result was written'}")
        except MemoryError as fault:
            what = f"the command {function.__name__}"
            print_error(
                f"the memory did not suffice for {what}{f': {fault}' if str(fault) else ''}"
            )
            code = InputError.exit_code
        except BrokenPipeError:
            # The reader of the output, as `head`, has enough: the parser ends the process quietly.
            raise
        except Exception as fault:
            if os.environ.get("HARNESS_DEBUG"):
                raise
            text, code = _refusal_of_system(fault), InputError.exit_code
            if not text:
                name = type(fault).__name__
                text = f"an internal error of the harness: {name}: {fault} "
                text += "(HARNESS_DEBUG=1 shows where)"
                code = HarnessError.exit_code
            print_error(text)
        raise typer.Exit(code)

    # Otherwise typer evaluates the annotations each time that it reads them.
    decorated: Any = run
    decorated.__signature__ = inspect.signature(function, eval_str=True)
    return run


def _refusal_of_system(fault: Exception) -> str:
    """A sentence about what the system did not allow; nothing where it allowed everything."""
    if isinstance(fault, RuntimeError) and "start new thread" in str(fault):
        return "the system refused what the command needs: no thread can be started"
    if not isinstance(fault, OSError):
        return ""
    try:
        Path.cwd()
    except FileNotFoundError:
        return "the current folder does not exist any more; go to another one"
    if fault.errno not in _REFUSALS and "temporary directory" not in str(fault.strerror):
        return ""
    place = f" ({fault.filename})" if fault.filename is not None else ""
    return f"the system refused what the command needs: {fault.strerror}{place}"


def worst_exit_code(codes: Iterable[int]) -> int:
    """The exit code of several: a fault, a wrong input, a failure, nothing concluded, then 0."""
    return min((code for code in codes if code), default=0)


def print_error(sentence: str) -> None:
    """Print a sentence on standard error."""
    say(f"harness: {sentence}", err=True)


T = TypeVar("T")

ENDINGS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal was closed"}
"""The signals that end a command, and how it says so; those that this system has are used."""


class Ended(KeyboardInterrupt):
    """The process was sent one of these signals."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def cleaning_up() -> Iterator[None]:
    """Let signals that end the process raise ``Ended`` while the block runs.

    A signal that is ignored, as SIGHUP under ``nohup``, stays ignored. After the first one only
    SIGINT is heard, until the process has ended: a terminal that closes sends SIGHUP twice.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ENDINGS if hasattr(signal, name)]
    former = {number: signal.getsignal(number) for number in numbers}
    heard = {number for number in numbers if former[number] not in (signal.SIG_IGN, None)}

    def end(number: int, frame: object) -> None:
        for other in heard - {signal.SIGINT}:
            signal.signal(other, signal.SIG_IGN)
            former.pop(other, None)
        # Of what libraries say about work that is broken off.
        logging.disable()
        warnings.simplefilter("ignore")
        raise Ended(number)

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heard & set(former):
            signal.signal(number, former[number])


@contextmanager
def shown(
    bar: Callable[[Console], AbstractContextManager[T]], quiet: bool, otherwise: T
) -> Iterator[T]:
    """Show a bar on standard error while the block runs, if that is a terminal.

    Args:
        bar: makes the bar on a console.
        quiet: whether nothing is shown.
        otherwise: what the block is given in place of a bar.
    """
    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield otherwise
        return
    with ExitStack() as stack:
        # There is one bar at a time.
        stack.enter_context(showing(None))
        entered = stack.enter_context(bar(screen))
        try:
            yield entered
        except KeyboardInterrupt:
            # The terminal may be gone.
            with suppress(OSError):
                stack.close()
            raise


@contextmanager
def _bar_of(doing: Words) -> Iterator[None]:
    """Show what is being done on standard error while the block runs, if that is a terminal."""
    if not sys.stderr.isatty():
        with cleaning_up():
            yield
        return
    from harness.screen.console import work_bar

    with cleaning_up(), shown(partial(work_bar, doing=doing), quiet=False, otherwise=None):
        yield


def ending(stop: KeyboardInterrupt) -> tuple[str, int]:
    """What ended a command, in a clause, and its exit code: 128 + the number of the signal."""
    number = stop.number if isinstance(stop, Ended) else signal.SIGINT
    return ENDINGS[signal.Signals(number).name], 128 + number
