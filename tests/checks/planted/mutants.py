"""Faults drawn by a program: one operator, constant, index or comparison of a method is changed.

A change holds everywhere, or only where a size or a count is above, below or equal to a random
threshold. What is drawn is a function of a seed.
"""

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from harness.families.catalogue import family_of
from tests.checks.planted.fault import SoundMethod
from tests.checks.planted.faults import FAULTS
from tests.checks.planted.moves import is_moved, limits_on_grid

METHODS: tuple[SoundMethod, ...] = tuple(dict.fromkeys(fault.method for fault in FAULTS))
"""The sound methods that are changed."""

KINDS = ("operator", "constant", "index", "comparison")
SHARE_OF_THRESHOLDS = 0.3
"""The share of changes that hold beyond a threshold only."""
_SMALLEST, _LARGEST = 3.0, 1500.0
"""The range of the thresholds, which are uniform on the logarithm."""

_SIGNS = (">", "<", "==")

_SWAPPED: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
}
"""What may take the place of an operator."""

_CHOSEN = """

def _chosen(condition, new, old):
    import numpy
    if numpy.all(condition) or not numpy.any(condition):
        return new() if numpy.all(condition) else old()
    return numpy.where(condition, new(), old())
"""


@dataclass(frozen=True)
class Mutant:
    """A method with one change that was drawn."""

    seed: int
    method: SoundMethod
    source: str
    line: str
    """The line of the method that is changed."""
    changed: str
    """The expression that takes the place of another one."""
    sizes: tuple[int, ...]
    """Sizes and counts on both sides of a threshold."""

    def moves_a_limit(self) -> bool:
        """Whether a limit of a wide grid differs by more than 1e-9."""
        return is_moved(
            limits_on_grid(self.source, self.method, self.sizes),
            limits_on_grid(self.method.source, self.method, self.sizes),
        )


def mutant(seed: int) -> Mutant:
    """The mutant of a seed."""
    rng = np.random.default_rng(seed)
    method = METHODS[rng.integers(len(METHODS))]
    tree = ast.parse(method.source)
    sites = {kind: _sites(tree, kind) for kind in KINDS}
    kinds = [kind for kind in KINDS if sites[kind]]
    kind = kinds[rng.integers(len(kinds))]
    function, node = sites[kind][rng.integers(len(sites[kind]))]
    line = method.source.splitlines()[node.lineno - 1].strip()
    new: ast.expr = _CHANGES[kind](copy.deepcopy(node), rng)
    names = _thresholds(method, function)
    sizes: tuple[int, ...] = ()
    if names and rng.random() < SHARE_OF_THRESHOLDS:
        at = int(np.exp(rng.uniform(np.log(_SMALLEST), np.log(_LARGEST))))
        where = f"{names[rng.integers(len(names))]} {_SIGNS[rng.integers(len(_SIGNS))]} {at}"
        chosen = f"_chosen({where}, lambda: {ast.unparse(new)}, lambda: {ast.unparse(node)})"
        new = ast.parse(chosen, mode="eval").body
        sizes = (at - 1, at, at + 1)
    changed = _Replace(node, new).visit(tree)
    source = ast.unparse(ast.fix_missing_locations(changed)) + _CHOSEN
    return Mutant(seed, method, source, line, ast.unparse(new), sizes)


def _thresholds(method: SoundMethod, function: ast.FunctionDef) -> list[str]:
    """The sizes and counts among the arguments of a function."""
    family = family_of(method.family)
    if not family.has_outcomes:
        return []
    arguments = {argument.arg for argument in function.args.args}
    return sorted(arguments & {*family.sizes, *family.data} - {"neither"})


def _sites(tree: ast.Module, kind: str) -> list[tuple[ast.FunctionDef, ast.expr]]:
    """The expressions of the functions that a kind of change applies to."""
    return [
        (function, node)
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
        if _APPLIES[kind](node)
    ]


def _is_index(node: ast.AST) -> bool:
    """Whether it is a pair or a call with several arguments, of which two may change places."""
    if isinstance(node, ast.Tuple):
        return isinstance(node.ctx, ast.Load) and len(node.elts) > 1
    return isinstance(node, ast.Call) and len(node.args) > 1


_APPLIES: dict[str, Callable[[ast.AST], bool]] = {
    "operator": lambda node: isinstance(node, ast.BinOp) and type(node.op) in _SWAPPED,
    "constant": lambda node: isinstance(node, ast.Constant) and type(node.value) in (int, float),
    "index": _is_index,
    "comparison": lambda node: isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPPED,
}


def _other_operator(node: ast.BinOp, rng: np.random.Generator) -> ast.expr:
    node.op = _other(node.op, rng)
    return node


def _other_comparison(node: ast.Compare, rng: np.random.Generator) -> ast.expr:
    node.ops = [_other(node.ops[0], rng)]
    return node


def _other(operator: ast.AST, rng: np.random.Generator) -> ast.AST:
    choice = _SWAPPED[type(operator)]
    return choice[rng.integers(len(choice))]()


def _other_constant(node: ast.Constant, rng: np.random.Generator) -> ast.expr:
    changes = (node.value + 1, node.value - 1, 2 * node.value, node.value * 1.1, node.value / 2)
    return ast.Constant(changes[rng.integers(len(changes))])


def _two_exchanged(node: ast.Tuple | ast.Call, rng: np.random.Generator) -> ast.expr:
    parts = node.elts if isinstance(node, ast.Tuple) else node.args
    first = rng.integers(len(parts) - 1)
    parts[first], parts[first + 1] = parts[first + 1], parts[first]
    return node


_CHANGES: dict[str, Callable[..., ast.expr]] = {
    "operator": _other_operator,
    "constant": _other_constant,
    "index": _two_exchanged,
    "comparison": _other_comparison,
}


class _Replace(ast.NodeTransformer):
    """Put another expression in the place of one node."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else super().visit(node)
