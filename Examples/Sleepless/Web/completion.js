/** The screen "Completion": Fibonacci numbers that continue after Home for as long as the system allows. */

import { button, errorLine, h, keyed, setHidden, setText } from "./dom.js";
import { momentText } from "./clock.js";
import { tap } from "./server.js";

/** In threes from the last digit of the whole number on; of a long one the server leaves the middle out. */
function grouped(value, count) {
  const threes = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
  const [first, last] = value.split("…");
  if (last === undefined) return threes(value);
  const lead = count % 3 || 3;
  return `${first.slice(0, lead)}${first.slice(lead).replace(/\d{1,3}/g, "\u2009$&")} … ${threes(last)}`;
}

export function makeCompletion() {
  const error = errorLine();
  const index = h("p", { class: "fibonacci-index" });
  const value = h("p", { class: "fibonacci", tabindex: 0, role: "region", "aria-label": "The number" });
  const length = h("p", { class: "screen-note" });
  const start = button("Start computing", () => tap("completion/start", {}, error), { class: "button primary wide" });
  const stop = button("Stop", () => tap("completion/stop", {}, error), { class: "button primary wide" });
  const story = h("ol", { class: "history story" });
  const empty = h("p", { class: "empty", text: "Tap Start computing, then leave the app: it continues until its time in the background is over, and again when you return." });
  const root = h("div", { class: "screen-body" },
    h("div", { class: "card number" }, index, value, length), start, stop, error, h("h4", { text: "What happened" }), empty, story);

  function update(state, now) {
    setText(index, state.n ? `Fibonacci number ${state.n}` : "Fibonacci numbers");
    setText(value, grouped(state.value, state.digits));
    const isShort = state.value.includes("…");
    setText(length, [state.digits > 1 ? `${state.digits.toLocaleString("en")} digits${isShort ? ", the first and the last are shown" : ""}` : null, state.expirations ? `expired ${state.expirations}×` : null].filter(Boolean).join(", "));
    setHidden(start, state.isRunning);
    setHidden(stop, !state.isRunning);
    keyed(story, state.story.slice(-30).map((one, place, all) => ({ ...one, place: all.length - place })).reverse(), (one) => `${one.at} ${one.text}`, (one) => ({
      root: h("li", {}, h("span", { text: one.text }), h("time", { datetime: one.at, text: momentText(one.at, now) })),
    }));
    setHidden(empty, state.story.length > 0);
  }

  return { root, update };
}
