"""The hook of MkDocs: it adds the generated pages and the pictures of ``results/`` to the site.

MkDocs builds from ``docs/``. The front page is README.md, and links of every page to files of the
repository lead to copies of these files in the site, so that the same link works beside the source
and in the site.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handbook import generated, links, requests
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the generated pages, and the pages of ``docs/`` that it does not name, into the menu."""
    config.nav = generated.navigation(config.nav or [])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages, and what the pages link to outside ``docs/``."""
    written = {
        file.src_uri: file.content_string
        for file in files.documentation_pages()
        if file.src_uri not in generated.PLACES
    }
    made = generated.pages()
    for uri, text in made.items():
        _replace(files, File.generated(config, uri, content=text))
    for target in links.targets({**written, **made}):
        if target.is_dir():
            _replace(files, File.generated(config, links.uri(target), content=links.index(target)))
            continue
        _replace(files, File.generated(config, links.uri(target), abs_src_path=str(target)))
    return files


def _replace(files: Files, file: File) -> None:
    """Add a file to the site in place of one of that name."""
    before = files.get_file_from_path(file.src_uri)
    if before is not None:
        files.remove(before)
    files.append(file)


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Turn links to files of the repository into links to pages and files of the site."""
    return links.rewritten(markdown, page.file.src_uri)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that would load something from another server.

    Raises:
        PluginError: a page or a style sheet does.
    """
    for file in sorted(Path(config.site_dir).rglob("*")):
        if file.suffix in requests.READERS:
            foreign = requests.READERS[file.suffix](file.read_text("utf-8"))
            if foreign:
                raise PluginError(f"{file} loads from another server: {', '.join(foreign)}")
