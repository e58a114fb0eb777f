/* Follows the store while somebody looks: asks whether anything is new, shows a banner and counts,
   and touches nothing a person may be reading, typing in, ticking or selecting. */
"use strict";

const POLL_USED = 3000;
const POLL_IDLE = 60000;
const POLL_MOST = 300000;
const POLL_PATIENCE = 10000;
const USED_FOR = 60000;

const follow = {
  paused: sessionStorage.getItem("paused") === "yes",
  signedOut: false,
  lastUse: Date.now(),
  failures: 0,
  number: 0,
  timer: 0,
  since: null,
};

const asker = () => document.querySelector("[data-poll]");

/* The zone as the server names it, at the end of what the page says about its age. */
const ZONE_NAME = document.getElementById("live")?.textContent.trim().split(" ").pop();

function clockNow() {
  const zone = document.documentElement.dataset.zone || "UTC";
  const shape = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
  const clock = new Intl.DateTimeFormat("en-GB", { ...shape, timeZone: zone });
  return `${clock.format(new Date())} ${ZONE_NAME}`;
}

function setLive(state, text) {
  const live = document.getElementById("live");
  if (!live) return;
  live.dataset.state = state;
  live.textContent = text;
  document.body.toggleAttribute("data-stale", state === "failed" || state === "signed-out");
  holdWriters(state === "failed", follow.since ? ` since ${follow.since}` : "");
}

function pollDelay() {
  const used = Date.now() - follow.lastUse < USED_FOR;
  const wait = (used ? POLL_USED : POLL_IDLE) * 2 ** Math.min(follow.failures, 8);
  return Math.min(wait, POLL_MOST) * (0.9 + Math.random() * 0.2);
}

function planPoll() {
  clearTimeout(follow.timer);
  if (follow.paused || follow.signedOut || document.visibilityState === "hidden") return;
  follow.timer = setTimeout(poll, pollDelay());
}

async function poll() {
  clearTimeout(follow.timer);
  const asking = asker();
  if (!asking || follow.paused || follow.signedOut) return;
  const number = ++follow.number;
  try {
    const answer = await ask(asking);
    const text = answer.status === 200 ? await answer.text() : "";
    /* An answer to an older question, or for a list that is no longer there, says nothing. */
    if (number === follow.number && asking === asker()) takeIn(asking, answer, text);
  } catch {
    if (number === follow.number) fail();
  }
  if (number === follow.number) planPoll();
}

function ask(asking) {
  const url = `${asking.dataset.poll}&mark=${encodeURIComponent(asking.dataset.mark)}${questionAsked()}`;
  return fetch(url, {
    headers: { "HX-Request": "true", "HX-Current-URL": location.href },
    redirect: "manual",
    signal: AbortSignal.timeout(POLL_PATIENCE),
  });
}

function takeIn(asking, answer, text) {
  if (answer.status === 401 || answer.type === "opaqueredirect") {
    signOut();
  } else if (answer.status === 204 || answer.status === 200) {
    follow.failures = 0;
    follow.since = clockNow();
    takeRows(answer, answer.status === 200 ? tell(asking, text) : null);
    setLive("live", `live · checked ${follow.since}`);
  } else {
    fail();
  }
}

function fail() {
  follow.failures += 1;
  const since = follow.since ? ` since ${follow.since}` : "";
  setLive("failed", `could not refresh${since}`);
}

function signOut() {
  follow.signedOut = true;
  setLive("signed-out", "signed out");
  const notices = document.getElementById("notices");
  if (!notices || document.getElementById("signed-out")) return;
  const notice = document.createElement("div");
  notice.id = "signed-out";
  notice.className = "notice";
  notice.dataset.tone = "warn";
  const text = document.createElement("p");
  const link = document.createElement("a");
  const next = encodeURIComponent(location.pathname + location.search);
  link.href = `${notices.dataset.login}?next=${next}`;
  link.textContent = "Sign in again";
  text.append("You are signed out. What you typed is kept in this tab. ", link);
  notice.append(text);
  notices.append(notice);
}

function tell(asking, text) {
  const holder = document.createElement("template");
  holder.innerHTML = text;
  const answer = holder.content.querySelector(".live-answer");
  if (answer) showNews(asking, answer);
  return holder.content;
}

function showNews(asking, answer) {
  asking.dataset.mark = answer.dataset.mark;
  showCounts(answer.dataset);
  if (answer.hasAttribute("data-overtaken")) overtake();
  const said = answer.textContent.trim().replace(/\s+/g, " ");
  if (said === asking.dataset.said) return;
  asking.dataset.said = said;
  for (const link of answer.querySelectorAll("a")) pointHere(link);
  keepingFocus(asking, () => asking.replaceChildren(answer));
  if (window.htmx) htmx.process(asking);
  announce(said.replaceAll("· show", ""));
}

function pointHere(link) {
  /* The list as it is narrowed now; the form beside it stays untouched. */
  link.href = location.href;
  if (!document.getElementById("inbox-list")) return;
  if (link.closest("[data-show]").dataset.show !== "list") return;
  link.setAttribute("hx-get", location.href);
  link.setAttribute("hx-select", "#inbox-list");
  link.setAttribute("hx-target", "#inbox-list");
  link.setAttribute("hx-swap", "outerHTML show:none");
  link.dataset.focusAfter = "inbox-title";
}

function keepingFocus(root, change) {
  const had = root.contains(document.activeElement);
  change();
  if (had) root.querySelector("a")?.focus();
}

function showCounts(numbers) {
  if (numbers.open === undefined) return;
  const badge = document.getElementById("inbox-badge");
  if (badge) {
    badge.toggleAttribute("data-hot", numbers.open !== "0");
    badge.textContent = numbers.open === "0" ? "" : grouped(numbers.open);
  }
  showStrip(numbers);
  /* A narrowed list counts what fits it, which these numbers do not tell. */
  if (document.querySelector(".filter-chips")) return;
  const tabs = { unclaimed: "unclaimed", mine: "mine", all: "open", decided: "decided" };
  for (const [tab, name] of Object.entries(tabs)) {
    const count = document.querySelector(`#tab-${tab} span`);
    if (count) count.textContent = grouped(numbers[name]);
  }
}

function showStrip(numbers) {
  const open = document.getElementById("strip-open");
  const decided = document.getElementById("strip-decided");
  if (!open || !decided) return;
  const number = document.createElement("b");
  number.textContent = grouped(numbers.open);
  const words = numbers.open === "1" ? " needs a person" : " need a person";
  open.replaceChildren(...(numbers.open === "0" ? ["Nobody is waiting"] : [number, words]));
  decided.textContent = `${grouped(numbers.decided)} decided today`;
}

function grouped(text) {
  return Number(text).toLocaleString("en-US");
}

function pause(wanted) {
  follow.paused = wanted;
  sessionStorage.setItem("paused", wanted ? "yes" : "no");
  showPause();
  if (wanted) {
    clearTimeout(follow.timer);
    setLive("paused", "paused");
  } else {
    poll();
  }
  announce(wanted ? "Live updates paused" : "Live updates go on");
}

function showPause() {
  const button = document.getElementById("live-pause");
  if (!button || !asker()) return;
  button.hidden = false;
  button.textContent = follow.paused ? "Go on" : "Pause";
  button.setAttribute("aria-pressed", String(follow.paused));
}

function noteUse() {
  const wasIdle = Date.now() - follow.lastUse >= USED_FOR;
  follow.lastUse = Date.now();
  if (wasIdle) planPoll();
}

for (const kind of ["keydown", "pointerdown", "wheel", "focusin"]) {
  document.addEventListener(kind, noteUse, { passive: true });
}
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") clearTimeout(follow.timer);
  else if (!follow.paused) poll();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("#live-pause")) pause(!follow.paused);
});
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 401) signOut();
});

showPause();
if (follow.paused && asker()) setLive("paused", "paused");
planPoll();
