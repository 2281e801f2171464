"""Functions of a user that misbehave, as a method of a coverage run or of a study.

Whatever one does, the run ends with an exit code that the documents name, and the rows of the
method beside it are those of an undisturbed run.
"""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path
from typing import Any

from benchmarks.torture.command import DONE, FAILED, REFUSED, files_of
from benchmarks.torture.victims import COVERAGE, OWN, RUN, STUDY, Prepared, Tried

_RAISES = """
ValueError('x')|SystemExit(0)|SystemExit('bye')|KeyboardInterrupt|MemoryError|RecursionError
StopIteration|GeneratorExit|BaseException('b')|Exception(b'x', object())|Strange()|Local()
Exception('x' * 10**6)|Exception('a\\x1b[31m\\u202e\\n\\nb')|TimeoutError|BrokenPipeError
OSError(28, 'No space')
ExceptionGroup('g', [ValueError(1)])|ImportError('numpy')|NotImplementedError|FloatingPointError
"""
_RETURNS = """
None|1|(1,)|(0, 0.5, 1)|'ab'|(0.9, 0.1)|(float('nan'),) * 2|(float('inf'), 0)|('0', '1')
(True, False)
[None, None]|np.array([])|np.zeros((5, 2))|np.zeros((2, 10**7))|'x' * 10**8|(1j, 1j)|object()
{'low': 0}|{0, 1}|(i for i in (0, 1))|Strange()|(Strange(), 1)|(10**400, 1)|np.ma.masked_all(2)
(np.zeros(3), np.ones(4))|(-5.0, 5.0)|([0], [1])|lambda: 0|(0, np.datetime64('now'))|data_itself
np.array([0, 1], dtype=object)|(np.float16(0.1), np.longdouble(1))|type|NotImplemented|...
"""
_EFFECTS = """
np.seterr(all='raise')|np.seterr(all='ignore')|setattr(np, 'sqrt', lambda x: 0 * x)
setattr(math, 'sqrt', abs)
np.random.seed(0)|np.random.rand()|random.random()|os.close(0)|os.close(1)|os.close(2)
os.closerange(3, 64)
print('x')|sys.stdout.write('x' * 10**6)|os.write(1, b'junk')|os.write(2, b'junk')
setattr(sys, 'stdout', None)
sys.stderr.close()|os.chdir('/')|os.environ.clear()|signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)|signal.alarm(1)|os.fork()|os.fork() or os._exit(0)
threading.Thread(target=time.sleep, args=(40,)).start()|subprocess.Popen(['sleep', '40'])
time.sleep(40)
spin()|sys.setrecursionlimit(60)|warnings.warn('w')|warnings.simplefilter('error')
sys.modules.clear()
setattr(builtins, 'float', int)|setattr(builtins, 'print', None)
resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))
resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))|np.ones(2**36)|os.remove(__file__)|input()
open(__file__, 'a').write('# x')|atexit.register(lambda: 1 / 0)|logging.basicConfig(level=0)
gc.disable()
sys.settrace(lambda *a: 1 / 0)|os._exit(0)|os._exit(7)|os.abort()|os.kill(os.getpid(), 9)
os.kill(os.getpid(), 15)|os.kill(os.getpid(), 19)|ctypes.string_at(0)|os.setsid()|sys.exit()
breakpoint()
deep(0)|wipe()|locale.setlocale(locale.LC_ALL, '')|decimal.getcontext().__setattr__('prec', 1)
np.set_printoptions(2)
"""
_HEAD = """
import atexit, builtins, ctypes, decimal, gc, locale, logging, math, os, random, resource, signal
import subprocess, sys, threading, time, warnings
import numpy as np

CALLS = [0]


class Strange(Exception):
    def __str__(self): return 1 / 0
    __repr__ = __iter__ = __float__ = __len__ = __array__ = __str__


def Local():
    class Unknown(Exception):
        pass
    return Unknown(lambda: 0)


def spin():
    while True:
        pass


def deep(level):
    return deep(level + 1) + 1


def wipe():
    for name in os.listdir('.'):
        if name.endswith('.txt') or name.startswith('own'):
            os.remove(name)


def raised(fault):
    raise fault


def victim({arguments}):
    CALLS[0] += 1
    data_itself = {first}
    if CALLS[0] > {after}:
        {act}
    return {good}
"""


def _split(text: str) -> list[str]:
    return [word for line in text.strip().splitlines() for word in line.split("|")]


ACTS = [
    *(f"raised({word})" for word in _split(_RAISES)),
    *(f"return {word}" for word in _split(_RETURNS)),
    *_split(_EFFECTS),
]
"""What a function does at some call."""
_ORDER = random.Random(5).sample(ACTS, len(ACTS))
_FORMS = {
    "coverage": ("x, n, alpha", "x", "np.clip(x / n - 0.2, 0, 1), np.clip(x / n + 0.2, 0, 1)"),
    "study": ("data, alpha", "data", "data.mean() - 1, data.mean() + 1"),
}


def case(rng: random.Random, place: Path, number: int, prepared: Prepared) -> Tried:
    """Run an experiment with a good method and one that misbehaves."""
    kind = ("coverage", "study")[number % 2]
    act, after = _ORDER[number // 2 % len(_ORDER)], rng.choice([0, 0, 3, 40])
    arguments, first, good = _FORMS[kind]
    source = _HEAD.format(arguments=arguments, first=first, after=after, act=act, good=good)
    beside: Any = "wilson" if kind == "coverage" else {"path": "good.py", "function": "z"}
    config = {**(COVERAGE if kind == "coverage" else STUDY), "figures": []}
    config["methods"] = [beside, {"path": "own.py", "function": "victim", "label": "victim"}]
    config["execution"] = {"jobs": rng.choice([1, 1, 2]), "timeout": 2}
    if kind == "coverage":
        config["n"] = [8, 12]
    else:
        config["model"] = {"path": "good.py", "function": "draw"}
        config["trials"] = {"per_scenario": 300}
    machine = prepared.machine(place, config, source)
    (place / "good.py").write_text(OWN)
    ending = machine.run(*RUN)
    faults = ending.faults((DONE, REFUSED, FAILED))
    if not faults and ending.code != REFUSED:
        faults = _beside(place, prepared, kind)
    return Tried(f"{kind}, after {after} calls: {act}", faults)


def _beside(place: Path, prepared: Prepared, kind: str) -> list[str]:
    """What is wrong with the rows of the method beside the one that misbehaves."""
    name = "wilson" if kind == "coverage" else "z"
    key = f"alone {kind}"
    found = _rows(place / "results" / "one" / "summary.csv", name)
    if key not in prepared.expected:
        alone = prepared.top / key.replace(" ", "-")
        config = {**(COVERAGE if kind == "coverage" else STUDY), "figures": []}
        config |= {"execution": {"jobs": 1}, "n": [8, 12], "methods": ["wilson"]}
        if kind == "study":
            del config["n"]
            config["methods"] = [{"path": "good.py", "function": "z"}]
            config["model"] = {"path": "good.py", "function": "draw"}
            config["trials"] = {"per_scenario": 300}
        machine = prepared.machine(alone, config)
        (alone / "good.py").write_text(OWN)
        machine.run(*RUN)
        prepared.expected[key] = files_of(alone / "results" / "one")
    if not found:
        return [f"no rows of {name}"]
    expected = _rows(alone_of(prepared, key), name)
    same = [row for row in found if row in expected]
    return [] if len(same) == len(expected) else [f"wrong numbers of {name} beside it"]


def alone_of(prepared: Prepared, key: str) -> Path:
    """Return the table of the good method alone."""
    return prepared.top / key.replace(" ", "-") / "results" / "one" / "summary.csv"


def _rows(path: Path, method: str) -> list[dict[str, str]]:
    """The rows of a method in a table, without what depends on the methods beside it."""
    if not path.exists():
        return []
    rows = csv.DictReader(io.StringIO(path.read_text()))
    kept = ("n", "alpha", "coverage", "miss_below", "miss_above", "mean_length", "trials")
    return [
        {name: row[name] for name in kept if name in row} for row in rows if row["method"] == method
    ]
