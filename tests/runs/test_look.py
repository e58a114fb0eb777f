"""Every icon that is named is drawn, every style sheet is loaded, no style is inline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runs import words

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SHEET = (ROOT / "templates" / "components" / "icons.html").read_text()


def test_every_icon_a_template_names_is_on_the_sheet():
    named = {
        name for path in TEMPLATES for name in re.findall(r'{% icon "([^"]+)"', path.read_text())
    }

    assert {name for name in named if f'id="i-{name}"' not in SHEET} == set()


def test_every_word_has_an_icon_on_the_sheet():
    tables = [value for value in vars(words).values() if isinstance(value, dict)]
    listed = [word for table in tables for word in table.values() if isinstance(word, words.Word)]

    assert listed
    assert {word.icon for word in listed if f'id="i-{word.icon}"' not in SHEET} == set()


def test_every_style_sheet_is_imported_into_its_layer():
    folder = ROOT / "static" / "css"
    imported = set(re.findall(r'url\("([^"]+)"\) layer', (folder / "site.css").read_text()))
    files = {str(path.relative_to(folder)) for path in folder.rglob("*.css")}

    assert files - imported == {"site.css", "admin.css"}
    assert imported <= files


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_holds_no_inline_style_script_or_handler(path):
    text = path.read_text()

    assert not re.search(r"\sstyle=|<style|\son[a-z]+=|hx-on", text)
    assert not re.search(r"<script(?![^>]* src=)", text)
    assert "|safe" not in text
    assert "autoescape off" not in text


def test_the_script_stays_small():
    assert len((ROOT / "static" / "js" / "app.js").read_text().splitlines()) < 150
