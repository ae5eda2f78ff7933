/** The screen "Countdown": a ring, and what came of it while the app was not on the screen. */

import { button, choice, errorLine, h, setAttribute, setHidden, setText, svg } from "./dom.js";
import { momentText, nextAt, clockText } from "./clock.js";
import { snapshot, tap } from "./server.js";

const around = 2 * Math.PI * 88;

export function makeCountdown() {
  const error = errorLine();
  const arc = svg("circle", { class: "ring-arc", cx: 100, cy: 100, r: 88, "stroke-dasharray": around, transform: "rotate(-90 100 100)" });
  const text = h("p", { class: "ring-text", role: "timer" });
  const note = h("p", { class: "ring-note" });
  const ring = h("div", { class: "ring" },
    svg("svg", { viewBox: "0 0 200 200", "aria-hidden": "true" }, svg("circle", { class: "ring-track", cx: 100, cy: 100, r: 88 }), arc),
    h("div", { class: "ring-middle" }, text, note));

  const number = (label, value, max) => h("input", { type: "number", min: 0, max, value, "aria-label": label, inputmode: "numeric" });
  const [hours, minutes, seconds] = [number("Hours", 0, 99), number("Minutes", 5, 59), number("Seconds", 0, 59)];
  const part = (input, unit) => h("span", { class: "part" }, input, h("span", { text: unit, "aria-hidden": "true" }));
  const durations = h("div", { class: "parts" }, part(hours, "h"), part(minutes, "min"), part(seconds, "s"));
  const presets = h("div", { class: "chips" }, [[10, "10 s"], [60, "1 min"], [300, "5 min"], [1500, "25 min"]].map(([length, label]) =>
    button(label, () => fillIn(length), { class: "chip" })));
  const instant = h("input", { type: "time", step: 1, value: "10:30:00", "aria-label": "Time of day, UTC" });
  const instants = h("div", { class: "parts", hidden: true }, instant, h("span", { class: "row-note", text: "the next time the phone shows this" }));
  const mode = choice("Until", [["duration", "Duration"], ["instant", "Time of day"]], (value) => {
    setHidden(durations, value !== "duration");
    setHidden(presets, value !== "duration");
    setHidden(instants, value !== "instant");
  });
  mode.set("duration");
  const form = h("form", { class: "card form", novalidate: true, "aria-label": "New countdown", on: { submit: start } },
    mode.root, durations, presets, instants, h("button", { type: "submit", class: "button primary wide", text: "Start" }));

  const act = (label, action, body, kind = "") => button(label, () => tap(`countdown/${action}`, body, error), { class: `button ${kind}` });
  const pause = act("Pause", "pause", {}, "primary");
  const resume = act("Resume", "resume", {}, "primary");
  const more = act("+1 min", "add", { seconds: 60 });
  const cancel = act("Cancel", "cancel", {});
  const acknowledge = act("Acknowledge", "acknowledge", {}, "primary wide");
  const actions = h("div", { class: "actions" }, pause, resume, more, cancel, acknowledge);
  const root = h("div", { class: "screen-body" }, ring, actions, error, form);

  function fillIn(length) {
    hours.value = Math.floor(length / 3600);
    minutes.value = Math.floor(length / 60) % 60;
    seconds.value = length % 60;
  }

  function start(event) {
    event.preventDefault();
    const now = snapshot()?.device?.now ?? new Date().toISOString();
    const body = mode.value === "instant"
      ? { at: instant.value ? nextAt(instant.value, now) : "" }
      : { seconds: Number(hours.value) * 3600 + Number(minutes.value) * 60 + Number(seconds.value) };
    tap("countdown/start", body, error);
  }

  function update(state, now) {
    const is = (...names) => names.includes(state.state);
    const share = state.total > 0 && is("running", "paused") ? Math.min(1, Math.max(0, state.remaining / state.total)) : 0;
    setAttribute(arc, "stroke-dashoffset", is("finished") ? 0 : around * (1 - share));
    setAttribute(ring, "data-state", state.state);
    setText(text, is("idle") ? "0:00" : is("finished") ? "Done" : state.text);
    setText(note, {
      idle: "nothing runs",
      running: `ends at ${momentText(state.stop, now)}`,
      paused: "paused",
      finished: `finished ${/^(now|just)/.test(state.ago ?? "") ? state.ago : `${state.ago} ago`}${state.wasUnseen ? ", while you were away" : ""}`,
    }[state.state] ?? state.state);
    setHidden(pause, !is("running"));
    setHidden(resume, !is("paused"));
    setHidden(more, !is("running", "paused"));
    setHidden(cancel, !is("running", "paused"));
    setHidden(acknowledge, !is("finished"));
    setHidden(actions, is("idle"));
    setHidden(form, !is("idle"));
    if (document.activeElement !== instant && !instant.dataset.touched) {
      instant.dataset.touched = "yes";
      instant.value = `${clockText(new Date(new Date(now).getTime() + 600_000).toISOString())}:00`;
    }
  }

  return { root, update };
}
