"""How a command ends: with an exit code, and with one sentence where something is wrong."""

from __future__ import annotations

import functools
import inspect
import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import typer

from harness.errors import HarnessError

INTERRUPTED = 130


def with_exit_code(function: Callable[..., int]) -> Callable[..., None]:
    """The command as a process: what it returns or raises becomes the exit code."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            code = function(*args, **kwargs)
        except HarnessError as fault:
            complain(str(fault))
            code = fault.exit_code
        except KeyboardInterrupt:
            complain("interrupted; no incomplete result was written")
            code = INTERRUPTED
        except Exception as fault:
            if os.environ.get("HARNESS_DEBUG"):
                raise
            text = f"{type(fault).__name__}: {fault}"
            complain(f"a fault of the harness itself: {text} (HARNESS_DEBUG=1 shows where)")
            code = HarnessError.exit_code
        raise typer.Exit(code)

    # The command line's library would evaluate the annotations again each time that it reads them.
    told: Any = run
    told.__signature__ = inspect.signature(function, eval_str=True)
    return run


def complain(sentence: str) -> None:
    """Say on standard error what is wrong."""
    typer.echo(f"harness: {sentence}", err=True)


def end_in_order_when_terminated() -> None:
    """A termination unwinds the run like an interrupt does, so that nothing half-written stays."""

    def terminate(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, terminate)
