"""What axe-core finds wrong with the page that a browser shows.

axe-core 4.14.1 (Mozilla Public License 2.0, https://github.com/dequelabs/axe-core) stands in the
folder `vendor` as its package of npm has it, for tests alone.
"""

from pathlib import Path

from tests.browser import Browser

AXE = Path(__file__).with_name("vendor") / "axe.min.js"

_ASK = """
const found = await axe.run(document, { resultTypes: ["violations"], preload: false });
return found.violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, any, all, none }) => {
  const why = [...any, ...all, ...none].map((each) => each.message);
  return `${id}: ${help}, at ${target.join(" ")}: ${why.join("; ")}`;
}));
"""


def violations(browser: Browser) -> list[str]:
    """What the rules of axe-core, best practices included, find in the page as it is now.

    Returns:
        A line for each element: the rule, the element, and why it breaks the rule.
    """
    if not browser.run("return typeof axe === 'object'"):
        browser.run(AXE.read_text("utf-8"))
    return list(browser.run(_ASK))
