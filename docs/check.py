"""Checks a built documentation site: every link and anchor within it leads somewhere, and no page
loads anything from elsewhere.

    python docs/check.py target/site
    python docs/check.py target/site --external     # also lists the addresses that pages link to
"""

from __future__ import annotations

import argparse
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

#: Attributes by which a page loads something. `href` of `a` is a link, which loads nothing.
LOADED = {"src", "srcset", "data", "poster"}
#: Pages that another tool made.
FOREIGN = "rust/"


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.add(value)
            elif name in LOADED or (name == "href" and tag == "link"):
                self.loads.add(value)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--external", action="store_true", help="list the addresses that pages link to")
    chosen = parser.parse_args()
    root: Path = chosen.site.resolve()

    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    own = sorted(name for name in files if name.endswith(".html") and not name.startswith(FOREIGN))
    pages = {name: Page((root / name).read_text()) for name in own}
    errors: list[str] = []
    external: set[str] = set()
    checked = 0
    for name, page in pages.items():
        for target in sorted(page.links | page.loads):
            parts = urlsplit(target)
            if parts.scheme in ("data", "mailto", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                external.add(target)
                if target in page.loads:
                    errors.append(f"{name}: loads {target}")
                continue
            checked += 1
            path, anchor = urldefrag(target)
            # the page of errors has absolute links, since it is shown at any address
            base = root if path.startswith("/") else (root / name).parent
            found = (base / unquote(path).lstrip("/")).resolve() if path else root / name
            if found.is_dir():
                found /= "index.html"
            if not found.is_relative_to(root) or found.relative_to(root).as_posix() not in files:
                errors.append(f"{name}: {target}: no such file")
                continue
            other = pages.get(found.relative_to(root).as_posix())
            if anchor and other is not None and not anchor.startswith("__") and unquote(anchor) not in other.anchors:
                errors.append(f"{name}: {target}: no such anchor")

    if chosen.external:
        print("\n".join(sorted(external)))
    print("\n".join(errors), end="\n" if errors else "")
    print(
        f"{len(pages)} pages, {checked} links within the site, {len(external)} addresses elsewhere, {len(errors)} errors"
    )
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
