/** The phone's time: how fast it goes, and jumps. */

import { errorLine, field, h, setText } from "./dom.js";
import { secondsText, shortDayText } from "./clock.js";
import { icon } from "./icons.js";
import { control } from "./server.js";

const speeds = [[0, "Pause"], [1, "×1"], [60, "×60"], [3600, "×3600"]];

export function makeTime(root) {
  const error = errorLine();
  const now = h("time", { class: "now-time" });
  const day = h("span", { class: "now-day" });
  const choices = speeds.map(([speed, label]) => ({
    speed,
    root: h("button", {
      type: "button", "aria-pressed": "false", "aria-label": speed ? `Speed ${label}` : "Pause the time",
      on: { click: () => control("speed", { speed }, error) },
    }, speed ? label : icon("pause", 16)),
  }));
  const jump = (name, label, action) => h("button", { type: "button", class: "button", on: { click: action } }, icon(name, 18), h("span", { text: label }));
  const seconds = h("input", { type: "number", min: 0.001, step: "any", value: 40, inputmode: "decimal" });
  const advance = h("form", { class: "advance", novalidate: true, "aria-label": "Advance the time", on: { submit: go } },
    field("Advance", seconds, h("span", { text: "s" })), h("button", { type: "submit", class: "button", text: "Go" }));
  root.append(
    h("h2", { id: "time-title", class: "unseen", text: "Time" }),
    h("p", { class: "now" }, now, day),
    h("div", { class: "segments", role: "group", "aria-label": "Speed" }, choices.map((one) => one.root)),
    h("div", { class: "jumps" },
      jump("nextEvent", "Next event", () => control("next-event", {}, error)),
      jump("day", "Skip a day", () => control("skip-day", {}, error)), advance),
    error);

  function go(event) {
    event.preventDefault();
    control("advance", { seconds: seconds.valueAsNumber }, error);
  }

  function update({ device }) {
    setText(now, secondsText(device.now));
    setText(day, `${shortDayText(device.now)}, UTC`);
    for (const one of choices) {
      const isOn = String(one.speed === device.speed);
      if (one.root.getAttribute("aria-pressed") !== isOn) one.root.setAttribute("aria-pressed", isOn);
    }
  }

  return { update };
}
