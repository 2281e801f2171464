"""Exit codes of the commands, and the sentence on standard error when one fails."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import typer

from harness.base.errors import HarnessError, InputError
from harness.commands.output import say
from harness.commands.signals import ending


def with_exit_code(function: Callable[..., int]) -> Callable[..., None]:
    """Wrap a command so that its return value or its exception becomes the exit code."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
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
            text = f"{type(fault).__name__}: {fault}"
            print_error(f"an internal error of the harness: {text} (HARNESS_DEBUG=1 shows where)")
            code = HarnessError.exit_code
        raise typer.Exit(code)

    # Otherwise typer evaluates the annotations each time that it reads them.
    decorated: Any = run
    decorated.__signature__ = inspect.signature(function, eval_str=True)
    return run


def print_error(sentence: str) -> None:
    """Print a sentence on standard error."""
    say(f"harness: {sentence}", err=True)
