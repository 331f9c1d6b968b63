"""Opens every page of a built site in Chromium, and checks what only a browser can see.

    pip install playwright        # and a Chromium: apt-get install chromium
    python docs/site/browser.py target/site
    python docs/site/browser.py target/site --screenshots target/screenshots

No page may write an error to the console, load anything from outside of the site, or be wider than a
phone. The search must find its words, served and from files.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Request, sync_playwright

WORDS = ("bootstrapping", "magnitude")
SHOWN = (
    "index",
    "tutorials/ten-minutes",
    "tutorials/statistics",
    "cookbook/similarity-search",
    "guide/choosing-parameters",
    "reference/python/index",
    "reference/python/clients-and-servers",
    "reference/presets",
    "guide/speed",
)
WIDTHS = {"phone": (390, 844), "desktop": (1280, 900)}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


def watched(browser: Browser, width: int, height: int, base: str, problems: list[str]) -> Page:
    """A page whose errors and requests are noted."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.on(
        "console",
        lambda m: problems.append(f"{page.url}: console: {m.text}") if m.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda e: problems.append(f"{page.url}: error: {e}"))

    def requested(request: Request) -> None:
        if not request.url.startswith((base, "data:", "blob:")):
            problems.append(f"{page.url}: loads {request.url}")

    def failed(request: Request) -> None:
        # the next page aborts what the last one still loads
        if request.failure != "net::ERR_ABORTED":
            problems.append(f"{page.url}: failed: {request.url}")

    page.on("request", requested)
    page.on("requestfailed", failed)
    page.on("response", lambda r: problems.append(f"{page.url}: {r.status}: {r.url}") if r.status >= 400 else None)
    return page


def search(page: Page, address: str, problems: list[str]) -> None:
    for word in WORDS:
        page.goto(address)
        if (page.viewport_size or {"width": 0})["width"] < 1220:
            page.click("label.md-search__icon[for=__search]")
        page.click("input.md-search__input")
        page.keyboard.type(word)
        try:
            page.wait_for_selector("li.md-search-result__item", timeout=20000)
            found = page.inner_text("div.md-search-result__meta").strip()
            first = page.inner_text("li.md-search-result__item h1 >> nth=0").strip()
            print(f"search for {word}: {found}, first {first!r} ({address.split(':')[0]})")
        except Exception as error:
            problems.append(f"{address}: search for {word}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--screenshots", type=Path, help="folder for pictures of some pages")
    chosen = parser.parse_args()
    site: Path = chosen.site.resolve()
    if chosen.screenshots:
        chosen.screenshots.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    names = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html") if not p.is_relative_to(site / "rust"))
    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        for kind, (width, height) in WIDTHS.items():
            page = watched(browser, width, height, base, problems)
            for name in names:
                page.goto(base + name, wait_until="load")
                wide = page.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    problems.append(f"{name}: {wide} pixels wide on a {kind} of {width}")
                if chosen.screenshots and name.removesuffix(".html") in SHOWN:
                    stem = name.removesuffix(".html").replace("/", "-")
                    page.screenshot(path=chosen.screenshots / f"{stem}-{kind}.png")
                    page.screenshot(path=chosen.screenshots / f"{stem}-{kind}-whole.png", full_page=True)
            page.close()
        page = watched(browser, *WIDTHS["desktop"], base, problems)
        search(page, f"{base}index.html", problems)
        page.close()
        page = watched(browser, *WIDTHS["desktop"], site.as_uri(), problems)
        search(page, (site / "index.html").as_uri(), problems)
        browser.close()
    server.shutdown()
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{len(names)} pages at {len(WIDTHS)} widths, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
