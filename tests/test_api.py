"""The examples in the docstrings of the public functions give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["harness.api", "harness.tables.results"])
def test_the_examples_of_a_module_give_what_they_show(module):
    found = doctest.testmod(import_module(module))
    assert found.attempted > 0
    assert found.failed == 0
