"""The experiments whose results are committed: their configs, manifests and pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from handbook.links import ROOT
from harness.figures.catalogue import FIGURES


@dataclass(frozen=True)
class Picture:
    """One picture of an experiment."""

    kind: str
    """The name of the kind of figure."""
    path: str
    """Its path in the repository."""


@dataclass(frozen=True)
class Experiment:
    """An experiment whose config is shipped and whose results are committed."""

    name: str
    title: str
    config: str
    """The path of its config in the repository."""
    asked: tuple[Mapping[str, Any], ...]
    """The figures that its config asks for."""
    pictures: tuple[Picture, ...]

    def asked_of(self, kind: str) -> list[Mapping[str, Any]]:
        """The entries of ``figures`` of that kind."""
        return [each for each in self.asked if each.get("kind") == kind]


@cache
def experiments() -> tuple[Experiment, ...]:
    """The experiments that have pictures, in the order of the names of their configs."""
    files = sorted((ROOT / "configs").rglob("*.yaml"))
    found = (_experiment(file) for file in files)
    return tuple(each for each in found if each is not None and each.pictures)


def _experiment(file: Path) -> Experiment | None:
    config = yaml.safe_load(file.read_text("utf-8"))
    manifest = ROOT / "results" / config["name"] / "manifest.json"
    if not manifest.exists():
        return None
    content = json.loads(manifest.read_text("utf-8"))
    pictures = sorted((manifest.parent / "figures").glob("*.png"))
    return Experiment(
        config["name"],
        content.get("experiment", {}).get("title") or config.get("title") or config["name"],
        file.relative_to(ROOT).as_posix(),
        tuple(config.get("figures") or ()),
        tuple(Picture(_kind(each), each.relative_to(ROOT).as_posix()) for each in pictures),
    )


def _kind(picture: Path) -> str:
    """The kind of a picture, whose name begins with it."""
    return picture.stem.partition("-")[0]


def pictures_of(kind: str) -> list[tuple[Experiment, Picture]]:
    """The pictures of a kind, each with its experiment."""
    assert kind in FIGURES
    return [
        (each, picture)
        for each in experiments()
        for picture in each.pictures
        if picture.kind == kind
    ]
