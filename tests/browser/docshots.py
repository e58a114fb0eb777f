"""Take the pictures of the documentation from a running demo, in both themes.

usage: python -m tests.browser.docshots URL FOLDER NAME < password
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, EXECUTABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

DESK = {"width": 1440, "height": 940}
PHONE = {"width": 390, "height": 844}


def main(argv: list[str]) -> int:
    """Take them all; return 0."""
    base, folder, name = argv[0].rstrip("/"), Path(argv[1]), argv[2]
    password = sys.stdin.readline().rstrip("\n")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=ARGUMENTS)
        for theme in ("light", "dark"):
            _take(browser, base, folder, theme=theme, person=(name, password))
        browser.close()
    return 0


def _take(
    browser: Browser, base: str, folder: Path, *, theme: str, person: tuple[str, str]
) -> None:
    dark = theme == "dark"
    context = browser.new_context(color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.goto(f"{base}/login/")
    page.fill("#id_username", person[0])
    page.fill("#id_password", person[1])
    page.click("button[data-kind=primary]")
    page.wait_for_url(f"{base}/")
    for name, (size, go) in _PICTURES.items():
        page.set_viewport_size(size)  # type: ignore[arg-type]  # width and height
        go(page, base)
        part = page.locator(_PARTS[name]) if name in _PARTS else page
        part.screenshot(path=folder / f"{name}-{theme}.png")
    context.close()


def _item(page: Page, base: str) -> None:
    """The inbox with an effect beside it that nobody has settled."""
    page.goto(f"{base}/?tab=all")
    page.locator(".item-title", has_text="send_email").first.click()
    page.wait_for_selector("#settle-title")


def _review(page: Page, base: str) -> None:
    """What was chosen, read once more before it is written; nothing is."""
    _item(page, base)
    page.fill("#reason", "The mail provider's log shows it was delivered at 08:49")
    page.fill("#external_id", "msg-20441")
    page.check("input[value=occurred]")
    page.click("text=Review the decision")
    page.wait_for_selector("#review-title")


def _run(page: Page, base: str) -> None:
    _item(page, base)
    page.click(".crumbs .mono")
    page.wait_for_selector("#decide")


def _timeline(page: Page, base: str) -> None:
    _run(page, base)
    page.goto(f"{page.url.partition('?')[0]}?tab=timeline")
    page.wait_for_selector("#record svg.timeline, #record svg")


def _chain(page: Page, base: str) -> None:
    page.goto(f"{base}/chain/payments-nightly/")


def _phone(page: Page, base: str) -> None:
    page.goto(f"{base}/?tab=all")


_PICTURES: dict[str, tuple[dict[str, int], Callable[[Page, str], None]]] = {
    "inbox": (DESK, _item),
    "review": (DESK, _review),
    "run": (DESK, _run),
    "timeline": (DESK, _timeline),
    "chain": (DESK, _chain),
    "phone": (PHONE, _phone),
}

_PARTS = {"timeline": "#record"}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
