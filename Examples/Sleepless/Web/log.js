/** The device's log: who did what, and when. */

import { button, h, setHidden, setText } from "./dom.js";
import { millisecondsText, sameDay, shortDayText } from "./clock.js";
import { on } from "./server.js";

const kept = 4000;
const drawn = 600;
const handTime = 1000;
const actors = ["user", "system", "app"];
const strong = new Set(["launched", "phase", "terminated", "backgroundTasksExpired", "notificationDelivered"]);

const isLoud = (event) => event.kind === "fault" || event.kind === "warning";

export function makeLog(root, announce) {
  let events = [];
  const hidden = new Set();
  let follows = true;
  let isDue = false;

  const filters = actors.map((actor) => {
    const chip = button(actor[0].toUpperCase() + actor.slice(1), () => {
      if (hidden.has(actor)) hidden.delete(actor);
      else hidden.add(actor);
      chip.setAttribute("aria-pressed", String(!hidden.has(actor)));
      drawAll();
    }, { class: `chip actor-${actor}`, "aria-pressed": "true", "aria-label": `Show what the ${actor} did` });
    return chip;
  });
  const search = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the log", on: { input: drawAll } });
  const copied = h("span", { class: "unseen", role: "status" });
  const copy = button("Copy", copyText, { class: "button small", "aria-label": "Copy the log as text" });
  const list = h("ol", { class: "timeline" });
  const empty = h("p", { class: "empty", text: "Nothing has happened yet. Tap the icon: the log shows what the user, the system and the app do." });
  const none = h("p", { class: "empty", text: "No event matches.", hidden: true });
  const scroller = h("div", { class: "log-scroller", tabindex: 0, role: "region", "aria-label": "Events", on: { scroll: scrolled } }, empty, none, list);
  const newest = button("To the newest", () => { follows = true; toEnd(); }, { class: "button small newest", hidden: true });
  root.append(h("div", { class: "panel-head" }, h("h2", { id: "log-title", text: "Log" }), h("div", { class: "filters" }, filters, search, copy, copied)),
    h("div", { class: "log-body" }, scroller, newest));

  const isShown = (event) => !hidden.has(event.actor) && (!search.value || event.text.toLowerCase().includes(search.value.toLowerCase()));

  // New lines make the list scroll too. Only a user who scrolls ends the following of the newest line.
  let lastTouch = -Infinity;
  let isHeld = false;
  const touch = () => { lastTouch = performance.now(); };
  for (const event of ["wheel", "touchmove", "keydown"]) scroller.addEventListener(event, touch, { passive: true });
  scroller.addEventListener("pointerdown", () => { isHeld = true; });
  addEventListener("pointerup", () => { if (isHeld) touch(); isHeld = false; });

  function scrolled() {
    const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 24;
    if (isAtEnd) follows = true;
    else if (isHeld || performance.now() - lastTouch < handTime) follows = false;
    setHidden(newest, follows);
  }

  function toEnd() {
    if (follows) scroller.scrollTop = scroller.scrollHeight;
    setHidden(newest, follows);
  }

  // Lines that came while the panel was hidden did not scroll the list, so it is scrolled when the panel gets a size.
  new ResizeObserver(toEnd).observe(scroller);

  function line(event, before) {
    const day = !before || !sameDay(before.at, event.at) ? h("li", { class: "log-day", text: shortDayText(event.at) }) : null;
    const time = millisecondsText(event.at);
    const weight = isLoud(event) ? event.kind : strong.has(event.kind) ? "strong" : "plain";
    const entry = h("li", { class: `log-line by-${event.actor} ${weight}`, "data-kind": event.kind, "data-n": event.n },
      h("time", { datetime: event.at }, time.slice(0, 8), h("span", { class: "log-fraction", text: time.slice(8) })),
      h("span", { class: "log-actor", text: event.actor }), h("span", { class: "log-text", text: event.text }));
    return [day, entry];
  }

  let lastDrawn = null;
  function append(added) {
    const lines = [];
    for (const event of added) {
      if (!isShown(event)) continue;
      lines.push(...line(event, lastDrawn).filter(Boolean));
      lastDrawn = event;
    }
    list.append(...lines);
    while (list.childElementCount > drawn) list.firstElementChild.remove();
    setHidden(empty, events.length > 0);
    setHidden(none, events.length === 0 || list.childElementCount > 0);
    if (!isDue) {
      isDue = true;
      requestAnimationFrame(() => { isDue = false; toEnd(); });
    }
  }

  function drawAll() {
    list.replaceChildren();
    lastDrawn = null;
    append(events.filter(isShown).slice(-drawn));
  }

  const asText = () => events.filter(isShown).map((event) => `${event.at} ${event.actor} ${event.text}`).join("\n");

  async function copyText() {
    try {
      await navigator.clipboard.writeText(asText());
      setText(copy, "Copied");
      setText(copied, "The log was copied");
    } catch {
      setText(copy, "Not allowed");
    }
    setTimeout(() => { setText(copy, "Copy"); setText(copied, ""); }, 1500);
  }

  on("log", (added, isWhole) => {
    events = (isWhole ? added : [...events, ...added]).slice(-kept);
    if (isWhole) drawAll();
    else append(added);
    if (!isWhole) for (const event of added.filter((one) => one.kind === "fault")) announce(event.text);
  });

  return { update: () => {} };
}
