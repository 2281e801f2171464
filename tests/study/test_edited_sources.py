"""A result is that of the files as they are: an edit of any file that a function loads is seen."""

import importlib
from pathlib import Path

import pytest

import harness
from harness.base.errors import InputError
from harness.kinds.load import load_experiment
from harness.kinds.run import merge_parts, run_part
from harness.runner.parts import Part, find_parts
from harness.runner.workload import Progress

MEAN = "def mean(data, alpha):\n    return data - 1, data + 1\n"
DRAW = "def draw(rng):\n    return shift() + rng.random()\n"
SHIFT = "def shift():\n    return 0\n"
EDITED = SHIFT.replace("0", "10")
R_DRAW = "draw <- function() shift() + runif(1)\nmean <- function(data, alpha) data + c(-1, 1)\n"
R_SHIFT = "shift <- function() 0\n"

STUDIES = {
    "a function object": ("module", {"helpers.py": SHIFT + DRAW + MEAN}, "helpers.py"),
    "the init of a package": (
        "path",
        {
            "study.py": "from parcel.inner import shift\n" + DRAW + MEAN,
            "parcel/__init__.py": SHIFT,
            "parcel/inner.py": "from . import shift\n",
        },
        "parcel/__init__.py",
    ),
    "a module of the path": (
        "path",
        {"study.py": "from beside import shift\n" + DRAW + MEAN, "libraries/beside.py": SHIFT},
        "libraries/beside.py",
    ),
    "an installed package": (
        "path",
        {
            "study.py": "from installed import shift\n" + DRAW + MEAN,
            "site-packages/installed.py": "from importlib.metadata import version\n"
            "def shift():\n    return int(version('installed'))\n",
            "site-packages/installed-0.dist-info/METADATA": "Name: installed\nVersion: 0\n",
            "site-packages/installed-0.dist-info/top_level.txt": "installed\n",
        },
        "site-packages/installed-0.dist-info/METADATA",
    ),
    "a file that R reads": (
        "r",
        {"study.R": 'source(file.path("lib", "shift.R"))\n' + R_DRAW, "lib/shift.R": R_SHIFT},
        "lib/shift.R",
    ),
}
"""How functions are named, the files of a study, and the one that is edited."""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def edit(file: Path) -> None:
    """Let the functions shift the data by 10."""
    text = file.read_text()
    for before in ("return 0", ") 0", "Version: 0"):
        text = text.replace(before, before.replace("0", "10"))
    file.write_text(text)


def study(folder: Path, named: str = "path") -> dict:
    """A study of the files in a folder."""
    if named == "module":
        module = importlib.import_module("helpers")
        functions = {"model": module.draw, "methods": [module.mean]}
    else:
        place = {"r": "study.R"} if named == "r" else {"path": "study.py"}
        place = {key: str(folder / file) for key, file in place.items()}
        functions = {
            "model": {**place, "function": "draw"},
            "methods": [{**place, "function": "mean"}],
        }
    return {
        "kind": "simulation",
        "name": "study",
        **functions,
        "estimand": 0.5,
        "trials": {"per_scenario": 4},
        "seed": 1,
        "execution": {"jobs": 1},
        "figures": [],
    }


def covered(results: harness.Results) -> float:
    return results.summary.filter(measure="coverage")["estimate"][0]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder that is on the path with its subfolders of libraries."""
    for folder in ("libraries", "site-packages", "."):
        monkeypatch.syspath_prepend(tmp_path / folder)
    monkeypatch.delitem(importlib.sys.modules, "helpers", raising=False)
    return tmp_path


@pytest.mark.parametrize("case", STUDIES)
def test_an_edited_file_makes_trials_anew(case, place):
    named, files, edited = STUDIES[case]
    write(place, files)
    config = study(place, named)
    assert covered(harness.run(config, out=place / "out")) == 1.0
    assert harness.run(config, out=place / "out").calls == {}
    edit(place / edited)
    assert covered(harness.run(config, out=place / "out")) == 0.0


INTERVAL = (
    "import numpy as np\n"
    "from beside import shift\n"
    "def mine(x, n, alpha, rng):\n"
    "    width = 0.1 + shift() + 0.01 * rng.random(np.shape(x))\n"
    "    return np.clip(x / n - width, 0, 1), np.clip(x / n + width, 0, 1)\n"
)


def drawing(folder: Path, **method: str) -> dict:
    """Coverage of a method that draws its limits."""
    return {
        "name": "drawing",
        "family": "proportion",
        "n": 5,
        "methods": [{"path": str(folder / "mine.py"), "function": "mine", **method}],
        "truth": {"values": [0.5]},
        "trials": {"per_truth": 50},
        "engines": ["monte_carlo"],
        "seed": 1,
        "execution": {"jobs": 1},
        "figures": [],
    }


def test_an_edited_module_makes_drawn_limits_anew(place):
    write(place, {"mine.py": INTERVAL, "libraries/beside.py": SHIFT})
    narrow = harness.run(drawing(place), out=place / "out").summary["mean_length"][0]
    edit(place / "libraries/beside.py")
    wide = harness.run(drawing(place), out=place / "out").summary["mean_length"][0]
    assert narrow < 0.5 < wide


def test_parts_before_and_after_an_edit_are_not_merged(place):
    named, files, edited = STUDIES["a module of the path"]
    write(place, files)
    experiment = load_experiment(study(place, named))
    run_part(experiment, Part(1, 2), place / "parts", Progress())
    edit(place / edited)
    run_part(experiment, Part(2, 2), place / "parts", Progress())
    (parts,) = find_parts([place / "parts"]).values()
    with pytest.raises(InputError, match=r"part-1-of-2.*part-2-of-2.* files of model and "):
        merge_parts(parts, place / "merged", Progress(), say=print)


SAVED = "from pathlib import Path\nfile = Path(__file__)\n"
SAVE = "file.write_text(file.read_text().replace('return ' + '0', 'return 10'))\n"


def test_a_file_that_is_saved_while_it_is_loaded_has_no_old_records(place):
    text = INTERVAL.replace("from beside import shift\n", SHIFT) + SAVED + SAVE
    write(place, {"mine.py": text})
    lengths = [
        harness.run(drawing(place), out=place / "out").summary["mean_length"][0] for _ in range(2)
    ]
    assert min(lengths) > 0.5


@pytest.mark.parametrize("kind", ["simulation", "coverage"])
def test_a_file_that_is_saved_during_the_run_is_named(kind, place):
    if kind == "simulation":
        text = SAVED + SHIFT + DRAW.replace("    ", "    " + SAVE + "    ", 1) + MEAN
        write(place, {"study.py": text})
        config = study(place)
    else:
        text = INTERVAL.replace("from beside import shift\n", SAVED + SHIFT)
        write(place, {"mine.py": text.replace("    width", f"    {SAVE}    width")})
        config = drawing(place)
    with pytest.raises(InputError, match=r"\.py has changed since the run began"):
        harness.run(config, out=place / "out")
    assert not (place / "out" / config["name"] / "summary.csv").exists()
    if kind == "simulation":
        assert covered(harness.run(config, out=place / "out")) == 0.0


def test_a_study_without_a_journal_ends_after_the_round_in_which_a_file_is_saved(place):
    count = "with open(file.parent / 'calls', 'a') as calls:\n        calls.write('x')\n"
    text = SAVED + SHIFT + DRAW.replace("    ", f"    {SAVE}    {count}    ", 1)
    write(place, {"study.py": text + MEAN.replace("1", "0.3")})
    trials = {"mcse": {"coverage": 1e-9}, "max": 5000}
    with pytest.raises(InputError, match=r"\.py has changed since the run began"):
        harness.run({**study(place), "trials": trials}, out=None)
    assert len((place / "calls").read_text()) < 2000


R_INTERVAL = (
    'source("shift.R")\n'
    "mine <- function(x, n, alpha) "
    "c(max(0, x / n - 0.1 - shift()), min(1, x / n + 0.1 + shift()))\n"
)


def in_r(folder: Path) -> dict:
    """Coverage of a method of R in a file that reads another one."""
    method = {"r": f"{folder / 'mine.R'}::mine", "label": "mine"}
    return {**drawing(folder), "methods": [method]}


def test_the_files_of_a_method_of_r_have_a_digest(place):
    write(place, {"mine.R": R_INTERVAL, "shift.R": R_SHIFT})
    before = harness.run(in_r(place), out=None).manifest["content_hash"]
    edit(place / "shift.R")
    after = harness.run(in_r(place), out=None).manifest["content_hash"]
    assert before != after


def test_a_file_of_r_that_is_saved_during_the_run_is_named(place):
    saved = R_INTERVAL.replace("c(max", f'{{writeLines("", "{place / "shift.R"}"); c(max') + "}\n"
    write(place, {"mine.R": saved, "shift.R": R_SHIFT})
    with pytest.raises(InputError, match=r"shift\.R has changed since the run began"):
        harness.run(in_r(place), out=None)
