/* Rows of the inbox say what is true now: how long they have waited, who holds them, and that they
   have left. None comes, goes or moves; what would move others waits until nobody points at them. */
"use strict";

const rowsOfInbox = { told: null, list: null, ahead: 0 };
const AGE_UNITS = [[86400, "d"], [3600, "h"], [60, "min"]];

const inboxRows = () => document.getElementById("items");

/* What a poll was answered; without an answer rows only grow older. */
function takeRows(answer, told) {
  const sent = Date.parse(answer.headers.get("Date"));
  if (sent) rowsOfInbox.ahead = Date.now() - sent;
  if (told) Object.assign(rowsOfInbox, { told, list: inboxRows() });
  showAges();
  showStates();
}

/* -- how long they have waited, by the server's clock */

function ageInWords(seconds) {
  const parts = [];
  let left = Math.max(0, Math.floor(seconds));
  for (const [size, unit] of AGE_UNITS) {
    if (left >= size && parts.length < 2) {
      parts.push(`${Math.floor(left / size)} ${unit}`);
      left %= size;
    } else if (parts.length) break;
  }
  return parts.join(" ") || "under 1 min";
}

function showAges() {
  const now = Date.now() - rowsOfInbox.ahead;
  for (const time of document.querySelectorAll(".item-head > time, #strip [data-age] time")) {
    const text = ageInWords((now - Date.parse(time.dateTime)) / 1000);
    if (time.textContent !== text && !isMarked(time)) time.textContent = text;
  }
}

/* -- who holds them, and which have left */

function showStates() {
  const { told, list } = rowsOfInbox;
  /* A list that was made since says more than an answer about the one before. */
  if (!told || !list || list !== inboxRows() || document.querySelector("#tab-decided[aria-current]")) return;
  const named = new Set();
  for (const state of told.querySelectorAll("template[data-item]")) {
    const row = document.getElementById(`item-${state.dataset.item}`);
    named.add(row);
    if (row) change(row, state.content.firstElementChild, state.hasAttribute("data-left"));
  }
  if (!told.querySelector("[data-whole]")) return;
  for (const row of list.children) if (!named.has(row)) change(row, null, false);
}

function change(row, chip, hasLeft) {
  const chips = row.querySelector(".row");
  const held = chips?.querySelector("[data-held]");
  if (!chips || isMarked(row) || row.hasAttribute("data-left")) return;
  if (!hasLeft && held?.textContent === chip?.textContent) return;
  if (!chip && !held) return;
  const before = [...chips.children];
  const height = row.offsetHeight;
  held?.remove();
  if (hasLeft) chips.firstElementChild.replaceWith(chip.cloneNode(true));
  else if (chip) chips.firstElementChild.after(chip.cloneNode(true));
  if (row.offsetHeight !== height && inboxRows().matches(":hover")) chips.replaceChildren(...before);
  else row.toggleAttribute("data-left", hasLeft);
}

function isMarked(part) {
  const marked = getSelection();
  return !marked.isCollapsed && marked.containsNode(part, true);
}
