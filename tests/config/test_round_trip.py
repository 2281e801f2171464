"""A resolved config means what the config it came from means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from harness.base.plain_data import dump
from harness.config.load import load_experiment
from harness.config.resolve import serialize
from tests.config.configs import configs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("configs")
    (made / "mine.py").write_text("")
    return made


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(config=configs())
def test_the_resolved_config_loads_to_an_equal_experiment(
    config: dict[str, Any], folder: Path
) -> None:
    file = folder / "config.yaml"
    file.write_text(dump(config), encoding="utf-8")
    first = load_experiment(file)
    file.write_text(dump(serialize(first)), encoding="utf-8")
    assert load_experiment(file) == first
