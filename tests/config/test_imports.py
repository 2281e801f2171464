"""What is loaded when."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("pydantic", "matplotlib", "polars", "scipy.stats", "scipy.optimize", "scipy.integrate")


def loaded(statement: str) -> set[str]:
    """The heavy modules that a statement loads in a new interpreter."""
    code = f"import sys\n{statement}\nprint(*(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["harness.config", "harness.config.experiment"])
def test_the_records_of_an_experiment_need_no_pydantic(module: str) -> None:
    assert loaded(f"import {module}") == set()


def test_loading_a_config_loads_pydantic_and_nothing_else_heavy() -> None:
    assert loaded("import harness.config.load") == {"pydantic"}
