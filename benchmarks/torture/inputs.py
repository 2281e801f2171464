"""Documents from the schema and files of data, changed: a batch of them in one process.

A batch is a process of its own, ``python -m benchmarks.torture.inputs KIND SEED``, that prints for
each command what is wrong with how it ended.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from benchmarks.fuzz.configs import GOOD, OWN, PLAUSIBLE
from benchmarks.fuzz.outcomes import in_process
from benchmarks.fuzz.values import changed, changed_text, odd, yaml_of
from benchmarks.torture.command import ROOT, Machine
from benchmarks.torture.victims import COVERAGE, STUDY, Prepared, Tried

BATCH = 25
_DEEP = 6

DATA: dict[str, tuple[str, str]] = {
    "rows.csv": ("x,n\n90,100\n5,10\n0,3\n", "interval proportion --rows rows.csv"),
    "cases.csv": (
        "item,right,group\na,1,u\nb,0,u\nc,1,v\nd,1,v\n",
        "interval proportion --rows cases.csv --correct right",
    ),
    "predictions.csv": (
        "y,yhat,s\n1,1,0.9\n0,1,0.6\n1,0,0.4\n0,0,0.1\n1,1,0.8\n",
        "metrics --rows predictions.csv --truth y --prediction yhat --score s",
    ),
    "animals.csv": (
        "is,said\ncat,cat\ndog,cat\ncow,cow\ndog,dog\n",
        "metrics --rows animals.csv --truth is --prediction said",
    ),
    "board.csv": (
        "item,a,b,c\n1,1,0,1\n2,1,1,0\n3,0,0,1\n4,1,0,1\n",
        "leaderboard --rows board.csv --correct a --correct b --correct c",
    ),
    "long.csv": (
        "item,model,correct\n1,a,1\n1,b,0\n2,a,1\n2,b,1\n3,a,0\n3,b,1\n",
        "leaderboard --rows long.csv --key item --by model --correct correct",
    ),
    "estimates.csv": (
        "b,se,method\n0.5,0.1,CC\n0.4,0.2,CC\n0.6,0.1,MI\n0.55,0.12,MI\n",
        "summarize estimates.csv --estimate b --se se --true 0.5 --by method",
    ),
    "lines.jsonl": (
        '{"item": 1, "correct": true}\n{"item": 2, "correct": false}\n',
        "interval proportion --rows lines.jsonl --correct correct",
    ),
}
"""Files of data with the command that reads them."""
_CELLS = ("", "NA", "nan", "inf", "-1", "1e999", "0.5", "yes", "TRUE", "pass", "=1+1", '"', ",",
          ";", "\n", "\r\n", "\0", "\ufeff", "é", "9" * 400, "1,5", "\x1b[31m",
          "\u202e", "x" * 5000)  # fmt: skip


def case(kind: str, rng: random.Random, place: Path, number: int, prepared: Prepared) -> Tried:
    """Try a batch of a kind."""
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from benchmarks.torture.inputs import "
    ending = Machine(place, prepared.top).run(
        "-c", f"{code}main; main()", str(ROOT), kind, str(rng.getrandbits(32))
    )
    if ending.code or not ending.out.startswith("["):
        return Tried(f"a batch of {kind}", ending.faults((DONE_ALONE,)) or ["no answer"], BATCH)
    found = json.loads(ending.out)
    return Tried(f"a batch of {kind}", found, BATCH)


DONE_ALONE = 0


def main() -> None:
    """Try a batch in the current folder, and print the faults as a JSON list."""
    kind, seed = sys.argv[1:]
    rng, found = random.Random(int(seed)), []
    Path("own.py").write_text(OWN)
    for place in range(BATCH):
        name, argv = (_document if kind == "yaml" else _data)(rng, place)
        outcome = in_process(argv)
        for fault in outcome.faults():
            content = Path(name).read_bytes()[:1500]
            found.append(f"{' '.join(argv)}\n{fault}\nof {name}: {content!r}")
    print(json.dumps(found))


def _document(rng: random.Random, place: int) -> tuple[str, tuple[str, ...]]:
    """A document of the schema, perhaps with some of it changed."""
    schema = json.loads((ROOT / "configs" / "schema.json").read_text())
    how = rng.random()
    if how < 0.5:
        config = _instance(schema, schema, rng, 0)
        if isinstance(config, dict):
            base = dict(rng.choice([*GOOD, COVERAGE, STUDY]))
            config = {
                **base,
                **{key: config[key] for key in rng.sample(list(config), min(len(config), 3))},
            }
    else:
        config = dict(rng.choice([*GOOD, COVERAGE, STUDY]))
        for key in rng.sample(list(PLAUSIBLE), 2):
            config[key] = rng.choice(PLAUSIBLE[key])
    if rng.random() < 0.6:
        config = changed(config, rng)
    text = yaml_of(config)
    if rng.random() < 0.3:
        text = changed_text(text, rng)
    name = f"config{place}.yaml"
    Path(name).write_bytes(text.encode("utf-8", "surrogatepass"))
    return name, ("run", name, "--dry-run", "--out", "out")


def _instance(part: Any, whole: dict[str, Any], rng: random.Random, depth: int) -> Any:
    """A value that a part of the schema may describe."""
    if not isinstance(part, dict) or depth > _DEEP:
        return odd(rng)
    if "$ref" in part:
        target: Any = whole
        for name in part["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        return _instance(target, whole, rng, depth + 1)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in part:
            return _instance(rng.choice(part[several]), whole, rng, depth + 1)
    if "const" in part or "enum" in part:
        return part["const"] if "const" in part else rng.choice(part["enum"])
    kinds = part.get("type", "object" if "properties" in part else "string")
    kind = rng.choice(kinds) if isinstance(kinds, list) else kinds
    if kind == "object":
        keys = part.get("properties", {})
        needed = set(part.get("required", ()))
        chosen = [key for key in keys if key in needed or rng.random() < 0.3]
        return {key: _instance(keys[key], whole, rng, depth + 1) for key in chosen}
    if kind == "array":
        items = part.get("items", {})
        return [_instance(items, whole, rng, depth + 1) for _ in range(rng.choice([0, 1, 2, 3]))]
    simple = {"boolean": (True, False), "null": (None,), "integer": (0, 1, 5, 10**9, -1)}
    return rng.choice(
        simple.get(kind, (0.05, 0.5, 1.0, 3, 1e300) if kind == "number" else ("a", "x/y"))
    )


def _data(rng: random.Random, place: int) -> tuple[str, tuple[str, ...]]:
    """A file of data with some of it changed, and the command that reads it."""
    name = rng.choice(list(DATA))
    text, command = DATA[name]
    lines = [line.split(",") for line in text.splitlines()]
    for _ in range(rng.choice([1, 1, 2, 5])):
        row = rng.choice(lines)
        row[rng.randrange(len(row))] = rng.choice(_CELLS)
    text = "\n".join(",".join(row) for row in lines)
    if rng.random() < 0.4:
        text = changed_text(text, rng)
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    if content and rng.random() < 0.2:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    Path(name).write_bytes(bytes(content))
    form = rng.choice([(), (), ("--format", "json"), ("--format", "csv")])
    return name, (*command.split(), *form)
