"""Hooks of the documentation site.

The pages are the Markdown files of the repository, as they are. Some of them are outside of `docs`
(`README.md`, `SECURITY.md` and others), and some are notebooks; the hooks add these to the site,
and change every relative link, which is right in the repository, into the link that is right on the
site.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

sys.path.insert(0, str(Path(__file__).parent))
import commands  # noqa: E402
import notebooks  # noqa: E402
import pictures  # noqa: E402

ROOT = Path(__file__).parents[2]

#: Files outside of `docs`, and the pages that they become.
OUTSIDE = {
    "README.md": "overview.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "BENCHMARKING.md": "benchmarking.md",
    "python/README.md": "python-guide.md",
}
#: Links to these go to these pages.
INSTEAD = {
    "docs/README.md": "index.md",
    "examples": "examples.md",
    "docs/proofs": "proofs/noise.md",
}
EXAMPLES = "examples.md"
#: The notebooks, and the pages that they become.
NOTEBOOKS = {
    path.relative_to(ROOT).as_posix(): path.relative_to(ROOT / "docs").with_suffix(".md").as_posix()
    for path in (ROOT / "docs").rglob("*.ipynb")
}
#: The page of examples shows files with these endings, in these languages.
LANGUAGES = {".py": "python", ".c": "c", ".go": "go", ".html": "html", ".js": "javascript"}
#: The first page of the Rust reference, if `cargo doc` has made it.
RUST = ROOT / "target" / "doc" / "ringjet" / "index.html"

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *```.*?^ *```$)", re.M | re.S)


def on_config(config: Any) -> Any:
    """Takes pages out of the navigation that are optional and not there."""
    missing = {page for page in config.extra["optional_pages"] if not (ROOT / "docs" / page).exists()}

    def kept(entries: list[Any]) -> list[Any]:
        result = []
        for entry in entries:
            if isinstance(entry, dict):
                (title, target), *_ = entry.items()
                if isinstance(target, list):
                    result.append({title: kept(target)})
                elif target not in missing:
                    result.append(entry)
            elif entry not in missing:
                result.append(entry)
        return result

    config.nav = kept(config.nav)
    return config


def example_page() -> str:
    """A page with the programs of the folder `examples`."""
    parts = ["# Examples\n\nThe programs of the folder `examples`. The tests run them.\n"]
    for path in sorted((ROOT / "examples").glob("*")):
        if path.is_dir():
            parts.append(f"## {path.name}\n")
            parts += [program(f, f"### {path.name}/{f.name}") for f in sorted(path.glob("*")) if f.suffix in LANGUAGES]
        elif path.suffix in LANGUAGES:
            parts.append(program(path, f"## {path.name}"))
    return "\n".join(parts)


def program(path: Path, heading: str) -> str:
    return f"{heading}\n\n```{LANGUAGES[path.suffix]}\n{path.read_text()}```\n"


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages whose files are outside of `docs`, notebooks, and the pictures of measured times."""
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    for source, page in NOTEBOOKS.items():
        name = posixpath.basename(source)
        text = (
            f'{notebooks.markdown(ROOT / source)}\n<a href="{name}" download>{name}</a> is this page as a notebook.\n'
        )
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, EXAMPLES, content=example_page()))
    for name, text in pictures.pictures().items():
        files.append(File.generated(config, f"guide/{name}", content=text))
    return files


def source_of(page: str) -> str:
    """The file of a page, relative to the root of the repository."""
    for source, name in OUTSIDE.items():
        if name == page:
            return source
    return f"docs/{page}"


def page_of(path: str, files: Files) -> str | None:
    """The page or picture that shows a file of the repository, or None."""
    if path in INSTEAD:
        return INSTEAD[path]
    for pages in (OUTSIDE, NOTEBOOKS):
        if path in pages:
            return pages[path]
    for candidate in (path, f"{path}/README.md"):
        file = files.get_file_from_path(candidate.removeprefix("docs/"))
        if candidate.startswith("docs/") and file is not None and file.inclusion != InclusionLevel.EXCLUDED:
            return file.src_uri
    return None


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Changes links between files of the repository into links between pages."""
    here = page.file.src_uri
    if here == "index.md":
        page.meta["hide"] = ["navigation"]  # a list of one page
    folder = posixpath.dirname(source_of(here))

    def link(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, hash_, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(folder, path))
        if path.startswith("examples/"):
            return f"[{text}]({relative(EXAMPLES, here)}#{re.sub('[./]', '', path.removeprefix('examples/'))})"
        found = page_of(path, files)
        if found is not None:
            return f"[{text}]({relative(found, here)}{hash_}{anchor})"
        if not (ROOT / path).exists():
            return match[0]  # mkdocs reports it
        # A file of the repository that is no page: its name says where it is.
        return text if path in text else f"{text} (`{path}`)"

    if here == "reference/rust.md" and RUST.exists():
        link_to_rust = '<a href="../rust/ringjet/index.html">The reference</a> is part of this site.'
        markdown = markdown.replace("<!-- rust reference -->", link_to_rust)
    if here == "reference/command-line.md" and (binary := commands.program()):
        markdown = markdown.replace("<!-- commands of ringjet -->", "\n".join(commands.sections(binary)))
    # links are not changed within code
    pieces = FENCE.split(markdown)
    return "".join(piece if i % 2 else LINK.sub(link, piece) for i, piece in enumerate(pieces))


def relative(target: str, here: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(here) or ".")


def on_post_build(config: Any) -> None:
    """Copies the Rust reference into the site if `cargo doc` has made it."""
    if RUST.exists():
        shutil.copytree(RUST.parents[1], Path(config.site_dir) / "rust", dirs_exist_ok=True)
