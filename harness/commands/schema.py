"""``schema``: the JSON Schema of a config."""

from __future__ import annotations

import typer


def schema() -> int:
    """Print the JSON Schema of a config, for editors."""
    import json

    from harness.config.load import json_schema

    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return 0
