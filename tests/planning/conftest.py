"""The command line, as the tests of the commands have it."""

from tests.cli.conftest import here, run_command

__all__ = ["here", "run_command"]
