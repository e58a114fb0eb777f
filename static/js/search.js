/* Moving through what was found without the mouse. The page works without it: hits are links. */
"use strict";

const box = () => document.getElementById("search");
const hits = () => [...document.querySelectorAll("#found [data-hit]")];

function step(event) {
  const list = hits();
  const at = list.indexOf(document.activeElement);
  const inBox = document.activeElement === box();
  if (!inBox && at < 0) return;
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
  if (next < 0) box().focus();
  else list[Math.min(next, list.length - 1)]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
  else if (event.key === "Escape" && hits().includes(document.activeElement)) box().focus();
});

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id !== "found") return;
  const count = hits().length;
  const region = document.getElementById("announce");
  if (region) region.textContent = count ? `${count} shown` : "Nothing matches";
});
