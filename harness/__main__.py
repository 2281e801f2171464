"""``python -m harness``, and the command ``harness``."""

import gc
import os
import sys

from harness import archive_sentence

LEAST_ADDRESS_SPACE = 2_000_000_000
"""In bytes."""


def entry() -> None:
    """Run the command line of this process, and exit."""
    import signal

    if archived := archive_sentence():
        os.write(2, f"harness: {archived}\n".encode())
        sys.exit(2)
    # Figures are written to files, whatever shows those of other programs.
    os.environ["MPLBACKEND"] = "agg"
    _fit_address_space()
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
    code = main()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            # The interpreter would try again as it ends, and say so a second time.
            code = code or 2
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _fit_address_space() -> None:
    """Have libraries start one thread each where addresses are limited; refuse too few of them.

    Memory that Polars, NumPy and the stacks of their threads do not get ends the process by a
    signal, without a sentence. A run has been seen to need 0.9 GB of addresses.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ModuleNotFoundError:
        return
    limit = getrlimit(RLIMIT_AS)[0]
    if limit == RLIM_INFINITY:
        return
    if limit < LEAST_ADDRESS_SPACE:
        os.write(
            2,
            f"harness: this process may use {limit / 1e9:.2f} GB of memory addresses (ulimit -v), "
            f"and its libraries need {LEAST_ADDRESS_SPACE / 1e9:g} GB: raise the limit\n".encode(),
        )
        sys.exit(2)
    for name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # Of jemalloc, which Polars allocates memory by.
    os.environ.setdefault("_RJEM_MALLOC_CONF", "background_thread:false,narenas:1")


def _end(number: int, frame: object) -> None:
    """End the process at once, which is right as long as it has nothing to clean up."""
    os.write(2, b"harness: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    if not sys.flags.safe_path and __file__ != f"{sys.path[0]}{os.sep}harness{os.sep}__main__.py":
        # The working folder: a file numpy.py in it is not to go before the library.
        sys.path.append(sys.path.pop(0))
    entry()
