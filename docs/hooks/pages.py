"""Puts the pages that stand elsewhere in the repository onto the site, their links turned.

The cookbook's pages come from their scripts, the rest are Markdown files; nothing is kept twice.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent.parent
#: Where a file of the repository stands on the site.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "licence.md",
    "cookbook/results/README.md": "results.md",
    **{
        path.relative_to(ROOT).as_posix(): f"results/{path.name}"
        for path in sorted(ROOT.glob("cookbook/results/*.md"))
        if path.name != "README.md"
    },
    **{
        path.relative_to(ROOT).as_posix(): f"benchmarks/{path.name}"
        for path in sorted(ROOT.glob("benchmarks/results/*.md"))
    },
    **{
        path.relative_to(ROOT).as_posix(): f"cookbook/{path.stem}.md"
        for path in sorted(ROOT.glob("cookbook/[0-9]*.py"))
    },
    **{
        path.relative_to(ROOT).as_posix(): path.relative_to(ROOT / "docs").as_posix()
        for path in sorted(ROOT.glob("docs/*.*"))
    },
}
PICTURES = {
    path.relative_to(ROOT).as_posix(): f"results/{path.name}"
    for path in sorted(ROOT.glob("cookbook/results/*.png"))
}
SOURCE = {place: source for source, place in PAGES.items()}
_LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures from outside ``docs``."""
    for source, place in {**PAGES, **PICTURES}.items():
        if source.startswith("docs/"):
            continue
        if source.endswith(".png"):
            files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
        else:
            files.append(File.generated(config, place, content=_text(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    place = page.file.src_uri
    source = PurePosixPath(SOURCE.get(place, f"docs/{place}"))

    def turned(match: re.Match[str]) -> str:
        target = os.path.normpath(source.parent / match[2])
        there = {**PAGES, **PICTURES}.get(target)
        if there is None:
            # A file that is no page, such as recorded data, is named and not linked; one that is
            # nowhere is left as it is, for the strict build to stop at.
            return "](#" + match[3].lstrip("#") if (ROOT / target).exists() else match[0]
        start = PurePosixPath(place).parent
        return f"{match[1]}{os.path.relpath(there, start)}{match[3]}"

    return _LINK.sub(turned, markdown)


def _text(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return _script(text)
    return f"# Licence\n\n{text}" if path.name == "LICENSE" else text


def _script(text: str) -> str:
    """A percent-format script as Markdown: its comments as prose, the rest as code."""
    parts = []
    for cell in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        kind, _, body = cell.partition("\n")
        if "[markdown]" in kind:
            lines = (re.sub(r"^# ?", "", line) for line in body.strip().splitlines())
            parts.append("\n".join(lines))
        elif body.strip():
            parts.append(f"```python\n{body.strip()}\n```")
    return "\n\n".join(parts) + "\n"
