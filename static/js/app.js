/* What HTML cannot do by itself. Everything here is extra: each page works without it. */
"use strict";

const POLL_SHORT = 4000;
const POLL_LONG = 60000;

/* -- copying a command or an id */

function showCopyButtons(root) {
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

/* -- asking whether anything is new: only while somebody looks, slower when nothing happens */

let pollWait = POLL_SHORT;
let lastUse = Date.now();

function poll() {
  const asker = document.querySelector("[data-poll]");
  if (asker && window.htmx && document.visibilityState === "visible") {
    htmx.trigger(asker, "poll");
  }
  const idle = Date.now() - lastUse > POLL_LONG;
  setTimeout(poll, (idle ? POLL_LONG : pollWait) * (0.9 + Math.random() * 0.2));
}

function setLive(state, text) {
  const live = document.getElementById("live");
  if (!live) return;
  live.dataset.state = state;
  live.textContent = text;
}

function afterPoll(event) {
  if (!event.detail.elt.matches("[data-poll]")) return;
  const status = event.detail.xhr.status;
  if (status === 200 && event.detail.elt.textContent.trim()) announce(event.detail.elt.innerText);
  if (status === 200 || status === 204) {
    pollWait = POLL_SHORT;
    setLive("live", `live · checked ${new Date().toISOString().slice(11, 19)} UTC`);
    return;
  }
  pollWait = Math.min(pollWait * 2, POLL_LONG);
  setLive("failed", "could not check; what is shown may be old");
}

/* -- text that was typed survives a lost session; it stays in this tab and goes when sent */

function draftKey(field) {
  return `draft:${field.form.getAttribute("action") || location.pathname}:${field.name}`;
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

function dropDrafts() {
  /* A result page means that what was typed is in the log now. */
  const written = document.querySelector("[data-written]");
  if (!written) return;
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(`draft:${written.dataset.written}`)) sessionStorage.removeItem(key);
  }
}

/* -- keys: `/` searches, j and k move through a list, Ctrl+Enter sends a chosen answer */

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]") !== null;
}

function move(step) {
  const links = [...document.querySelectorAll(".item-title, .table tbody tr td:first-child a")];
  if (!links.length) return;
  const at = links.indexOf(document.activeElement);
  links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
}

function sendChosen(event) {
  const form = event.target.form;
  const sender = form && form.querySelector("[data-submit-key]");
  if (!sender || !form.querySelector("input[type=radio]:checked")) return;
  event.preventDefault();
  form.requestSubmit(sender);
}

function onKey(event) {
  lastUse = Date.now();
  if (event.isComposing) return;
  if (event.ctrlKey && event.key === "Enter" && event.target.matches("textarea")) {
    sendChosen(event);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const acts = {
    "/": () => document.getElementById("search")?.focus(),
    j: () => move(1),
    k: () => move(-1),
  };
  if (!acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
}

function prepare(root) {
  showCopyButtons(root);
  restoreDrafts(root);
}

document.addEventListener("keydown", onKey);
document.addEventListener("pointerdown", () => { lastUse = Date.now(); });
document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (button) copy(button);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-keep]")) keepDraft(event.target);
});
document.addEventListener("htmx:afterRequest", afterPoll);
document.addEventListener("htmx:load", (event) => prepare(event.detail.elt));
dropDrafts();
prepare(document);
setTimeout(poll, POLL_SHORT);
