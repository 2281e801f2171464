"""The faults that are planted by hand, as ``faults.yaml`` has them."""

from pathlib import Path

import yaml

from tests.checks.planted.fault import LEVEL, Fault, SoundMethod

_TABLE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))

FAULTS: tuple[Fault, ...] = tuple(
    Fault(name, method, old, new, words.replace("LEVEL", LEVEL))
    for method, faults in (
        (SoundMethod(name, one["family"], one["contract"]), one["faults"])
        for name, one in _TABLE.items()
    )
    for name, (old, new, words) in faults.items()
)
"""All faults."""
