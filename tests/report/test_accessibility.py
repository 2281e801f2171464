"""The rules of axe-core run in the browser, and find what is wrong."""

from pathlib import Path

from tests.browser import Browser
from tests.report.accessibility import violations

PAGE = """<!DOCTYPE html><html lang="en"><title>A page</title><link rel="icon" href="data:,">
<main><h1>A page</h1>{}</main></html>"""


def found(browser: Browser, folder: Path, content: str) -> list[str]:
    file = folder / "page.html"
    file.write_text(PAGE.format(content), "utf-8")
    browser.open(file)
    return violations(browser)


def test_a_page_with_labels_and_contrast_has_none(browser: Browser, tmp_path: Path) -> None:
    content = "<label>Size <input type='range'></label><p>Text</p>"
    assert found(browser, tmp_path, content) == []
    assert browser.requests() == []


def test_an_input_without_a_label_and_pale_text_are_found(browser: Browser, tmp_path: Path) -> None:
    content = "<input id='size' type='range'><p style='color: #ccc'>Text</p>"
    label, contrast = sorted(found(browser, tmp_path, content), reverse=True)
    assert label.startswith("label: ")
    assert "#size" in label
    assert contrast.startswith("color-contrast: ")
    assert "1.6" in contrast


def test_what_changes_after_a_first_look_is_looked_at_again(
    browser: Browser, tmp_path: Path
) -> None:
    assert found(browser, tmp_path, "<p>Text</p>") == []
    browser.run("document.querySelector('p').innerHTML = '<img src=\"data:,\">'")
    assert [each.partition(":")[0] for each in violations(browser)] == ["image-alt"]
