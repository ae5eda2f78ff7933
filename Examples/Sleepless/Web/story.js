/** A first story to follow, shown until the visitor hides it. */

import { button, h } from "./dom.js";

const key = "sleepless-story-hidden";

/** Private windows of some browsers refuse the storage; the story is shown then. */
function isHidden() {
  try { return localStorage.getItem(key) === "true"; } catch { return false; }
}

function remember() {
  try { localStorage.setItem(key, "true"); } catch { /* shown again on the next visit */ }
}

const steps = [
  "Open the app, tap Countdown, and start one minute.",
  "Press Lock. Some seconds later the app is suspended: none of its code runs.",
  "Press Kill. Its process is gone, and so is every timer in its memory.",
  "Advance 40 s, and press Open, which unlocks the phone: the countdown is right, because the app stores its end and does not count ticks.",
];

export function makeStory(root, focus) {
  if (isHidden()) {
    root.remove();
    return;
  }
  const hide = button("Hide", () => {
    remember();
    root.remove();
    focus();
  }, { class: "button quiet", "aria-label": "Hide the first story" });
  root.append(
    h("div", { class: "list-head" }, h("h2", { id: "story-title", text: "Try this first" }), hide),
    h("ol", {}, steps.map((text) => h("li", { text }))));
  root.hidden = false;
}
