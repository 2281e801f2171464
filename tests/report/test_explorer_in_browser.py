"""The page for teaching does what its controls say, with the numbers of the harness."""

from pathlib import Path

import pytest

from harness.kinds.load import load_experiment
from harness.pages.explorer import Numbers, explorer, numbers_of
from harness.report.page import render
from harness.tables.wording import percent, significant
from tests.browser import Browser
from tests.report.accessibility import violations
from tests.report.pages import IS_TOO_WIDE

CONFIG = {
    "name": "some",
    "title": "Some intervals",
    "family": "proportion",
    "n": [5, 20, 30],
    "methods": ["wald", "wilson", "clopper_pearson", "jeffreys", "mid_p"],
    "truth": {"grid": {"start": 0.05, "stop": 0.95, "count": 19}},
    "engines": ["enumeration"],
    "seed": 11,
    "figures": [],
    "execution": {"jobs": 1},
}
N, P, X = "input[name='n']", "input[name='p']", "input[name='x']"


@pytest.fixture(scope="module")
def numbers() -> Numbers:
    return numbers_of(load_experiment(CONFIG))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "explorer.html"
    file.write_text(render(explorer(load_experiment(CONFIG))), "utf-8")
    return file


def opened(browser: Browser, file: Path) -> Browser:
    browser.open(file)
    settled(browser)
    return browser


@pytest.fixture
def page(browser: Browser, file: Path) -> Browser:
    return opened(browser, file)


def settled(page: Browser) -> None:
    """Wait until what was asked for is drawn: the page is ready, and a frame has passed."""
    page.run(
        "const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
        "while (document.querySelector('.explorer').dataset.ready === undefined) await frame();"
        "await frame(); await frame();"
    )


def focus(page: Browser, selector: str) -> None:
    page.run("document.querySelector(arguments[0]).focus()", selector)


def column(page: Browser, method: int) -> dict[str, str]:
    """The texts of what is seen of a method."""
    settled(page)
    return dict(
        page.run(
            """const box = document.querySelector(`#explorer-explorer-method-${arguments[0]}`);
            const text = (name) => box.querySelector(name).textContent;
            const same = [...box.querySelectorAll(".same")].map((each) => each.textContent);
            return { sentence: text(".sentence"), coverage: text(".coverage figcaption"),
              outcomes: text(".outcomes figcaption"), intervals: text(".intervals figcaption"),
              sums: [...box.querySelectorAll(".sum")].map((each) => each.textContent).join(", "),
              same: same.join(", "), title: text("h3") };""",
            method,
        )
    )


def written(page: Browser, selector: str) -> str:
    """The text within a picture."""
    return str(page.run("return document.querySelector(arguments[0]).textContent", selector))


def shown(page: Browser) -> list[str]:
    settled(page)
    return [page.text(f"#explorer-explorer-{name}-shown") for name in ("n", "p", "x")]


@pytest.mark.parametrize(("size", "at"), [(0, 0), (1, 0), (1, 9), (2, 18)])
def test_texts_hold_the_numbers_of_the_harness(
    page: Browser, numbers: Numbers, size: int, at: int
) -> None:
    page.choose(N, size)
    page.choose(P, at)
    found = numbers.sizes[size]
    for method in (0, 1):
        texts = column(page, method)
        missed = percent(float(found.exact.missed[method, at]))
        expected = significant(float(found.expected[method, at]), 3)
        drawn = int(found.counts[method, at, 0])
        p = f"{float(numbers.truths[at]):.6g}"
        start = f"At n = {found.n} and p = {p} the {texts['title']} interval misses when x is "
        end = (
            f": that has probability {missed}; of the 100 intervals drawn {drawn} miss, "
            f"{expected} are expected."
        )
        assert texts["sentence"].startswith(start)
        assert texts["sentence"].endswith(end)
        # The curve's value, the sum of the bars and the expected number are one number.
        assert texts["same"] == f"{missed}, {expected}, {missed}, {missed}, {expected}"
        below, above = (
            percent(float(each[method, at])) for each in (found.exact.below, found.exact.above)
        )
        assert texts["sums"].endswith(below)
        assert f"{above}, " in texts["sums"]
        spread = f"{float(found.spread[method, at]):.1f}"
        assert texts["intervals"] == f"{drawn} of 100 miss, {expected} ± {spread} expected"
        covered = texts["coverage"].removeprefix("Covers ").partition(" %")[0]
        decimals = len(covered.partition(".")[2])
        assert covered == f"{100 * (1 - found.exact.missed[method, at]):.{decimals}f}"


def test_sliders_follow_the_keyboard(page: Browser) -> None:
    assert shown(page) == ["20", "0.05", "none"]
    focus(page, N)
    page.press("ArrowRight")
    assert shown(page) == ["30", "0.05", "none"]
    page.press("Home", "Tab", "ArrowRight", "ArrowRight", "ArrowUp")
    assert shown(page) == ["5", "0.2", "none"]
    focus(page, X)
    page.press("End")
    assert shown(page) == ["5", "0.2", "5"]
    spoken = page.run("return document.querySelector(arguments[0]).ariaValueText", P)
    assert spoken == "0.2"


def test_the_outcome_that_is_followed_stays_among_the_outcomes(page: Browser) -> None:
    page.choose(X, 18)
    page.choose(N, 0)
    assert shown(page) == ["5", "0.05", "5"]


def test_an_outcome_is_followed_through_the_pictures(page: Browser, numbers: Numbers) -> None:
    page.choose(X, 3)
    settled(page)
    size = numbers.sizes[1]
    label = page.run("return document.querySelector('.column .coverage svg').ariaLabel")
    limits = f"x = 3: {size.limits.lower[0, 3]:.3f} to {size.limits.upper[0, 3]:.3f}"
    assert limits in label
    assert written(page, ".follows") == limits
    marks = page.run("return document.querySelector('.column .marks').getAttribute('d')")
    assert marks.count("M") == (size.drawn[0, 0] == 3).sum()


def test_every_drawn_interval_and_outcome_is_in_the_picture(
    page: Browser, numbers: Numbers
) -> None:
    counts = page.run(
        """const count = (name) =>
          [...document.querySelectorAll(`#explorer-explorer-method-1 ${name}`)].map(
            (each) => (each.getAttribute("d").match(/M/g) ?? []).length);
        return [count("path.interval"), count(".outcomes path.miss")];"""
    )
    size = numbers.sizes[1]
    misses = size.misses[1, 0][size.drawn[0, 0]]
    assert counts[0] == [int((misses == kind).sum()) for kind in range(3)]
    # Bars that are too low to be seen are not drawn.
    assert 0 < counts[1][0] <= (size.misses[1, 0] == 1).sum()
    assert counts[1][1] == 0


def test_at_most_four_methods_stand_beside_each_other(page: Browser) -> None:
    titles = "return [...document.querySelectorAll('.column h3')].map((each) => each.textContent)"
    assert page.run(titles) == ["Wald", "Wilson score"]
    focus(page, "input[name='method'][value='2']")
    page.press("Space", "Tab", "Space")
    settled(page)
    assert page.run(titles) == ["Wald", "Wilson score", "Clopper-Pearson", "Jeffreys"]
    fifth = "return document.querySelector(\"input[name='method'][value='4']\").disabled"
    assert page.run(fifth)
    for value in range(4):
        page.click(f"input[name='method'][value='{value}']")
    settled(page)
    assert page.run(titles) == []
    assert not page.run(fifth)
    assert page.text(".panels") == "Choose an interval."
    page.click("input[name='method'][value='4']")
    settled(page)
    assert page.run(titles) == ["Mid-P"]


def test_hundreds_follow_each_other_and_begin_again(page: Browser, numbers: Numbers) -> None:
    size = numbers.sizes[1]
    focus(page, "#explorer-explorer-again")
    for hundred in range(1, 10):
        page.press("Enter")
        texts = column(page, 0)
        assert page.text("#explorer-explorer-hundred") == f"hundred {hundred + 1} of 10"
        assert texts["intervals"].startswith(f"{size.counts[0, 0, hundred]} of 100 miss, ")
        so_far = f"so far {size.counts[0, 0, : hundred + 1].sum()} of {100 * (hundred + 1)} miss"
        assert so_far in written(page, ".column .intervals svg")
    assert page.text("#explorer-explorer-again") == "Begin again with the first"
    page.press("Enter")
    assert column(page, 0)["intervals"].startswith(f"{size.counts[0, 0, 0]} of 100 miss, ")


def test_a_pointer_chooses_p_and_an_outcome(page: Browser) -> None:
    # The middle of a picture lies left of that of its axis, which has the labels on its left.
    page.click(".column .coverage svg")
    assert shown(page)[1] == "0.45"
    page.click(".column .outcomes svg")
    assert shown(page)[2] == "9"
    page.click(".column .outcomes svg")
    assert shown(page)[2] == "none"


def test_views_change_the_pictures_and_no_number(page: Browser) -> None:
    before = column(page, 0)
    page.choose("select[name='floor']", "0.8")
    page.click("input[name='near']")
    page.click("input[name='only']")
    assert column(page, 0) == before
    ticks = page.run(
        "return [...document.querySelectorAll('.column .coverage text')].map((t) => t.textContent)"
    )
    assert {"80", "100", "0.3"} <= set(ticks)
    assert "0.8" not in ticks
    opacity = "return getComputedStyle(document.querySelector('.interval.held')).opacity"
    assert page.run(opacity) == "0.15"


def test_every_control_is_reached_by_the_keyboard(page: Browser) -> None:
    wanted = page.run(
        "return document.querySelectorAll('.choices :is(input, select, button):enabled').length"
    )
    page.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    reached = set()
    for _ in range(wanted + 3):
        page.press("Tab")
        reached.add(
            page.run(
                "const at = document.activeElement;"
                "return at.closest('.choices') ? `${at.name} ${at.value} ${at.id}` : ''"
            )
        )
    assert len(reached - {""}) == wanted


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_axe_finds_no_violation(browser: Browser, file: Path, width: int, scheme: str) -> None:
    browser.emulate(width=width, scheme=scheme, offline=True)
    page = opened(browser, file)
    page.click("input[name='method'][value='2']")
    page.choose(X, 3)
    settled(page)
    assert violations(page) == []
    assert not page.run(IS_TOO_WIDE)


def test_the_page_says_nothing_to_the_console_and_asks_for_nothing(page: Browser) -> None:
    page.choose(N, 2)
    page.click("#explorer-explorer-again")
    settled(page)
    assert page.console() == []
    assert page.requests() == []


@pytest.mark.parametrize("methods", [2, 4])
def test_all_pictures_and_controls_are_in_view_together(
    browser: Browser, file: Path, methods: int
) -> None:
    browser.emulate(width=1400, height=950, offline=True)
    page = opened(browser, file)
    for value in range(2, methods):
        page.click(f"input[name='method'][value='{value}']")
    settled(page)
    ends = page.run(
        "return [...document.querySelectorAll('.choices, .column svg')].map("
        "(each) => each.getBoundingClientRect().bottom)"
    )
    assert max(ends) <= 950


ADDRESS = "return location.hash"
VIEW = "#family=proportion&n=30&p=0.1&method=wilson&method=mid_p"


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_picture_is_saved_as_it_is_seen(page: Browser, ending: str) -> None:
    """The file needs no style sheet, and a PNG has twice the pixels of the screen."""
    start, kind, width = page.run(
        "const saved = new Promise((done) => { URL.createObjectURL = (blob) => {"
        " done(blob); return '#'; }; });"
        f"document.querySelector(\"button[value='{ending}']\").click();"
        "const blob = await saved;"
        "if (blob.type === 'image/png') {"
        " return ['', blob.type, (await createImageBitmap(blob)).width]; }"
        "const text = await blob.text();"
        "const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;"
        "return [text, blob.type, Number(svg.getAttribute('width'))];"
    )
    shown = page.run("return document.querySelector('.panels').clientWidth")
    assert (kind, ending) in {("image/svg+xml", "svg"), ("image/png", "png")}
    if ending == "png":
        assert 2 * shown <= width <= 2 * (shown + 40)
        return
    assert shown <= width <= shown + 40
    assert "class=" not in start
    assert "var(" not in start
    for words in ("Wald", "Outcomes that miss: ", "true proportion p", "hold p"):
        assert words in start


def test_the_address_has_the_view(page: Browser) -> None:
    page.choose(N, 2)
    page.choose(P, 1)
    page.click("input[name='method'][value='0']")
    page.click("input[name='method'][value='4']")
    assert page.until(VIEW, ADDRESS) == VIEW


def test_a_link_opens_the_view_again(browser: Browser, file: Path) -> None:
    page = browser
    page.open(f"{file.as_uri()}{VIEW}")
    settled(page)
    shown = "return [...document.querySelectorAll('.column h3')].map((each) => each.textContent)"
    assert page.run(shown) == ["Wilson score", "Mid-P"]
    assert "At n = 30 and p = 0.1 the" in column(page, 1)["sentence"]
    assert page.run("return document.querySelector(arguments[0]).value", N) == "2"


@pytest.mark.parametrize("words", ["n=7&p=x&method=none", "family=rate&n=30&method=mid_p", "part"])
def test_a_link_to_what_the_page_lacks_opens_its_first_view(
    browser: Browser, file: Path, words: str
) -> None:
    browser.open(f"{file.as_uri()}#{words}")
    settled(browser)
    assert "At n = 20 and p = 0.05 the Wald" in column(browser, 0)["sentence"]


def test_without_scripts_there_is_a_picture_and_a_sentence(browser: Browser, file: Path) -> None:
    browser.without_scripts()
    browser.open(file)
    browser.without_scripts(off=False)
    assert "At n = 20 and p = 0.05 the Wald interval misses" in browser.text("noscript")
    seen = "return document.querySelector(arguments[0])?.getBoundingClientRect().height ?? 0"
    assert browser.run(seen, ".still svg") > 100
    assert browser.run(seen, ".desk") == 0


def test_long_and_foreign_labels_stay_text_and_in_place(browser: Browser, tmp_path: Path) -> None:
    labels = ["<img src=x onerror=alert(1)>", "רווח סמך של ולד", "long " * 39 + "label"]
    methods = [{"name": "wald", "label": label} for label in labels]
    config = {
        **CONFIG,
        "title": "A title of many words, " * 12 + "and a few more of them.",
        "methods": methods,
    }
    file = tmp_path / "page.html"
    file.write_text(render(explorer(load_experiment(config))), "utf-8")
    for width in (390, 1400):
        browser.emulate(width=width, offline=True)
        page = opened(browser, file)
        if width == 390:
            page.click("input[name='method'][value='2']")
        assert column(page, 0)["title"] == labels[0]
        assert page.run("return document.querySelectorAll('img').length") == 0
        assert not page.run(IS_TOO_WIDE)
        assert violations(page) == []
    assert page.console() == []
