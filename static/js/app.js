/* What HTML cannot do by itself. Everything here is extra: each page works without it. */
"use strict";

/* -- copying a command or an id, and other parts that are there with scripts only */

function showWhatNeedsScripts(root) {
  for (const part of root.querySelectorAll("[data-script][hidden]")) part.hidden = false;
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll(".copy[hidden]")) button.hidden = false;
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    return;
  }
  button.dataset.state = "copied";
  announce("Copied");
  setTimeout(() => delete button.dataset.state, 1500);
}

function announce(text) {
  const region = document.getElementById("announce");
  if (region) region.textContent = text;
}

/* -- text that was typed survives a lost session; it stays in this tab and goes when sent */

const draftsOf = (address) => `draft:${address}`;

function draftKey(field) {
  return `${draftsOf(field.form.getAttribute("action") || location.pathname)}:${field.name}`;
}

function restoreDrafts(root) {
  for (const field of root.querySelectorAll("[data-keep]")) {
    const kept = sessionStorage.getItem(draftKey(field));
    if (kept && !field.value) field.value = kept;
  }
}

function keepDraft(field) {
  sessionStorage.setItem(draftKey(field), field.value);
}

function forgetDrafts(prefix) {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  }
}

function dropDrafts() {
  /* A result page means that what was typed is in the log now; a notice that the form just
     sent has done its part. A page of a lost session is neither. */
  const written = document.querySelector("[data-written]");
  if (written) forgetDrafts(draftsOf(written.dataset.written));
  const sent = sessionStorage.getItem("sent");
  sessionStorage.removeItem("sent");
  const done = document.querySelector('#notices .notice:not([data-tone="bad"])');
  if (sent && done) forgetDrafts(`${draftsOf(sent)}:`);
}

/* -- a swap loses neither the place of the keyboard nor what was ticked */

let place = null;
let ticked = [];

function rememberPlace(event) {
  const target = event.detail.target;
  const active = document.activeElement;
  ticked = [...target.querySelectorAll(".item-tick:checked")].map((tick) => tick.value);
  place = null;
  if (!active || active === document.body) return;
  place = {
    id: active.id,
    row: active.closest(".item")?.id,
    href: active.getAttribute("href"),
    start: active.selectionStart,
    end: active.selectionEnd,
  };
}

function sameAgain() {
  const row = place.row && document.getElementById(place.row);
  return [
    place.id && document.getElementById(place.id),
    row && row.querySelector(".item-title"),
    place.href && document.querySelector(`main a[href="${CSS.escape(place.href)}"]`),
    document.getElementById("inbox-title"),
    document.getElementById("detail"),
    document.getElementById("content"),
  ].filter(Boolean);
}

function restorePlace() {
  for (const id of ticked) {
    const tick = document.querySelector(`.item-tick[value="${CSS.escape(id)}"]`);
    if (tick) tick.checked = true;
  }
  ticked = [];
  if (!place || (document.activeElement && document.activeElement !== document.body)) return;
  for (const candidate of sameAgain()) {
    candidate.focus({ preventScroll: true });
    if (document.activeElement === candidate) break;
  }
  place = null;
}

/* -- rows that are handled together: all means all that are shown */

function tickAll(box) {
  for (const tick of document.querySelectorAll(".item-tick")) tick.checked = box.checked;
}

function prepare(root) {
  showWhatNeedsScripts(root);
  restoreDrafts(root);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (button) copy(button);
});
document.addEventListener("change", (event) => {
  if (event.target.id === "tick-all") tickAll(event.target);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-keep]")) keepDraft(event.target);
});
document.addEventListener("submit", (event) => {
  const address = event.target.getAttribute("action") || location.pathname;
  /* Who signs out by themselves leaves nothing behind for the next person at this screen. */
  if (address.endsWith("/logout/")) sessionStorage.clear();
  else sessionStorage.setItem("sent", address);
});
document.addEventListener("htmx:beforeSwap", rememberPlace);
document.addEventListener("htmx:afterSettle", restorePlace);
document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));

dropDrafts();
prepare(document);
