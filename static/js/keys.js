/* The keys of runs/keymap.py. None decides anything; they rest in fields, with modifiers, while
   an input method composes, while a dialog is open, and where a person switched them off. */
"use strict";

const CHORD_PATIENCE = 1500;
let leader = 0;

const singleKeys = () => document.documentElement.dataset.keys !== "off";

function isTyping(target) {
  const field = target.closest?.("input, textarea, select, [contenteditable]");
  return Boolean(field) && !field.matches(".item-tick");
}

/* -- rows of whatever list the page has */

function rows() {
  const found = [...document.querySelectorAll(".item, .table tbody tr, [data-hit]")];
  return found.map(rowLink).filter((link) => link && link.getClientRects().length);
}

function rowLink(row) {
  return row.matches("a") ? row : row.querySelector(".item-title, a[href]");
}

function currentRow(list) {
  const active = document.activeElement;
  const at = list.findIndex((link) => link === active || rowOf(link).contains(active));
  return at;
}

function rowOf(link) {
  return link.closest(".item, tr, [data-hit]") || link;
}

function move(step) {
  const list = rows();
  if (!list.length) return;
  const chosen = list.findIndex((link) => link.getAttribute("aria-current") === "true");
  const at = currentRow(list);
  const next = at < 0 ? (chosen < 0 ? 0 : chosen) : at + step;
  list[Math.min(Math.max(next, 0), list.length - 1)].focus();
}

function openRow() {
  const list = rows();
  const at = currentRow(list);
  if (at >= 0) list[at].click();
}

function tickRow() {
  const list = rows();
  const at = currentRow(list);
  rowOf(list[at] || document.body).querySelector?.(".item-tick")?.click();
}

/* -- where somebody came from, to go back to */

function listAddress() {
  const inbox = document.getElementById("inbox");
  return location.pathname + (inbox ? `?${inbox.dataset.list}` : location.search);
}

function rememberRow(event) {
  const row = event.target.closest?.("#inbox .item, main .table tbody tr");
  const link = row && rowLink(row);
  if (!link) return;
  const kept = { list: listAddress(), row: link.getAttribute("href") };
  sessionStorage.setItem("place", JSON.stringify(kept));
}

function rememberInbox() {
  if (!document.getElementById("inbox")) return;
  const open = document.querySelector('.item-title[aria-current="true"]');
  const kept = { list: listAddress(), row: open?.getAttribute("href") || "" };
  sessionStorage.setItem("place", JSON.stringify(kept));
}

function keptPlace() {
  return JSON.parse(sessionStorage.getItem("place") || "null");
}

function focusRow(href) {
  const link = rows().find((one) => one.getAttribute("href") === href);
  link?.focus();
}

function back() {
  const kept = keptPlace();
  const inbox = document.getElementById("inbox");
  const backLink = document.querySelector(".inbox-back");
  if (inbox && backLink?.getClientRects().length) {
    sessionStorage.setItem("focus-row", kept?.row || "");
    backLink.click();
  } else if (inbox) {
    document.querySelector('.item-title[aria-current="true"], .item-title')?.focus();
  } else {
    sessionStorage.setItem("focus-row", kept?.row || "");
    location.assign(kept?.list || document.querySelector(".brand").href);
  }
}

function restoreRow() {
  const href = sessionStorage.getItem("focus-row");
  if (!href) return;
  sessionStorage.removeItem("focus-row");
  focusRow(href);
}

/* -- items */

function swapInbox(verb, address, values) {
  const inbox = document.getElementById("inbox");
  htmx.ajax(verb, address, { source: inbox, target: "#inbox", swap: "outerHTML show:none", values });
}

function nextItem() {
  const inbox = document.getElementById("inbox");
  const open = document.querySelector(".item-title[aria-current]");
  const kept = open?.getAttribute("href") || keptPlace()?.row || "";
  const beside = new URLSearchParams(kept.split("?")[1]).get("item") || "";
  const address = `${inboxAddress(inbox)}&item=next&beside=${beside}`;
  if (inbox) swapInbox("GET", address);
  else location.assign(address);
}

function inboxAddress(inbox) {
  /* The list somebody works through, narrowed as it was; else everything that is open. */
  const first = `${document.querySelector(".brand").pathname}?`;
  const kept = keptPlace()?.list || "";
  if (inbox) return first + inbox.dataset.list;
  return kept.startsWith(first) ? kept : `${first}tab=all`;
}

function claim() {
  const form = document.querySelector("form[data-claim]");
  const row = document.activeElement.closest(".item");
  if (row && row.querySelector(".item-tick") && !row.matches("[data-selected]")) claimRow(row);
  else if (form) form.requestSubmit();
  else announce("Nothing here can be claimed by you");
}

function claimRow(row) {
  const base = document.querySelector(".brand").pathname;
  const id = row.querySelector(".item-tick").value;
  const query = document.getElementById("inbox").dataset.list;
  swapInbox("POST", `${base}items/${id}/claim/`, { query });
}

/* -- places of a page, and other pages */

function goTo(selectors) {
  const part = selectors.map((one) => document.querySelector(one)).find(Boolean);
  if (!part) return announce("There is none on this page");
  part.scrollIntoView({ block: "start" });
  focusPart(part);
}

function focusPart(part) {
  if (!part.hasAttribute("tabindex")) part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

function decision() {
  const card = document.querySelector(`main form:has([name="request_id"]), #decide`);
  if (!card) return announce("Nothing is to be decided on this page");
  card.scrollIntoView({ block: "start" });
  const first = card.querySelector("textarea, input:not([type=hidden]), select, a.button, button");
  if (first) first.focus();
  else focusPart(card);
}

function goPage(ending) {
  const link = [...document.querySelectorAll(".side a")].find((one) => one.pathname.endsWith(ending));
  if (link) location.assign(link.href);
  else announce("That page is not in your menu");
}

async function showKeys() {
  const place = document.querySelector(".keys-link");
  if (!place) return;
  const answer = await fetch(place.href, { headers: { "HX-Request": "true" } });
  if (!answer.ok) return location.assign(place.href);
  const text = await answer.text();
  keysDialog(text).showModal();
}

function keysDialog(text) {
  document.getElementById("keys-dialog")?.remove();
  const dialog = document.createElement("dialog");
  dialog.id = "keys-dialog";
  dialog.className = "keys-dialog";
  dialog.setAttribute("aria-labelledby", "keys-title");
  dialog.innerHTML = '<div class="spread"><h2 id="keys-title">Keys</h2>'
    + '<form method="dialog"><button class="button" data-size="small">Close</button></form></div>';
  dialog.insertAdjacentHTML("beforeend", text);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  return dialog;
}

/* -- what a key does */

const ACTS = {
  "/": () => document.getElementById("search")?.focus(),
  "?": showKeys,
  j: () => move(1),
  k: () => move(-1),
  o: openRow,
  x: tickRow,
  u: back,
  n: nextItem,
  c: claim,
  d: decision,
  e: () => goTo(["#evidence", "#why", "#history"]),
  r: () => { if (asker()) pause(!follow.paused); },
  g: () => { leader = Date.now(); },
};
const AFTER_G = {
  i: () => location.assign(document.querySelector(".brand").href),
  r: () => goPage("/runs/"),
  a: () => goPage("/chain/"),
};
const MAY_REPEAT = new Set(["j", "k"]);

function sendChosen(event) {
  const form = event.target.form;
  const sender = form && form.querySelector("[data-submit-key]");
  if (!sender || !form.querySelector("input[type=radio]:checked")) return;
  event.preventDefault();
  form.requestSubmit(sender);
}

function leaveField(event) {
  const card = event.target.closest("section, form") || document.getElementById("content");
  event.target.blur();
  focusPart(card);
}

function onKey(event) {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.ctrlKey && event.key === "Enter" && event.target.matches("textarea")) sendChosen(event);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape" && event.target.matches("textarea")) leaveField(event);
    return;
  }
  if (singleKeys()) act(event);
}

function act(event) {
  const follows = Date.now() - leader < CHORD_PATIENCE;
  leader = 0;
  const found = (follows && AFTER_G[event.key]) || ACTS[event.key];
  if (!found || (event.repeat && !MAY_REPEAT.has(event.key))) return;
  event.preventDefault();
  found();
}

document.addEventListener("keydown", onKey);
document.addEventListener("focusin", rememberRow);
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id === "inbox") rememberInbox();
  restoreRow();
});
rememberInbox();
restoreRow();
