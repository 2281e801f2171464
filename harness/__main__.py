"""``python -m harness``, and the command ``harness``."""

import gc
import os
import sys


def entry() -> None:
    """Run the command line of this process, and exit."""
    import signal

    # Processes that joblib starts would import a file joblib.py of the working folder otherwise.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception in the middle of an import may be swallowed, or shown as a fault of it.
        signal.signal(signal.SIGINT, _end)
    # Most objects of the first seconds are classes and functions, which are never garbage.
    gc.set_threshold(20_000)
    try:
        from harness.cli import main
    except ModuleNotFoundError as fault:
        if (fault.name or "harness").partition(".")[0] == "harness":
            raise
        sys.exit(
            f"harness: this Python, {sys.executable}, lacks the package {fault.name}; run the one "
            "in which the harness is installed, as in .venv/bin/python -m harness (README.md says "
            "how it is installed)"
        )
    sys.exit(main())


def _end(number: int, frame: object) -> None:
    """End the process at once, which is right as long as it has nothing to clean up."""
    os.write(2, b"harness: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    if not sys.flags.safe_path and __file__ != f"{sys.path[0]}{os.sep}harness{os.sep}__main__.py":
        # The working folder: a file numpy.py in it is not to go before the library.
        sys.path.append(sys.path.pop(0))
    entry()
