"""Whether a change of the code leaves everything that a person sees as it was, byte for byte.

    python -m benchmarks.frozen record FILE [--only PREFIX ...]
    python -m benchmarks.frozen compare FILE [--only PREFIX ...]

``record`` writes the SHA-256 of each output to FILE, and the outputs to the folder FILE.d beside
it; with prefixes it adds to what is recorded there. ``compare`` makes the outputs again with the
code of the working folder and names those that differ. Outputs are called ``tables/…``,
``figures/…``, ``report/…``, ``keys/…``, ``printed/…``, ``help/…``, ``pages/…`` and
``messages/…``; a prefix restricts what is made to the parts it names.
What is run stands in ``frozen_inputs.yaml``.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path.cwd()
INPUTS = Path(__file__).with_name("frozen_inputs.yaml")
ENVIRONMENT = {
    "COLUMNS": "100",
    "LINES": "40",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
    "MPLBACKEND": "agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONSAFEPATH": "1",
    "PYTHONHASHSEED": "0",
}
"""What the looks of the output depend on, apart from the code."""

Output = tuple[str, bytes]
Wanted = Callable[[str], bool]
LINES_SHOWN = 20


def _main() -> Callable[[list[str]], int]:
    """The command line of the package under test; nothing else of it is imported but this."""
    from harness.cli import main

    return main


def _generated_pages() -> Mapping[str, str]:
    """The generated pages of the documentation, by their places."""
    sys.path.append(str(ROOT / "docs" / "_hooks"))
    from handbook.generated import pages

    return pages()


# What two computations of the same thing need not share.
UNSTABLE = (
    (re.compile(r"\b[0-9a-f]{40}\b"), "<commit>"),
    (re.compile(r'"engines": "[0-9a-f]+"'), '"engines": "<sources>"'),
    (re.compile(r'"program": "[0-9a-f]{64}"'), '"program": "<sources>"'),
    (re.compile(r'"sources": "[0-9a-f]{12}"'), '"sources": "<sources>"'),
    (re.compile(r'"source": "[0-9a-f]{64}"'), '"source": "<source>"'),
    (re.compile(r'\["[0-9a-f]{32}", ""\]'), '["<sources>", ""]'),
    (re.compile(r'("seconds"(?:: |:))[0-9.e-]+'), r"\1<seconds>"),
    (re.compile(r"\b[0-9][0-9.,]* (?:s|ms|seconds)\b"), "<seconds>"),
)


def normalised(text: str) -> bytes:
    """Text without the places of folders, the commit, the digest of the sources and the time."""
    for folder, name in ((Path.cwd(), "<work>"), (ROOT, "<root>")):
        text = text.replace(str(folder), name)
    for pattern, name in UNSTABLE:
        text = pattern.sub(name, text)
    return text.encode()


class Hashed:
    """The texts of JSON that a part of a run hashes: keys of random streams and of records."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        for name in ("sha256", "blake2b"):
            setattr(hashlib, name, self._noting(getattr(hashlib, name)))

    def _noting(self, digest: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*data: Any, **options: Any) -> Any:
            if data and bytes(data[0][:2]) == b'{"':
                self.texts.add(bytes(data[0]).decode())
            return digest(*data, **options)

        return noting


def typed(words: list[str]) -> bytes:
    """The exit code of a command line, and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _main()(words)
    shown = shlex.join(words)
    return normalised(f"$ {shown}\nexit {code}\n--- out\n{out.getvalue()}--- err\n{err.getvalue()}")


def runs(inputs: Mapping[str, Any], wanted: Wanted, hashed: Hashed) -> Iterator[Output]:
    """Tables, figures, printed lines, keys and some pages of a small run of each config."""
    configs = {
        str(file.relative_to(ROOT / "configs").with_suffix("")): file
        for file in sorted((ROOT / "configs").rglob("*.yaml"))
    }
    for name, file in configs.items():
        reported = name in inputs["reports"]
        parts = ["tables", "figures", "keys", "printed/run", *(["report"] if reported else [])]
        if not any(wanted(f"{part}/{name}") for part in parts):
            continue
        hashed.texts.clear()
        settings = [f"--set={each}" for each in _settings(file, inputs["runs"].get(name, []))]
        words = ["run", str(file), "--jobs", "1", *settings, *(["--report"] if reported else [])]
        yield f"printed/run/{name}", typed(words)
        yield f"keys/{name}", normalised("\n".join(sorted(hashed.texts)) + "\n" + _journal(name))
        yield from _files_of(name)


def _settings(file: Path, more: list[str]) -> list[str]:
    """Few trials in place of those of a config, and what makes it small besides."""
    trials = yaml.safe_load(file.read_text("utf-8")).get("trials")
    if trials is None:
        return more
    if isinstance(trials, int):
        return ["trials=500", *more]
    if "max" in trials:
        return ["trials={half_width: 0.2, max: 1024}", *more]
    return [f"trials={{{next(iter(trials))}: 40}}", *more]


def _files_of(name: str) -> Iterator[Output]:
    folder = Path("results", name)
    for path in sorted(folder.rglob("*")):
        place = f"{name}/{path.relative_to(folder)}"
        if not path.is_file() or path.name in ("run.json", "journal.sqlite", ".lock"):
            continue
        if path.name == "report.html":
            yield f"report/{name}.html", normalised(path.read_text("utf-8"))
        elif path.parent.name == "figures":
            yield f"figures/{name}/{path.name}", path.read_bytes()
        elif path.suffix == ".parquet":
            yield f"tables/{place}", path.read_bytes()
        else:
            yield f"tables/{place}", normalised(path.read_text("utf-8"))


def _journal(name: str) -> str:
    """The records of a run's journal, without their keys, which hash the sources too."""
    if not Path(f"results/{name}/journal.sqlite").exists():
        return ""
    with contextlib.closing(sqlite3.connect(f"results/{name}/journal.sqlite")) as journal:
        rows = journal.execute("SELECT start, stop, columns, content FROM records").fetchall()
    lines = [f"{a} {b} {c} {hashlib.sha256(d).hexdigest()}" for a, b, c, d in rows]
    return "\n".join(sorted(lines)) + "\n"


def commands(inputs: Mapping[str, Any], wanted: Wanted) -> Iterator[Output]:
    """What commands print, and the files that they write; those of a group follow one another."""
    for group, block in inputs["commands"].items():
        if not wanted(f"printed/{group}") and not wanted(f"report/{group}"):
            continue
        with _folder(group):
            for name, text in block.get("files", {}).items():
                Path(name).write_text(text, encoding="utf-8")
            given = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
            for number, line in enumerate(block["lines"], start=1):
                yield f"printed/{group}/{number:02d}", typed(shlex.split(line))
            for path in sorted(Path().rglob("*")):
                if path.is_file() and path.read_bytes() != given.get(path):
                    yield from _written(group, path)


def _written(group: str, path: Path) -> Iterator[Output]:
    if path.suffix == ".html":
        yield f"report/{group}/{path}", normalised(path.read_text("utf-8"))
    elif path.suffix in (".yaml", ".csv", ".json", ".md", ".tex") and path.name != "run.json":
        yield f"printed/{group}/{path}", normalised(path.read_text("utf-8"))
    elif path.suffix in (".png", ".svg"):
        yield f"printed/{group}/{path}", path.read_bytes()


def helps(inputs: Mapping[str, Any]) -> Iterator[Output]:
    """What ``--help`` prints of each command."""
    yield "help/harness", typed(["--help"])
    for command in inputs["help"]:
        yield f"help/{command}", typed([command, "--help"])


def messages(inputs: Mapping[str, Any]) -> Iterator[Output]:
    """What is said of wrong configs and wrong commands."""
    with _folder("messages"):
        for number, (changes, without) in enumerate(inputs["changes"], start=1):
            lines = {k: v for k, v in inputs["right"].items() if k not in without.split()}
            lines.update({change.split(":")[0]: change for change in changes})
            yield f"messages/change_{number:03d}", _said_of("\n".join(lines.values()) + "\n", [])
        for number, (text, overrides) in enumerate(inputs["configs"], start=1):
            yield f"messages/config_{number:03d}", _said_of(text, overrides)
        for number, line in enumerate(inputs["wrong"], start=1):
            yield f"messages/command_{number:03d}", typed(shlex.split(line))


def _said_of(text: str, overrides: list[str]) -> bytes:
    Path("fig.yaml").write_text(text, encoding="utf-8", newline="")
    said = typed(["run", "fig.yaml", "--dry-run", *(f"--set={each}" for each in overrides)])
    return text.encode() + b"---\n" + said


def pages() -> Iterator[Output]:
    """The generated pages of the documentation."""
    for place, text in _generated_pages().items():
        yield f"pages/{place}", normalised(text)


def outputs(wanted: Wanted) -> Iterator[Output]:
    """Everything that is held, with its name."""
    hashed = Hashed()
    inputs = yaml.safe_load(INPUTS.read_text("utf-8"))
    yield from runs(inputs, wanted, hashed)
    yield from commands(inputs, wanted)
    if wanted("help"):
        yield from helps(inputs)
    if wanted("messages"):
        yield from messages(inputs)
    if wanted("pages"):
        yield from pages()


@contextlib.contextmanager
def _folder(name: str) -> Iterator[None]:
    """A working folder of that name within the present one."""
    Path(name).mkdir()
    with contextlib.chdir(name):
        yield


def _selected(only: Iterable[str]) -> Iterator[Output]:
    """The outputs of these prefixes, made in a temporary folder."""
    prefixes = tuple(only) or ("",)

    def wanted(part: str) -> bool:
        return any(part.startswith(each) or each.startswith(part) for each in prefixes)

    with tempfile.TemporaryDirectory(prefix="frozen-") as folder, contextlib.chdir(folder):
        yield from ((name, data) for name, data in outputs(wanted) if name.startswith(prefixes))


def record(file: Path, only: list[str]) -> int:
    """Write the digests of outputs to a file, and the outputs beside it."""
    raw = file.with_name(f"{file.name}.d")
    digests: dict[str, str] = {}
    if only:
        digests = json.loads(file.read_text("utf-8"))
    else:
        shutil.rmtree(raw, ignore_errors=True)
    for name, data in _selected(only):
        digests[name] = hashlib.sha256(data).hexdigest()
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        (raw / name).write_bytes(data)
    file.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
    print(f"{len(digests)} outputs are recorded in {file}")
    return 0


def compare(file: Path, only: list[str]) -> int:
    """Print each output that is not as recorded; return 1 if there is one."""
    recorded = json.loads(file.read_text("utf-8"))
    expected = {
        name: digest for name, digest in recorded.items() if name.startswith(tuple(only) or "")
    }
    different = 0
    count = 0
    for name, data in _selected(only):
        count += 1
        digest = expected.pop(name, None)
        if digest == hashlib.sha256(data).hexdigest():
            continue
        different += 1
        print(f"{name}: {'is new' if digest is None else 'differs'}")
        if digest is not None:
            _show(file.with_name(f"{file.name}.d") / name, data)
    for name in expected:
        print(f"{name}: is no longer made")
    different += len(expected)
    print(f"{count} outputs, {different} of them not as recorded")
    return 1 if different else 0


def _show(former: Path, data: bytes) -> None:
    """Print the first lines of the difference between two texts."""
    try:
        texts = (former.read_text("utf-8").splitlines(), data.decode().splitlines())
    except (OSError, UnicodeDecodeError):
        return
    lines = list(difflib.unified_diff(*texts, "recorded", "now", lineterm="", n=1))
    for line in lines[:LINES_SHOWN]:
        print(f"    {line[:200]}")
    if len(lines) > LINES_SHOWN:
        print(f"    … {len(lines) - LINES_SHOWN} more lines")


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frozen")
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="+", default=[], metavar="PREFIX")
    given = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    file = given.file.absolute()
    return record(file, given.only) if given.action == "record" else compare(file, given.only)


if __name__ == "__main__":
    sys.exit(main())
