"""Files of configs, and the YAML in them."""

import math
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import ConfigError, ConfigIssue, Place
from harness.config import yaml12
from harness.kinds.load import find_configs, load_all, load_experiment
from tests.config.conftest import config_with

# Finding and reading config files.


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
        "c/a.yaml:4: alpha: expected a number above 0, from 1e-284 on, "
        "and below 1, or a list of them, found 2",
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


# YAML is read by the core rules of version 1.2.


SCALARS: list[tuple[str, Any]] = [
    # text by 1.2, though not by 1.1
    ("no", "no"), ("Yes", "Yes"), ("on", "on"), ("OFF", "OFF"), ("y", "y"),
    ("1_000", "1_000"), ("12:30:45", "12:30:45"), ("2001-12-14", "2001-12-14"), ("0b11", "0b11"),
    ("=", "="), ("<<", "<<"), ("tRue", "tRue"), ("nUll", "nUll"), (".Inf.", ".Inf."),
    ("1e", "1e"), ("-0x1", "-0x1"), ("0o8", "0o8"), ("+", "+"), (".", "."), ("1.2.3", "1.2.3"),
    # numbers by 1.2, though not by 1.1 or another number there
    ("1e-3", 0.001), ("1e3", 1000.0), ("012", 12), ("0o17", 15), ("-012", -12),
    # the rest
    ("0x1F", 31), ("+5", 5), ("0", 0), ("5.", 5.0), (".5", 0.5), ("-.5e+1", -5.0), ("1.5E2", 150.0),
    (".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf),
    ("true", True), ("FALSE", False), ("True", True),
    ("null", None), ("~", None), ("Null", None), ("''", ""), ('"5"', "5"), ("'no'", "no"),
    ("!!str 5", "5"), ("!!int '5'", 5), ("!!float 5", 5.0), ("!!null ''", None),
    ("[1, no, {a: 0o1}]", [1, "no", {"a": 1}]), ("[]", []), ("{}", {}), ("{a}", {"a": None}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_scalars_have_the_values_of_the_core_schema(text: str, value: Any) -> None:
    read = yaml12.read(text)
    assert read.issues == ()
    assert repr(read.data) == repr(value)  # 5 is not 5.0, nor 1 true


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_nan_is_a_number(text: str) -> None:
    assert math.isnan(yaml12.read(text).data)


def test_a_key_without_a_value_has_none() -> None:
    assert yaml12.read("a:\nb: 1").data == {"a": None, "b": 1}


def test_merge_keys_are_keys_like_any_other() -> None:
    assert yaml12.read("<<: {a: 1}").data == {"<<": {"a": 1}}


def test_aliases_repeat_their_anchors() -> None:
    assert yaml12.read("a: &x [1, 2]\nb: *x").data == {"a": [1, 2], "b": [1, 2]}


def test_keys_and_items_know_their_lines() -> None:
    read = yaml12.read("# first\na: 1\nb:\n  - 2\n  - c: {d: 3,\n         e: 4}\n")
    assert read.place(("a",)).line == 2
    assert read.place(("b",)).line == 3
    assert read.place(("b", 0)).line == 4
    assert read.place(("b", 1)).line == 5
    assert read.place(("b", 1, "c", "e")).line == 6
    assert read.values["b", 1, "c", "e"] == 6
    assert read.keys["b",] == 3
    assert read.place(()).line == 2


def test_what_is_not_there_has_the_line_of_what_should_hold_it() -> None:
    read = yaml12.read("a: 1\nb:\n  c: 2\n")
    assert read.place(("b", "missing", 3)).line == 2
    assert read.place(("missing",)).line == 1


ISSUES = [
    ("", 1, "expected a config, found an empty text"),
    ("# only a comment\n", 1, "expected a config, found an empty text"),
    ("a: 1\n\tb: 2\n", 2, "expected spaces, found a tab (YAML has no tabs before a value)"),
    ("a:\n\t- 1\n", 2, "expected spaces, found a tab (YAML has no tabs before a value)"),
    ("a: 1\nb: c: 2\n", 2,
     "expected one value, found a second ': ' (text that holds ': ' needs quotes)"),
    ("a: [1, 2\n", 1, "expected YAML, but while parsing a flow sequence expected ',' or ']', "
     "got the end of the text"),
    ("a: 'b\n", 1, "expected YAML, but while scanning a quoted scalar found unexpected end of "
     "stream"),
    ("a: 1\n---\nb: 2\n", 2, "expected one document, found a second one"),
    ("a: *b\n", 1, "expected YAML, but found undefined alias 'b'"),
    ("a: 1\nb: \x07\n", 2, "expected text, found the control character U+0007"),
    ("[" * 5000, 1, "expected a config, found values nested too deeply to read"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "message"), ISSUES)
def test_a_text_that_is_no_yaml_has_one_issue_with_its_line(
    text: str, line: int, message: str
) -> None:
    (issue,) = yaml12.read(text).issues
    assert issue == ConfigIssue((), message, Place("", line))


VALUE_ISSUES = [
    ("a: 1\nb: 2\na: 3\n", 3, ("a",), "expected each key once, found it on line 1 and on line 3"),
    ("c: {a: 1, a: 1}", 1, ("c", "a"),
     "expected each key once, found it on line 1 and on line 1"),
    ("5: a\n", 1, (), "expected text as a key, found '5'"),
    ("b:\n  ~: a\n", 2, ("b",), "expected text as a key, found '~'"),
    ("[a]: b\n", 1, (), "expected text as a key, found a list or mapping"),
    ("a: !mine 5\n", 1, ("a",), "expected a plain value, found the tag !mine"),
    ("a: !!set {b}\n", 1, ("a",), "expected a plain value, found the tag tag:yaml.org,2002:set"),
    ("a: !!int five\n", 1, ("a",), "expected a value of the tag !!int, found 'five'"),
    ("a: &x [1, *x]\n", 1, ("a", 1), "expected a value, found an alias of what it is in"),
    (f"a: {'9' * 5000}\n", 1, ("a",), "expected a number, found one of more than 1000 digits"),
    (f"a: 0x{'9' * 5000}\n", 1, ("a",), "expected a number, found one of more than 1000 digits"),
    ('a: "\\ud800"\n', 1, ("a",), "expected text, found half of a surrogate pair"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "path", "message"), VALUE_ISSUES)
def test_a_value_that_cannot_be_read_is_named(
    text: str, line: int, path: tuple[str | int, ...], message: str
) -> None:
    (issue,) = yaml12.read(text).issues
    assert issue == ConfigIssue(path, message, Place("", line))


def test_all_repeated_keys_are_named() -> None:
    assert [issue.path for issue in yaml12.read("a: 1\na: 2\nb: {c: 1, c: 2}\n").issues] == [
        ("a",),
        ("b", "c"),
    ]


def test_aliases_of_aliases_do_not_fill_the_memory() -> None:
    text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
    for i in range(1, 9):
        text += f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n"
    (issue,) = yaml12.read(text).issues
    assert "more than 200000 values" in issue.message
