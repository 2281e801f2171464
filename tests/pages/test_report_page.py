"""The step of continuous integration that docs/report.md shows does what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

from tests.docs.snippets import blocks

CONFIG = """\
name: small
title: A small run
family: proportion
n: 5
methods: [wald, wilson]
truth: {uniform: [0, 1]}
trials: {per_size: 100}
seed: 1
figures: []
"""


def test_the_step_shows_what_was_found_and_keeps_the_page(tmp_path: Path) -> None:
    [shown] = [block for block in blocks("docs/report.md") if block.language == "yaml"]
    show, keep = yaml.safe_load(shown.text)
    (tmp_path / "my_config.yaml").write_text(CONFIG)
    python = Path(sys.executable).parent
    environment = {
        **os.environ,
        "GITHUB_STEP_SUMMARY": "summary.md",
        "PATH": f"{python}{os.pathsep}{os.environ['PATH']}",
    }
    subprocess.run(["sh", "-ec", show["run"]], check=True, cwd=tmp_path, env=environment)
    assert (tmp_path / "summary.md").read_text().startswith("### A small run\n")
    assert list(tmp_path.glob(keep["with"]["path"])) == [tmp_path / "results/small/report.html"]
