"""The list of slow tests names tests that exist."""

from pathlib import Path

from tests.conftest import SLOW

ROOT = Path(__file__).resolve().parents[1]


def exists(beginning: str) -> bool:
    file, _, name = beginning.partition("::")
    return f"\ndef {name.partition('[')[0]}" in (ROOT / file).read_text(encoding="utf-8")


def test_every_slow_test_exists() -> None:
    assert [beginning for beginning in SLOW if not exists(beginning)] == []


def test_the_list_is_sorted_and_holds_nothing_twice() -> None:
    assert list(SLOW) == sorted(set(SLOW))
    assert not [one for one in SLOW for other in SLOW if one != other and one.startswith(other)]
