"""The action, the hooks and the script of a release: their steps are run as they are written."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

import harness
from harness.cli import main

ROOT = Path(harness.__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step.get("id"): step for step in ACTION["runs"]["steps"]}
PAGE = (ROOT / "docs/checking.md").read_text("utf-8")
BLOCKS = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None, reason="the steps are written for bash"
)


def run_step(name, folder, python, **inputs):
    """Run a step of the action as a workflow does, with a Python on the path.

    Args:
        name: the step.
        folder: the working folder.
        python: the folder of the programs of Python.
        inputs: of the action; those left out have their defaults.
    """
    values = {key: given["default"] for key, given in ACTION["inputs"].items()} | inputs
    contexts = {f"inputs.{key}": value for key, value in values.items()}
    contexts["github.action_path"] = str(folder / "source")
    step = STEPS[name]
    variables = {
        key: re.sub(r"\$\{\{ (.+?) \}\}", lambda found: contexts[found[1]], text)
        for key, text in step.get("env", {}).items()
    }
    (folder / "temp").mkdir(exist_ok=True)
    runner = {
        "RUNNER_TEMP": str(folder / "temp"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PATH": f"{python}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **runner, **variables},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def programs(tmp_path):
    """A folder with ``python``, the one of these tests, which finds this package."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} "$@"\n'
    (folder / "python").write_text(script)
    (folder / "python").chmod(0o755)
    return folder


def test_values_of_a_workflow_reach_scripts_in_variables_alone():
    assert not [name for name, step in STEPS.items() if "${{" in step.get("run", "")]


@pytest.mark.slow
def test_a_check_that_passes_writes_the_summary_and_the_page(tmp_path, programs):
    done = run_step("run", tmp_path, programs, check='wilson --grid "n=10;alpha=0.05"')
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout
    assert "wilson" in (tmp_path / "summary.md").read_text()
    assert "</html>" in (tmp_path / "temp/coverage-check/check.html").read_text()
    kept = STEPS["keep"]
    assert (kept["if"], kept["with"]["path"]) == ("always()", "${{ runner.temp }}/coverage-check/")


@pytest.mark.slow
def test_a_check_that_fails_fails_the_step_after_its_summary(tmp_path, programs):
    (tmp_path / "my.py").write_text("def f(x, n, alpha):\n    return x / n, x / n\n")
    done = run_step("run", tmp_path, programs, check='my.py:f --grid "n=10;alpha=0.05"')
    assert done.returncode == 3
    assert "FAIL" in (tmp_path / "summary.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("se", "code"), [(0.1, 0), (0.05, 3)])
def test_estimates_are_held_against_a_contract(tmp_path, programs, se, code):
    values = np.random.default_rng(1).normal(0.5, 0.1, 4000)
    rows = "\n".join(f"{value},{se}" for value in values)
    (tmp_path / "estimates.csv").write_text(f"b,se\n{rows}\n")
    arguments = BLOCKS[1][1]["with"]["summarize"]
    done = run_step("run", tmp_path, programs, summarize=arguments)
    assert done.returncode == code, done.stderr
    verdict = "FAIL nominal" if code else "PASS nominal"
    assert verdict in done.stdout
    assert verdict in (tmp_path / "summary.md").read_text()


def test_without_an_input_the_step_says_what_is_missing(tmp_path, programs):
    done = run_step("run", tmp_path, programs)
    assert (done.returncode, done.stderr) == (
        2,
        "expected the input check or summarize, found neither\n",
    )


@pytest.mark.slow
def test_the_action_installs_the_wheel_of_its_repository(tmp_path):
    """The dependencies are those of these tests: an index is asked for the build alone."""
    files = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "harness",
            "configs",
            "*.toml",
            "setup.py",
            "README.md",
            "LICENSE",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stdout
    if not files:
        pytest.skip("no checkout with git")
    for name in files.strip("\0").split("\0"):
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "source" / name)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("PIP_NO_DEPS", "1")
        changed.delenv("PYTHONPATH", raising=False)
        done = run_step("install", tmp_path, tmp_path / "venv/bin")
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "temp/wheel").glob("coverage_harness-*.whl"))
    shown = subprocess.run(
        [tmp_path / "venv/bin/python", "-m", "pip", "list"], capture_output=True, text=True
    )
    assert f"coverage-harness {harness.__version__}" in " ".join(shown.stdout.split())


def test_the_page_names_inputs_and_hooks_that_there_are(tmp_path, monkeypatch, capsys):
    for step in BLOCKS[1]:
        assert set(step["with"]) <= set(ACTION["inputs"])
    hooks = {
        hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    }
    (hook,) = BLOCKS[2]["repos"][0]["hooks"]
    assert hook["args"][0].startswith(hook["files"])
    monkeypatch.chdir(tmp_path)
    for each in hooks.values():
        program, command = shlex.split(each["entry"])
        assert program == "harness"
        assert main([command, "--help"]) == 0
    assert hooks[hook["id"]]["entry"] == "harness check"


# A release.


@pytest.fixture
def release(tmp_path):
    """Runs the script of a release in a copy whose distributions are two small files."""
    for name in ("harness/__init__.py", "CITATION.cff", "CHANGELOG.md", ".ci/release"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    stub = "#!/bin/sh\nmkdir -p dist\necho a > dist/a.tar.gz\necho b > dist/a.whl\n"
    (tmp_path / ".ci/distributions").write_text(stub)
    (tmp_path / ".ci/distributions").chmod(0o755)

    def run(tag):
        command = [tmp_path / ".ci/release", tag]
        return subprocess.run(command, capture_output=True, text=True, cwd="/")

    return run


def test_a_tag_of_the_version_builds_distributions_with_their_checksums(release, tmp_path):
    version = harness.__version__
    refused = release(f"v{version}")
    assert refused.stderr == f"CHANGELOG.md has no heading ## [{version}]\n"
    log = tmp_path / "CHANGELOG.md"
    log.write_text(log.read_text("utf-8").replace("[Unreleased]", f"[{version}] - 2026-01-31", 1))
    done = release(f"v{version}")
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "dist/SHA256SUMS").read_text().splitlines()
    assert [line.split()[1] for line in lines] == ["a.tar.gz", "a.whl"]


def test_a_tag_of_another_version_is_refused(release, tmp_path):
    refused = release("v9.9.9")
    assert refused.returncode == 1
    assert "is not v" in refused.stderr
    assert not (tmp_path / "dist").exists()


def test_the_page_of_a_release_is_short():
    assert len((ROOT / "RELEASING.md").read_text("utf-8").splitlines()) <= 40
