/* A page that is behind the store: a decision form that was overtaken leads to what changed, and
   while the store cannot be asked, buttons that write rest. What was typed stays either way. */
"use strict";

const WRITERS = 'main form[method="post"] button:not([type="button"])';

const openForm = () => document.querySelector("main form[data-decides]");
const isHeld = () => document.body.hasAttribute("data-held");

/* What the page asks about its form, so that the server says whether it still fits. */
function questionAsked() {
  const form = openForm();
  const digest = form?.elements.seen_digest?.value;
  if (!digest) return "";
  const asked = new URLSearchParams({ verb: form.dataset.decides, digest });
  if (form.dataset.key) asked.set("key", form.dataset.key);
  return `&${asked}`;
}

function overtake() {
  const form = openForm();
  const button = form?.querySelector("[data-decider]");
  if (!button || form.hasAttribute("data-overtaken")) return;
  form.toggleAttribute("data-overtaken", true);
  /* The same button, so that it keeps the focus; sent like this it writes nothing. */
  button.name = "step";
  button.value = "changes";
  button.formNoValidate = true;
  const hint = button.querySelector("kbd");
  button.replaceChildren("Review changes", ...(hint ? [" ", hint] : []));
  const said = document.createElement("p");
  said.id = "overtaken";
  said.className = "small muted";
  said.textContent = "This has changed since you opened it. What you typed is kept.";
  button.setAttribute("aria-describedby", said.id);
  button.closest(".row").after(said);
}

function holdWriters(wanted, since) {
  document.body.toggleAttribute("data-held", wanted);
  for (const button of document.querySelectorAll(WRITERS)) {
    if (wanted) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
  showHeld(wanted, since);
}

function showHeld(wanted, since) {
  const shown = document.getElementById("held");
  if (!wanted) {
    if (shown?.contains(document.activeElement)) document.getElementById("content").focus();
    shown?.remove();
  }
  if (!wanted || shown || !asker()) return;
  const notice = document.createElement("div");
  notice.id = "held";
  notice.className = "notice";
  notice.dataset.tone = "warn";
  const text = document.createElement("p");
  const again = document.createElement("button");
  again.type = "button";
  again.className = "button";
  again.dataset.size = "small";
  again.textContent = "Try now";
  again.addEventListener("click", poll);
  text.append(`Could not refresh${since}. Nothing is sent until that works again. `, again);
  notice.append(text);
  asker().append(notice);
  announce(`Could not refresh${since}. Nothing is sent until that works again.`);
}

/* Before anybody else hears of it: what rests is not sent, and the store is asked at once. */
window.addEventListener(
  "submit",
  (event) => {
    if (!isHeld() || event.target.method !== "post" || !event.target.closest("main")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    announce("Not sent: the page could not be refreshed. Trying again.");
    poll();
  },
  { capture: true },
);
window.addEventListener("online", () => isHeld() && poll());
document.addEventListener("htmx:afterSettle", () => {
  if (isHeld()) holdWriters(true, "");
});
