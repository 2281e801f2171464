"""The examples in docstrings of public functions run."""

from __future__ import annotations

import doctest

import pytest

import harness.checks.check
import harness.testing


@pytest.mark.parametrize("module", [harness.checks.check, harness.testing])
def test_the_examples_run(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
