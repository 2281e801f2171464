"""The options of every figure in a config, and what the results keep of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.errors import ConfigError
from harness.config.load import load_experiment

CONFIG = """
name: styled
family: proportion
n: [10, 50]
methods: [wilson]
truth: {grid: {start: 0.1, stop: 0.9, count: 9}}
engines: [enumeration]
figures:
  - {kind: coverage_curve, n: [10, 50], title: Mine, width: 120, format: pdf, %s}
"""


def written(folder: Path, option: str) -> Path:
    path = folder / "styled.yaml"
    path.write_text(CONFIG % option)
    return path


def test_a_style_file_is_found_beside_the_config_and_its_settings_are_kept(tmp_path: Path) -> None:
    (tmp_path / "paper.mplstyle").write_text("# of the journal\nfont.size: 8\n")
    (figure,) = load_experiment(written(tmp_path, "style: paper.mplstyle")).figures
    assert figure.options["style"] == {"font.size": "8"}
    assert figure.options["format"] == ["pdf"]
    assert figure.options["n"] == [10, 50]
    again = written(tmp_path, 'style: {font.size: "8"}')
    assert load_experiment(again).figures == (figure,)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (
            "style: absent",
            "an existing matplotlib style file, relative to the config, found 'absent'",
        ),
        ("xlim: [1, 0]", "figures[0].xlim: expected values that increase"),
        ("dpi: 20", "figures[0].dpi: expected a number of at least 50, found 20"),
        ("ylim: 1", "figures[0].ylim: expected two numbers in increasing order"),
        ("heigth: 80", "figures[0].heigth: expected a known key, found 'heigth'; did you mean"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, option: str, message: str) -> None:
    with pytest.raises(ConfigError) as found:
        load_experiment(written(tmp_path, option))
    assert message in str(found.value)
