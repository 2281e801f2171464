"""A command line that is wrong is refused in one sentence: those of ``wrong.yaml``."""

import shlex
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import is_one_sentence
from tests.sample import sampled
from tests.study.experiments import files

TABLE = yaml.safe_load(Path(__file__).with_name("wrong.yaml").read_text("utf-8"))
CASES = [
    pytest.param(group, f"{group['command']} {words}{form}", said, id=f"{words}{form}")
    for group in TABLE
    for words, *said in group["refused"]
    for form in [f" --format {each}" for each in group.get("formats", ())] or [""]
]


@pytest.mark.parametrize(
    ("group", "command", "said"),
    sampled(CASES, one_in=5, by=lambda case: case[0]["command"]),
)
def test_what_is_wrong_is_said_in_one_sentence(run_command, config, here, group, command, said):
    if group.get("config"):
        config()
    for name, text in group.get("files", {}).items():
        (here / name).write_text(text)
    before = files(here)
    result = run_command(*shlex.split(command))
    assert result.code == 2
    assert is_one_sentence(result)
    assert [words for words in said if words not in result.err] == []
    assert files(here) == before
