"""A browser for the tests of pages."""

from collections.abc import Iterator

import pytest

import harness
from harness.tables.results import Results
from tests.browser import INSTALL, Browser, installed, open_browser


@pytest.fixture(scope="session")
def one_browser() -> Iterator[Browser]:
    """The browser of all tests of a process."""
    if not installed():
        pytest.skip(f"needs Chromium and its driver: {INSTALL}")
    with open_browser() as browser:
        yield browser


@pytest.fixture
def browser(one_browser: Browser) -> Iterator[Browser]:
    """The browser, with an empty page and empty logs, wide, light, and without a network."""
    one_browser.emulate(offline=True)
    one_browser.open("about:blank")
    one_browser.console()
    one_browser.requests()
    yield one_browser
    one_browser.without_scripts(off=False)


@pytest.fixture(scope="session")
def three_methods(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Three methods for a proportion at two sizes, by all engines."""
    config = {
        "name": "three_methods",
        "title": "Three methods",
        "family": "proportion",
        "n": [5, 20],
        "methods": ["wald", "wilson", "clopper_pearson"],
        "truth": {"uniform": [0, 1]},
        "trials": {"per_size": 1000},
        "seed": 7,
        "figures": [],
        "execution": {"jobs": 1},
    }
    return harness.run(config, out=tmp_path_factory.mktemp("results"))
