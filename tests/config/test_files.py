"""Finding and reading config files."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.errors import ConfigError
from harness.config.load import find_configs, load_all, load_experiment
from tests.config.conftest import config_with


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put(path: str, text: str | bytes = "") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode() if isinstance(text, str) else text)


def issues(*paths: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_all(paths)
    return str(caught.value).splitlines()


def test_a_folder_stands_for_all_yaml_files_below_it_in_order() -> None:
    for path in ("c/b.yaml", "c/a.yml", "c/d/a.yaml", "c/x.py", "c/.git/z.yaml", "c/.y.yaml"):
        put(path)
    assert find_configs(["c"]) == [Path("c/a.yml"), Path("c/b.yaml"), Path("c/d/a.yaml")]


def test_files_keep_their_order_and_come_once() -> None:
    for path in ("c/b.yaml", "c/a.yaml"):
        put(path)
    assert find_configs(["c/b.yaml", Path("c"), "./c/b.yaml"]) == [
        Path("c/b.yaml"),
        Path("c/a.yaml"),
    ]


def test_every_path_that_is_no_config_is_named() -> None:
    put("a.py")
    put("noend")
    Path("empty").mkdir()
    assert issues("a.py", "noend", "empty", "none.yaml", "a\0b", "x" * 5000)[:4] == [
        "a.py: expected a .yaml or .yml file, found .py",
        "noend: expected a .yaml or .yml file, found a file without an ending",
        "empty: expected a folder with .yaml or .yml files, found none",
        "none.yaml: expected a config, found no such file or folder; "
        "`python -m harness run` alone lists those that come with the package",
    ]
    assert len(issues("a.py", "noend", "empty", "none.yaml", "a\0b", "x" * 5000)) == 6


UNREADABLE = [
    (b"\xef\xbb\xbfname: a\n",
     "a.yaml:1: expected UTF-8 without a byte order mark, found one at the start"),
    (b"name: a\ntitle: caf\xe9\n", "a.yaml:2: expected UTF-8, found the byte 0xe9"),
    ("name: a\n".encode("utf-16"), "a.yaml:1: expected UTF-8, found the byte 0xff"),
    (b"", "a.yaml:1: expected a config, found an empty text"),
    (b"- a\n- b\n", "a.yaml:1: expected a mapping of keys, found [a, b]"),
    (b"# remark\nname\n", "a.yaml:2: expected a mapping of keys, found 'name'"),
    (b"name: [a\n", "a.yaml:1: expected YAML, but while parsing a flow sequence expected ',' or "
     "']', got the end of the text"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "line"), UNREADABLE)
def test_a_file_that_cannot_be_read_has_one_clear_issue(raw: bytes, line: str) -> None:
    put("a.yaml", raw)
    with pytest.raises(ConfigError) as caught:
        load_experiment("a.yaml", ["alpha=0.1"])
    assert str(caught.value) == line


def test_a_missing_file_and_a_folder_have_different_messages() -> None:
    Path("folder.yaml").mkdir()
    with pytest.raises(ConfigError, match=r"^none.yaml: expected a config, found no such file$"):
        load_experiment("none.yaml")
    with pytest.raises(ConfigError, match=r"^folder.yaml: expected a config, found a folder$"):
        load_experiment(Path("folder.yaml"))


def test_all_experiments_are_loaded_in_order() -> None:
    put("c/b.yaml", config_with("name: first"))
    put("c/c.yaml", config_with("name: second"))
    assert [one.name for one in load_all(["c"])] == ["first", "second"]


def test_overrides_hold_for_every_file() -> None:
    put("c/b.yaml", config_with("name: first"))
    put("c/c.yaml", config_with("name: second"))
    assert [one.seed for one in load_all(["c"], ["seed=7"])] == [7, 7]


def test_the_issues_of_all_files_are_told_at_once() -> None:
    put("c/a.yaml", config_with("alpha: 2"))
    put("c/b.yaml", config_with("seed: x", "n: [5, 10, 0]"))
    put("c/c.yaml", config_with("name: good"))
    assert issues("c") == [
        "c/a.yaml:4: alpha: expected a number above 0 and below 1, or a list of them, found 2",
        "c/b.yaml:3: n[2]: expected a whole number from 1 to 10^9, found 0",
        "c/b.yaml:9: seed: expected a whole number from 0 to 2^128 - 1, found 'x'",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("paper/fig", "expected a unique name, found paper/fig as in a.yaml:1"),
        ("Paper/FIG", "expected a unique name, found Paper/FIG as in a.yaml:1"),
        ("paper", "expected a separate folder, found paper around that of a.yaml:1"),
        (
            "paper/fig/x",
            "expected a separate folder, found paper/fig/x inside that of a.yaml:1",
        ),
    ],
)
def test_experiments_do_not_share_a_folder_of_results(name: str, message: str) -> None:
    put("a.yaml", config_with())
    put("b.yaml", config_with(f"name: {name}"))
    assert issues("a.yaml", "b.yaml") == [f"b.yaml:1: name: {message}"]


def test_a_shared_parent_folder_is_no_clash() -> None:
    put("a.yaml", config_with("name: paper/fig1"))
    put("b.yaml", config_with("name: paper/fig10"))
    assert len(load_all(["a.yaml", "b.yaml"])) == 2
