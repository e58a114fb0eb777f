"""Take pictures of every page of a running console, in both themes and several widths.

usage: python -m tests.browser.shots URL FOLDER NAME < password

Also says which page overflows its width, logs an error, or has an axe finding,
so that looking and measuring are one step.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, EXECUTABLE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTHS = {1440: 940, 1024: 800, 390: 844, 320: 640}
SESSION = "/tmp/console-session.json"
THEMES = ("light", "dark")
START_PAGES = (
    "/",
    "/runs/",
    "/families/",
    "/actions/",
    "/chain/",
    "/acts/",
    "/chain/-/attest/",
    "/preferences/",
    "/keys/",
    "/views/",
    "/sessions/",
    "/people/sessions/",
    "/people/history/",
    "/notifications/",
    "/notifications/log/",
    "/webhooks/",
    "/webhooks/new/",
)
_TABS = ("actions", "timeline", "diff", "contract", "family", "notes")
_OVERFLOW = "document.documentElement.scrollWidth > window.innerWidth"


def main(argv: list[str]) -> int:
    """Take the pictures; return 1 if anything was found wrong."""
    base, folder, name = argv[0].rstrip("/"), Path(argv[1]), argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    password = sys.stdin.readline().rstrip("\n")
    troubles: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=ARGUMENTS)
        paths = _paths(browser, base, name, password)
        for theme in THEMES:
            troubles += _take(browser, base, folder, theme=theme, paths=paths)
        browser.close()
    print("\n".join(troubles) or "nothing found")
    return 1 if troubles else 0


def _paths(browser: Browser, base: str, name: str, password: str) -> dict[str, str]:
    """Sign in once, keep the session, and find one address of every kind of page."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{base}/login/")
    page.fill("#id_username", name)
    page.fill("#id_password", password)
    page.click("button[data-kind=primary]")
    page.wait_for_url(f"{base}/")
    context.storage_state(path=SESSION)
    found = {path.strip("/").replace("/", "-") or "inbox": path for path in START_PAGES}
    found |= _links(page, f"{base}/?tab=all", ".item-title", "item")
    found |= _links(page, f"{base}/runs/", ".run-goal a", "run")
    found |= _chain_pages(page, base)
    found |= _action_pages(page, base)
    found |= _links(page, f"{base}/families/", "h2 a", "family")
    context.close()
    only = set(filter(None, os.environ.get("ONLY", "").split(",")))
    return {name: path for name, path in found.items() if not only or name in only}


def _links(page: Page, url: str, selector: str, word: str) -> dict[str, str]:
    page.goto(url)
    links = page.locator(selector)
    addresses = [links.nth(number).get_attribute("href") for number in range(links.count())]
    return {f"{word}-{number}": address or "/" for number, address in enumerate(addresses[:16])}


def _chain_pages(page: Page, base: str) -> dict[str, str]:
    """Two chains, the first broken where there is one, each with its walk."""
    chains = _links(page, f"{base}/chain/", "td a[href^='/chain/']", "chain")
    shown = {name: path for name, path in chains.items() if name in ("chain-0", "chain-3")}
    shown |= {f"{name}-walk": f"{path}walk/" for name, path in shown.items()}
    return shown | ({"attest": f"{shown['chain-0']}attest/"} if shown else {})


def _action_pages(page: Page, base: str) -> dict[str, str]:
    found = {"missing": "/runs/no-such-run/"}
    settle = _links(page, f"{base}/actions/", "a:text('Settle…')", "settle").get("settle-0")
    if not settle:
        return found
    run = settle.split("/actions/")[0] + "/"
    found |= {
        "settle": settle,
        "action": settle.removesuffix("settle/"),
        "event": f"{run}events/1/",
    }
    found |= {f"tab-{tab}": f"{run}?tab={tab}" for tab in _TABS}
    return found | {"confirm": f"{run}confirm/", "complete": f"{run}complete/"}


def _take(
    browser: Browser, base: str, folder: Path, *, theme: str, paths: dict[str, str]
) -> list[str]:
    troubles: list[str] = []

    def note(kind: str, text: str) -> None:
        if kind in ("error", "warning") and "404" not in text:
            troubles.append(f"console: {text}")

    for width, height in WIDTHS.items():
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if theme == "dark" else "light",
            storage_state=SESSION,
        )
        page = context.new_page()
        page.on("console", lambda message: note(message.type, message.text))
        page.on("pageerror", lambda error: note("error", str(error)))
        for name, path in paths.items():
            page.goto(base + path)
            if width != 320:
                page.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)
            troubles += _measured(page, f"{name} {width} {theme}", axe=width in (1440, 390))
        context.close()
    return troubles


def _measured(page: Page, where: str, *, axe: bool) -> list[str]:
    troubles = [f"{where}: wider than the window"] if page.evaluate(_OVERFLOW) else []
    if not axe:
        return troubles
    for violation in Axe().run(page, options={"preload": False}).response["violations"]:
        for node in violation["nodes"][:3]:
            summary = " ".join(node["failureSummary"].split())
            troubles.append(f"{where}: {violation['id']} {node['target']} {summary}")
    return troubles


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
