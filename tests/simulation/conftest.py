"""The command line, as the tests of the commands have it."""

from tests.cli.conftest import run_command

__all__ = ["run_command"]
