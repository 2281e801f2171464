"""Logs of evaluation harnesses as tables with a row for each scored item of a model.

A log is known by its structure, whatever its name is. Its table has the columns ``item``, ``model``
and ``correct`` beside what the log has itself.

References:
    lm-evaluation-harness, ``lm_eval/evaluator.py`` (samples of ``--log_samples``); Inspect,
    ``inspect_ai.log`` (``EvalLog`` as JSON, or an archive of ``header.json`` and ``samples/``);
    promptfoo, ``EvaluateResult`` (``promptfoo eval --output``).
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.base.files import read_bytes, read_text
from harness.base.text import enumerated, first_few
from harness.families.csv_rows import (
    CORRECT,
    ITEM,
    MODEL,
    RECORDS,
    CsvTable,
    LogColumns,
    table_of_records,
)

_Records = Mapping[int, Mapping[str, Any]]

_SAMPLE_FIELDS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash"),
    *("prompt_hash", "target_hash", "task_name", "metrics"),
}
"""What a sample of lm-evaluation-harness has beside its metrics."""
_NAME_OF_SAMPLES = re.compile(r"samples_.+_\d{4}-\d\d-\d\dT")
_SUBJECTS = ("subject", "category", "topic")
_WORDS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "true": 1.0, "pass": 1.0}
_WORDS |= {"no": 0.0, "false": 0.0, "fail": 0.0}
"""Scores that are words: of Inspect correct, partial, incorrect and no answer."""


def model_names(files: Sequence[Path]) -> list[str]:
    """Return names of the models that files are of, where they do not say it themselves.

    It is the file's name without its ending; or that of its folder, where the file's name is one
    that lm-evaluation-harness gives, or not unique.
    """
    stems = [file.stem for file in files]
    return [
        file.absolute().parent.name
        if stems.count(file.stem) > 1 or _NAME_OF_SAMPLES.match(file.stem)
        else file.stem
        for file in files
    ]


def read_log(file: Path, model: str) -> CsvTable | None:
    """Return the table of a log; None where the file is none.

    Args:
        file: of any name.
        model: the name of the model where the log does not say it.

    Raises:
        InputError: it cannot be read, or is a log without scores, or with a record that is none.
    """
    try:
        return _read_log(file, model)
    except (AttributeError, KeyError, TypeError) as fault:
        raise InputError(f"{file} has a record that is not like the others: {fault}") from None


def _read_log(file: Path, model: str) -> CsvTable | None:
    raw = read_bytes(file)
    if raw.startswith(b"PK\x03\x04"):
        header, samples = _archive(file, raw)
        return _inspect(file, header, samples)
    if raw[:100].removeprefix(BOM_UTF8).lstrip()[:1] not in (b"{", b"["):
        return None
    text = read_text(file).strip()
    first, _, rest = text.partition("\n")
    try:
        content = json.loads(first)
    except (ValueError, RecursionError):
        rest = ""
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            return None
    if isinstance(content, list) and content and isinstance(content[0], dict):
        records: _Records = dict(enumerate(content, 1))
        head = content[0]
    elif isinstance(content, dict):
        inner = content.get("results")
        results = inner.get("results") if isinstance(inner, dict) else None
        if isinstance(results, list) and results and all(map(_is_result, results)):
            return _promptfoo(file, dict(enumerate(results, 1)))
        spec = content.get("eval")
        if isinstance(spec, dict) and "model" in spec and "task" in spec:
            return _inspect(file, content, content.get("samples") or ())
        records, head = {1: content}, content
    else:
        return None
    if not (_is_sample(head) or _is_result(head)):
        return None
    if rest:
        records = dict(RECORDS[".jsonl"](file))
    return _lm_evaluation(file, records, model) if _is_sample(head) else _promptfoo(file, records)


def _is_sample(record: Any) -> bool:
    """Whether a record is a sample of lm-evaluation-harness."""
    return isinstance(record, dict) and {"doc_id", "filtered_resps"} <= record.keys()


def _is_result(record: Any) -> bool:
    """Whether a record is a result of promptfoo."""
    return isinstance(record, dict) and {"success", "promptIdx"} <= record.keys()


def _score(value: Any) -> float | None:
    """The number that a score is, or None where it is none."""
    if isinstance(value, str):
        try:
            value = _WORDS.get(value.lower(), value)
            value = float(value)
        except ValueError:
            return None
    is_number = isinstance(value, bool | int | float) and math.isfinite(value)
    return float(value) if is_number else None


def _subject(*places: Any) -> dict[str, str]:
    """The subject of an item, from the first of some mappings that has one."""
    for place in places:
        for name in _SUBJECTS:
            if isinstance(place, dict) and isinstance(place.get(name), str | int):
                return {"subject": str(place[name])}
    return {}


def _table(
    file: Path,
    what: str,
    item: str,
    records: _Records,
    scores: Mapping[str, Sequence[Any]],
    variants: str = "",
) -> CsvTable:
    """The table of records, with the first score that is 0 or 1 throughout as ``correct``.

    Args:
        file: of the log.
        what: the kind of the log, in words.
        item: what of the log names the item.
        records: by their lines.
        scores: the score of each record, by name.
        variants: the column by which one answer has several scores.
    """
    numbers = {name: list(map(_score, values)) for name, values in scores.items()}
    score_columns = {
        name: values for name, values in numbers.items() if any(v is not None for v in values)
    }
    if not score_columns:
        raise InputError(f"{file} is read as {what} and has no scores")
    binary = [name for name, values in score_columns.items() if {*values} <= {0.0, 1.0, None}]
    chosen = binary[0] if binary else ""
    rows: dict[int, dict[str, Any]] = {}
    for place, (line, record) in enumerate(records.items()):
        row = dict(record) | {name: values[place] for name, values in score_columns.items()}
        rows[line] = {**row, CORRECT: score_columns[chosen][place]} if chosen else row
    table = table_of_records(file, "sample", rows)
    columns = [
        f"{ITEM} ({item})",
        MODEL,
        *(name for name in ("subject", "epoch") if name in table.names),
    ]
    others = [name for name in score_columns if name != chosen]
    also = f"; other scores: {first_few(others)}" if others else ""
    said = (
        f"{what}, with the columns {', '.join(columns)} and {CORRECT} ({chosen}{also})"
        if chosen
        else f"{what}, with the columns {enumerated(columns)}, and has no score that is 0 or 1 "
        f"throughout (`interval mean --values {others[0]}` takes others)"
    )
    return replace(table, log=LogColumns(said, CORRECT if chosen else "", variants))


def _lm_evaluation(file: Path, records: _Records, model: str) -> CsvTable:
    """The table of samples, which do not name their model."""
    every = list(records.values())
    names = every[0].get("metrics")
    if not isinstance(names, list):
        names = [name for name in every[0] if name not in _SAMPLE_FIELDS]
    rows = {
        line: {**record, ITEM: record["doc_id"], MODEL: model, **_subject(record.get("doc"))}
        for line, record in records.items()
    }
    scores = {str(name): [record.get(name) for record in every] for name in names}
    several = len({str(record.get("filter")) for record in every}) > 1
    what = "samples of lm-evaluation-harness"
    return _table(file, what, "doc_id", rows, scores, "filter" if several else "")


def _inspect(file: Path, header: Mapping[str, Any], samples: Sequence[Any]) -> CsvTable:
    """The table of a log of Inspect, with a column for each scorer."""
    what = "a log of Inspect"
    spec = header["eval"]
    rows: dict[int, dict[str, Any]] = {}
    of_samples: list[dict[str, Any]] = []
    for place, sample in enumerate(samples, 1):
        rows[place] = {
            ITEM: sample["id"],
            MODEL: spec["model"],
            "task": spec.get("task"),
            "epoch": sample.get("epoch", 1),
            **_subject(sample.get("metadata")),
        }
        sample_scores: dict[str, Any] = {}
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value") if isinstance(score, dict) else score
            parts = value if isinstance(value, dict) else {"": value}
            sample_scores |= {
                f"{scorer}.{part}" if part else scorer: v for part, v in parts.items()
            }
        of_samples.append(sample_scores)
    names = dict.fromkeys(name for sample_scores in of_samples for name in sample_scores)
    scores = {name: [sample_scores.get(name) for sample_scores in of_samples] for name in names}
    return _table(file, what, "id of the sample", rows, scores)


def _archive(file: Path, raw: bytes) -> tuple[Mapping[str, Any], list[Any]]:
    """The header and the samples of an archive of Inspect."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(raw))
        names = archive.namelist()
        starts = ("header.json", "_journal/start.json", "start.json")
        start = next((name for name in starts if name in names), None)
        if start is None:
            raise InputError(f"{file}: expected a log of Inspect in the archive, found no header")
        header = json.loads(archive.read(start))
        inside = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
        samples = [json.loads(archive.read(name)) for name in inside]
    except NotImplementedError:
        raise InputError(
            f"{file} is compressed in a way that this Python does not read (Zstandard, from 3.14 "
            "on); `inspect log convert --to json` writes a log that is read"
        ) from None
    except (zipfile.BadZipFile, ValueError, RuntimeError) as error:
        raise InputError(f"{file}: no log of Inspect, {error}") from None
    if "model" not in header.get("eval", {}):
        raise InputError(f"{file}: no log of Inspect, its header names no model")
    samples.sort(key=lambda sample: (sample.get("epoch", 1), str(sample["id"])))
    return header, samples


def _promptfoo(file: Path, records: _Records) -> CsvTable:
    """The table of results, of which those of the same test are repetitions.

    A model is a provider, with the number of its prompt where it has several. A result that ends
    with an error has no score.
    """
    prompts: dict[str, set[Any]] = {}
    labels = []
    for record in records.values():
        provider = record.get("provider") or {}
        if isinstance(provider, dict):
            provider = provider.get("label") or provider.get("id") or "provider"
        labels.append(str(provider))
        prompts.setdefault(str(provider), set()).add(record["promptIdx"])
    rows: dict[int, dict[str, Any]] = {}
    tests: dict[str, Any] = {}
    right, scores = [], []
    for (line, record), label in zip(records.items(), labels, strict=True):
        case = record.get("testCase") or {}
        same = [record.get("vars"), case.get("vars"), case.get("assert"), case.get("description")]
        # Repetitions of a test have numbers of their own.
        number = record.get("testIdx", line)
        text = json.dumps(same, sort_keys=True, default=str) if any(same) else str(number)
        variant = f" prompt {record['promptIdx']}" if len(prompts[label]) > 1 else ""
        rows[line] = {
            ITEM: tests.setdefault(text, number),
            MODEL: label + variant,
            **_subject(record.get("vars"), case.get("metadata"), record.get("metadata")),
        }
        failed = record.get("failureReason") == 2
        right.append(None if failed else record["success"])
        scores.append(None if failed else record.get("score"))
    what = "results of promptfoo"
    return _table(file, what, "testIdx", rows, {"success": right, "score": scores})
