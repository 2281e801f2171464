"""``schema``: the JSON Schema of a config."""

from __future__ import annotations


def schema() -> int:
    """Print the JSON Schema of a config, for editors."""
    from harness.commands.output import show_json
    from harness.config.load import json_schema

    show_json(json_schema())
    return 0
