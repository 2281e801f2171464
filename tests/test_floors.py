"""The house has floors: each room uses only what stands above it, and no file needs itself."""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import harness

ROOT = Path(harness.__file__).parent

FLOORS: tuple[tuple[str, ...], ...] = (
    ("base",),
    ("distributions",),
    ("families",),
    ("names",),
    ("methods", "callers"),
    ("designs",),
    ("catalogue",),
    ("agreement",),
    ("tables",),
    ("figures", "findings"),
    ("config",),
    ("runner",),
    ("screen",),
    ("report",),
    ("kinds",),
    ("one",),
    ("planning",),
    ("checks",),
    ("pages",),
    ("api", "testing"),
    ("pytest_plugin",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
"""From the top down. Rooms of one floor may use each other, files of a room too, in no circle."""
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
LAZY = ("",)
"""The package itself: its functions import what stands below it, when called."""
HOMES = "_HOMES"
"""The table of its public names with the module of each, which these functions read."""


def module_of(file: Path) -> str:
    """Its name below the package, as in ``engines.runs``; of a package, the folder's."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(file): file for file in sorted(ROOT.rglob("*.py"))}


def nodes_of(source: str) -> list[ast.AST]:
    """The nodes of the syntax of a text."""
    return list(ast.walk(ast.parse(source)))


@cache
def syntax(module: str) -> list[ast.AST]:
    """The nodes of a module, which is read once for all tests."""
    return nodes_of(FILES[module].read_text("utf-8"))


@cache
def calls() -> dict[str, list[tuple[str, ast.Call]]]:
    """The calls in each module, each with the text of what is called."""
    return {
        module: [
            (ast.unparse(node.func), node) for node in syntax(module) if isinstance(node, ast.Call)
        ]
        for module in FILES
    }


def room_of(module: str) -> str:
    return module.split(".")[0]


def imports(module: str, nodes: list[ast.AST]) -> set[str]:
    """Modules of the package that a module imports anywhere in its text, type checking included.

    A text that is the name of a module counts as an import of it. Inside the functions of a lazy
    room, and in the table that they read, nothing counts.
    """
    if room_of(module) in LAZY:
        inner = [node for node in nodes if isinstance(node, ast.FunctionDef) or is_table(node)]
        hidden = {id(node) for each in inner for node in ast.walk(each)}
        hidden |= {
            id(node)
            for test in nodes
            if isinstance(test, ast.If) and "TYPE_CHECKING" in ast.dump(test.test)
            for node in ast.walk(test)
        }
        nodes = [node for node in nodes if id(node) not in hidden]
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import on line {node.lineno}"
            place = node.module or ""
            found |= {f"{place}.{alias.name}" for alias in node.names} | {place}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    ours = (name.removeprefix("harness.") for name in found if name.startswith("harness."))
    return {name for name in ours if name in FILES and name != module}


def is_table(node: ast.AST) -> bool:
    """Whether a statement is the table of public names."""
    targets = node.targets if isinstance(node, ast.Assign) else ()
    return any(isinstance(target, ast.Name) and target.id == HOMES for target in targets)


@cache
def graph() -> dict[str, set[str]]:
    """What each module imports; read when the first test asks, and not where none does."""
    return {module: imports(module, syntax(module)) for module in FILES}


def uses(module: str) -> set[str]:
    """What a module imports, without the packages that its imports merely pass through."""
    used = graph()[module]
    return {name for name in used if not any(other.startswith(name + ".") for other in used)}


def test_every_room_has_a_floor() -> None:
    assert {room_of(module) for module in FILES} - {""} == set(LEVEL)


def test_a_room_uses_only_rooms_above_it() -> None:
    upwards = {
        f"{module} uses {name}"
        for module in filter(None, FILES)
        for name in uses(module)
        if LEVEL[room_of(name)] > LEVEL[room_of(module)]
    }
    assert upwards == set()


def test_the_package_itself_uses_nothing_before_it_is_asked() -> None:
    assert uses("") == set()


def test_no_file_needs_itself() -> None:
    try:
        TopologicalSorter({module: uses(module) for module in FILES}).prepare()
    except CycleError as circle:
        pytest.fail(f"a circle of imports: {' -> '.join(circle.args[1])}")


def test_rooms_that_share_no_floor_form_no_circle() -> None:
    rooms: dict[str, set[str]] = {room: set() for room in LEVEL}
    for module in FILES:
        if module:
            rooms[room_of(module)] |= {room_of(name) for name in uses(module)}
    for room, used in rooms.items():
        used.discard(room)
    TopologicalSorter(rooms).prepare()


def test_methods_families_and_sampling_know_nothing_of_scenarios() -> None:
    above = [module for module in FILES if module and LEVEL[room_of(module)] < LEVEL["designs"]]
    of_scenarios = {module for module, used in graph().items() if "designs.design" in used}
    assert "designs.one_sample.design" in of_scenarios
    assert of_scenarios.isdisjoint(above)


IMPORTED_BY_A_VARIABLE = {
    "": "the module of a public name, from the table",
    "base.frames": "a library of data frames, which is not of the package",
    "callers.location": "a module that a user names",
}
"""What each module imports whose name is in a variable.

The first is of the package. So are the others only where somebody gives them such a name, which no
module does: a text that is one counts as an import, and none is put together.
"""


def test_what_is_imported_by_a_variable_is_a_public_name_or_not_of_the_package() -> None:
    found = set()
    for module, called in calls().items():
        for name, call in called:
            is_import = name.rpartition(".")[2] in ("import_module", "__import__", "run_module")
            if is_import and not isinstance(call.args[0], ast.Constant):
                found.add(module)
    assert found == set(IMPORTED_BY_A_VARIABLE)


def test_the_name_of_a_module_is_nowhere_put_together() -> None:
    beginnings = {f"harness.{name}." for name in FILES if name} | {"harness."}
    for module in FILES:
        for node in syntax(module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert node.value not in beginnings, f"{module}: {node.value}"


PROCESSES = (
    "callers.process",
    "callers.simulation.worker",
    "runner.cluster",
    "runner.parallel",
)


def test_only_the_command_line_prints_or_exits() -> None:
    ends = ("print", "exit", "quit", "sys.exit", "os._exit")
    found = [
        f"{module}:{call.lineno}"
        for module, called in calls().items()
        # Worker processes end with their driver.
        if room_of(module) not in ("cli", "__main__") and module not in PROCESSES
        for name, call in called
        if name in ends
    ]
    assert found == []


def test_all_printing_goes_through_one_file() -> None:
    printing = ("typer.echo", "typer.secho", "Console", "sys.stdout.write", "sys.stderr.write")
    found = [module for module, called in calls().items() for name, _ in called if name in printing]
    assert found == ["commands.output"]


def test_the_check_sees_an_import_inside_a_function() -> None:
    source = "def f():\n    from harness.runner import write\n    return write\n"
    assert "runner.write" in imports("errors", nodes_of(source))
    assert imports("", nodes_of(source)) == set()
    assert imports("", nodes_of("from harness.runner import write\n")) == {
        "runner",
        "runner.write",
    }


def test_the_check_sees_the_name_of_a_module_in_a_text() -> None:
    source = 'def f(name="harness.runner.write"):\n    return import_module(name)\n'
    assert imports("errors", nodes_of(source)) == {"runner.write"}
    assert imports("", nodes_of(f'{HOMES} = {{"write": "harness.runner.write"}}\n')) == set()
    assert imports("", nodes_of('OTHERS = {"write": "harness.runner.write"}\n')) == {"runner.write"}
