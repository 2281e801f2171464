"""Settings of every test, and the tests that take long."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Commands run in processes of their own: their modules are compiled once, as installed ones are.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault(
    "PYTHONPYCACHEPREFIX", str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
)

# Hypothesis draws the same 40 examples each time and has no deadline.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("steady")

SLOW = tuple(
    line
    for line in Path(__file__).with_name("slow.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)
"""The beginnings of the names of the tests that carry the mark ``slow``."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
