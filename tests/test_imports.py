"""What is loaded when, read from the modules of new interpreters."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli import COMMANDS

SLOW = ("scipy.stats", "scipy.optimize", "scipy.integrate", "matplotlib.pyplot")
"""What no run may load: each takes as long as a small run."""

HEAVY = {"numpy", "scipy", "polars", "matplotlib", "yaml", "joblib", "pydantic"}

TELL = (
    "import json, runpy, sys\n"
    "sys.argv = ['harness', *{arguments!r}]\n"
    "try:\n"
    "    runpy.run_module('harness', run_name='__main__', alter_sys=True)\n"
    "except SystemExit as end:\n"
    "    assert end.code == 0, end.code\n"
    "print('\\n' + json.dumps(sorted(sys.modules)))\n"
)

CONFIG = """\
name: small
family: proportion
n: [3, 10]
methods: [wald, wilson, clopper_pearson, jeffreys, minimal_length, balanced_width, balanced_tail]
truth: {beta: [2, 0.5]}
trials: {per_outcome: 20}
seed: 1
figures: FIGURES
"""


def modules_after(code: str, folder: Path) -> set[str]:
    """What a new interpreter holds once it has run the code; its last line lists them."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def modules_of_command(folder: Path, *arguments: str) -> set[str]:
    return modules_after(TELL.format(arguments=arguments), folder)


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == "harness"}


def rooms(modules: set[str]) -> set[str]:
    """Ours by the first name below the package; ``__main__`` may go without the package's."""
    return {name.split(".")[1] for name in ours(modules) if "." in name} - {"__main__"}


LIGHT = {f"harness.base.{name}" for name in ("errors", "files", "text", "underway")}
"""All that a help text needs of ``base``."""


def test_help_loads_the_command_line_and_nothing_else(tmp_path: Path) -> None:
    loaded = modules_of_command(tmp_path, "--help")
    assert rooms(loaded) == {"base", "cli", "commands", "names"}
    assert {name for name in loaded if name.startswith("harness.base.")} == LIGHT
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", [function.__name__ for function in COMMANDS])
def test_help_of_a_command_loads_nothing_of_ours_either(tmp_path: Path, command: str) -> None:
    loaded = modules_of_command(tmp_path, command, "--help")
    assert rooms(loaded) == {"base", "cli", "commands", "names"}
    assert {name for name in loaded if name.startswith("harness.base.")} == LIGHT
    # The command line's library itself takes pydantic to read arguments.
    assert not loaded & (HEAVY - {"pydantic"})


def test_importing_the_package_loads_nothing_else(tmp_path: Path) -> None:
    code = (
        "import json, sys\nbefore = set(sys.modules)\nimport harness\ndir(harness)\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    loaded = modules_after(code, tmp_path)
    assert ours(loaded) == {"harness"}
    assert {name.split(".")[0] for name in loaded - ours(loaded)} <= sys.stdlib_module_names


def test_the_process_of_a_users_function_loads_no_scipy(tmp_path: Path) -> None:
    code = "import json, sys\nimport harness.callers.process\nprint(json.dumps(list(sys.modules)))"
    loaded = {name.split(".")[0] for name in modules_after(code, tmp_path)}
    assert loaded & HEAVY == {"numpy"}


def test_every_public_name_is_found_when_asked_for() -> None:
    import harness

    for name in harness.__all__:
        assert getattr(harness, name) is not None
        assert name in dir(harness)
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        _ = harness.colour


FILE = "--csv results.csv --cluster document --correct right"


@pytest.mark.parametrize("asked", ["proportion --x 9 --n 10", f"clustered_proportion {FILE}"])
def test_one_interval_loads_nothing_that_only_runs_need(tmp_path: Path, asked: str) -> None:
    (tmp_path / "results.csv").write_text("document,right\na,1\na,0\nb,1\n")
    loaded = modules_of_command(tmp_path, "interval", *asked.split())
    assert not loaded & {*SLOW, "joblib", "yaml", "matplotlib", "sqlite3"}


def test_an_interval_and_its_text_load_no_data_frames(tmp_path: Path) -> None:
    code = (
        "import json, sys\nimport harness\n"
        "repr(harness.interval('proportion', x=[3, 4], n=10))\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    loaded = modules_after(code, tmp_path)
    assert "harness.one.result" in loaded
    assert not loaded & {*SLOW, "polars", "pandas", "pyarrow", "rich", "typer"}


def test_an_interval_as_json_loads_nothing_of_tables_on_a_screen(tmp_path: Path) -> None:
    asked = "proportion --x 0 --n 10 --method wald --format json"
    loaded = modules_of_command(tmp_path, "interval", *asked.split())
    assert not loaded & {"polars", "rich", "joblib", "yaml", "matplotlib"}


def test_a_page_loads_no_figures_and_no_checks(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(CONFIG.replace("FIGURES", "[]"))
    loaded = modules_of_command(tmp_path, "run", "small.yaml", "--jobs", "1", "--report")
    assert {"harness.report.sections", "harness.report.maps.section"} < loaded
    assert "checks" not in rooms(loaded)
    assert not {*SLOW, "matplotlib"} & loaded


@pytest.mark.parametrize(
    "figures", ["[]", "[{kind: alpha_by_outcome, n: 10}]"], ids=["tables", "figures"]
)
def test_a_run_loads_nothing_slow_that_it_does_not_need(tmp_path: Path, figures: str) -> None:
    (tmp_path / "small.yaml").write_text(CONFIG.replace("FIGURES", figures))
    loaded = modules_of_command(tmp_path, "run", "small.yaml", "--jobs", "1")
    assert "scipy.special" in loaded
    assert not loaded & set(SLOW)
    assert not {"checks", "report"} & rooms(loaded)
    assert "jinja2" not in loaded
    assert ("matplotlib" in loaded) == (figures != "[]")


def test_maps_and_cells_need_no_plotting_library(tmp_path: Path) -> None:
    code = "import json, sys, harness.report.maps.section, harness.report.sections\n"
    code += "print(json.dumps(list(sys.modules)))"
    assert "matplotlib" not in modules_after(code, tmp_path)
