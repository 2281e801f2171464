"""A commented config to start from: every key of a family, with its description and its value.

The comments are the descriptions of the forms, which the JSON Schema of a config has too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.base.plain_data import flow
from harness.callers.location import FunctionLocation, source_files
from harness.catalogue import design_for
from harness.config import yaml12
from harness.config.files import read_text
from harness.families.family import Family
from harness.figures.catalogue import FIGURES
from harness.kinds.catalogue import kind_of_config
from harness.kinds.kind import FamilyKind
from harness.kinds.load import load_experiment
from harness.methods.catalogue import default_method, methods_for
from harness.methods.method import TWO_SIDED

_FEWEST_METHODS, _MOST_METHODS = 3, 4
_WIDTH = 100
_SEED = 2003
_EXACT, _BAYESIAN = "exact", "Bayes"


def starter(family: Family, name: str) -> str:
    """Return a config of a family that loads, runs in seconds, and compares a few methods.

    Args:
        family: what is estimated.
        name: of the experiment.
    """
    examples = design_for(family).examples
    sizes, truth, trials = examples["counts" if family.model.SIZE_IS_COUNT else "amounts"]
    document = {
        "name": name,
        "family": family.name,
        **dict(zip(family.sizes, sizes, strict=True)),
        "alpha": 0.05,
        "methods": _methods(family),
        "truth": truth,
        "trials": trials,
        "seed": _SEED,
    }
    return _commented(document, [])


def starter_from(path: Path, name: str) -> str:
    """Return the config of a file under another name, with the descriptions of its keys.

    Args:
        path: a config that loads.
        name: of the experiment.

    Raises:
        ConfigError: the config has errors.
    """
    text = read_text(path)
    data = yaml12.read(text, str(path)).data
    load_experiment(path)
    lines = text.splitlines()
    if not isinstance(kind_of_config(data), FamilyKind):
        # It has no form; the comments of its own say what its keys mean.
        named = (_entry("name", name)[0] if line.startswith("name:") else line for line in lines)
        return "\n".join(line for line in named if "yaml-language-server" not in line) + "\n"
    count = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    about = [line for line in lines[:count] if "yaml-language-server" not in line]
    document = {**data, "name": name}
    return _commented(document, about, path.parent)


def files_of_config(path: Path) -> dict[str, bytes]:
    """The files that a config names by ``path``, ``r`` or ``csv``, with those that they import.

    Args:
        path: a config that loads.

    Returns:
        The bytes by their places relative to the folder of the config; only files below it.
    """
    files: dict[str, bytes] = {}
    waiting: list[Any] = [yaml12.read(read_text(path), str(path)).data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += value.values()
            names = [value[key] for key in ("path", "r", "csv") if key in value]
            for name in [Path(name) for name in names if isinstance(name, str)]:
                if not name.is_absolute() and ".." not in name.parts:
                    sources = source_files(FunctionLocation("", path=str(path.parent / name)))
                    files |= {(name.parent / own).as_posix(): text for own, text in sources.items()}
        elif isinstance(value, list):
            waiting += value
    return files


def _methods(family: Family) -> list[str]:
    """The default method and the first ones of other categories, a few in all.

    Exact methods of several counts, and posteriors of three samples, are left out, since they take
    long.
    """
    left_out = set() if family.has_single_count else {_EXACT}
    if len(family.sizes) > 2:
        left_out.add(_BAYESIAN)
    every = methods_for(family)
    methods = {name: method for name, method in every.items() if TWO_SIDED in method.sides}
    fixed = {name: method for name, method in methods.items() if method.deterministic}
    methods = fixed if len(fixed) >= _FEWEST_METHODS else methods
    first = default_method(family, TWO_SIDED)
    by_category = {first.category: first.name}
    for name, method in methods.items():
        if method.category not in left_out:
            by_category.setdefault(method.category, name)
    chosen = list(by_category.values())[:_MOST_METHODS]
    others = [name for name in methods if name not in chosen]
    return [*chosen, *others[: max(0, _FEWEST_METHODS - len(chosen))]]


def _commented(document: Mapping[str, Any], about: list[str], folder: Path = Path()) -> str:
    """The document with a comment above each key; keys that are left out are commented."""
    experiments = kind_of_config(document)
    assert isinstance(experiments, FamilyKind)
    form = experiments.form_of(document)
    resolved = load_experiment(document, folder=folder).document
    schema = form.model().model_json_schema()
    head = about or [f"# {form.title}."]
    lines = [
        *head,
        "#",
        "# `#title: ...` shows what holds where the key is left out; take the # away to change it.",
        "# `python -m harness schema` prints a JSON Schema of all configs, for editors.",
    ]
    for key, record in form.keys.items():
        field = record.field
        lines += ["", *_wrapped(field.description or key)]
        # What the catalogues have for a key.
        if key == "methods":
            lines += _wrapped(f"Names: {', '.join(methods_for(form.family))}.")
        elif key == "figures":
            for kind in FIGURES.values():
                if kind.experiment == form.kind and kind.drawn_for(form.family):
                    lines += _wrapped(f"{kind.name}: {kind.title}.", "  ")
        else:
            # The keys of the mappings that it may hold.
            for model in _models(schema["properties"][key], schema.get("$defs", {})):
                for name, part in model.get("properties", {}).items():
                    if part.get("description"):
                        lines += _wrapped(f"{name}: {part['description']}", "  ")
        if key in document:
            lines += _entry(key, document[key])
        else:
            default = resolved.get(key, field.get_default())
            lines += [f"#{line}" for line in _entry(key, default)]
    return "\n".join(lines) + "\n"


def _entry(key: str, value: Any) -> list[str]:
    """A key with its value; a list of mappings has a line for each."""
    if value is None:
        return [f"{key}:"]
    if isinstance(value, list) and any(isinstance(part, Mapping) for part in value):
        return [f"{key}:", *(f"  - {flow(part)}" for part in value)]
    return [f"{key}: {flow(value)}"]


def _wrapped(text: str, indent: str = "") -> list[str]:
    """The text as comments."""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=f"# {indent}",
        subsequent_indent=f"# {indent}",
        break_on_hyphens=False,
    )


def _models(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The models of mappings that a value may have."""
    if "$ref" in schema:
        yield defined[schema["$ref"].rsplit("/", 1)[-1]]
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, ()):
            yield from _models(part, defined)
