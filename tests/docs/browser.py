"""The pages of the site in a browser, at two widths, light and dark.

``python -m tests.docs.browser build/site [FOLDER]`` needs Chromium and its driver. It fails where
a page is wider than the window, asks for anything but files of the site, shows a picture that does
not load, or has text of too little contrast; it stores pictures of some pages in FOLDER.
"""

import sys
import tempfile
from pathlib import Path

from tests.browser import open_browser

WIDTHS = (390, 1400)
SCHEMES = ("light", "dark")
EVERY_PAGE = ((390, "light"), (1400, "dark"))
"""Widths and schemes in which every page is looked at; in others only those that are pictured."""
PICTURED = ("index", "config_keys", "figures", "columns", "api", "methods/proportion")
CONTRAST = 4.5
"""The least ratio of luminances of text and what is behind it, of WCAG 2.1 at level AA."""

LOOK = """
const wide = document.documentElement.scrollWidth - window.innerWidth;
const asked = performance.getEntriesByType('resource').map(each => each.name);
const pictures = [...document.images];
pictures.forEach(each => { each.loading = 'eager'; });
const broken = pictures.filter(each => each.complete && each.naturalWidth === 0).map(e => e.src);
function light(colour) {
  const parts = colour.match(/[\\d.]+/g).map(Number);
  const [r, g, b] = parts.slice(0, 3).map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return [0.2126 * r + 0.7152 * g + 0.0722 * b, parts.length > 3 ? parts[3] : 1];
}
const behind = light(getComputedStyle(document.body).backgroundColor)[0];
const texts = ['.md-content p', '.md-content td', '.coverage svg text'];
const contrasts = texts.map(each => document.querySelector(each)).filter(Boolean).map(each => {
  const style = getComputedStyle(each);
  const [own, opaque] = light(each.tagName === 'text' ? style.fill : style.color);
  const seen = own * opaque + behind * (1 - opaque);
  return (Math.max(seen, behind) + 0.05) / (Math.min(seen, behind) + 0.05);
});
try { localStorage.clear(); } catch (error) { /* the next page follows the scheme anyway */ }
return {wide, asked, broken, contrast: Math.min(21, ...contrasts)};
"""


def faults(site: Path, pictures: Path) -> list[str]:
    """What is wrong with the pages, each with its width and scheme."""
    found: list[str] = []
    pages = sorted(each for each in site.rglob("*.html") if "repository" not in each.parts)
    with open_browser() as browser:
        for width in WIDTHS:
            for scheme in SCHEMES:
                browser.emulate(width=width, scheme=scheme)
                for page in pages:
                    name = page.relative_to(site).with_suffix("").as_posix()
                    if name not in PICTURED and (width, scheme) not in EVERY_PAGE:
                        continue
                    browser.open(page)
                    where = f"{name} at {width}, {scheme}"
                    found += [f"{where}: {what}" for what in _wrong(browser.run(LOOK))]
                    if name in PICTURED:
                        name = name.replace("/", "-")
                        browser.picture(pictures / f"{name}-{width}-{scheme}.png")
    return found


def _wrong(seen: dict) -> list[str]:
    foreign = [each for each in seen["asked"] if not each.startswith(("file:", "data:", "blob:"))]
    return [
        *([f"{seen['wide']} pixels wider than the window"] if seen["wide"] > 0 else []),
        *(f"asks for {each}" for each in foreign),
        *(f"does not show {each}" for each in seen["broken"]),
        *([f"contrast {seen['contrast']:.2f}"] if seen["contrast"] < CONTRAST else []),
    ]


def main(site: str, pictures: str | None = None) -> int:
    """Print what is wrong; 1 where something is."""
    folder = Path(pictures or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    found = faults(Path(site).resolve(), folder)
    verdict = "\n".join(found) or "No page is wrong at either width, light or dark."
    sys.stdout.write(f"{verdict}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
