/** The strip at the top of the phone: time, and what the device is like. */

import { h, setAttribute, setHidden, setText, svg } from "./dom.js";
import { clockText } from "./clock.js";
import { icon } from "./icons.js";

const networks = { none: "no network", constrained: "constrained network", available: "network" };

export function makeStatusBar() {
  const time = h("time", { class: "status-time" });
  const arrow = h("span", { class: "status-mark", role: "img", "aria-label": "location in use", hidden: true }, icon("arrow", 14));
  const note = h("span", { class: "status-mark", role: "img", "aria-label": "sound plays", hidden: true }, icon("audio", 14));
  const bars = [5, 8, 11, 14].map((height, index) => svg("rect", { x: index * 5, y: 15 - height, width: 3.4, height, rx: 1 }));
  const network = svg("svg", { viewBox: "0 0 19 16", width: 19, height: 16, class: "status-network", role: "img" }, bars);
  const level = svg("rect", { x: 2.5, y: 2.5, height: 8, rx: 1.6, class: "battery-level" });
  const bolt = svg("path", { class: "battery-bolt", d: "M13 1.500 9 7.200h3l-1 4.300 4-5.700h-3Z" });
  const battery = svg("svg", { viewBox: "0 0 27 13", width: 27, height: 13, class: "status-battery", role: "img" },
    svg("rect", { x: 0.6, y: 0.6, width: 22.8, height: 11.8, rx: 3.4, class: "battery-case" }),
    svg("path", { d: "M25 4.500v4c1-.3 1.500-1 1.500-2s-.5-1.700-1.500-2Z" }), level, bolt);
  const percent = h("span", { class: "status-percent", "aria-hidden": "true" });
  const root = h("div", { class: "statusbar" }, time, h("span", { class: "island", "aria-hidden": "true" }),
    h("span", { class: "status-right" }, note, arrow, network, percent, battery));

  function update(device, app) {
    setText(time, clockText(device.now));
    setAttribute(time, "datetime", device.now);
    setHidden(arrow, !(app?.location?.isUpdating && device.process !== "none"));
    setHidden(note, !device.playing?.isPlaying);
    setAttribute(network, "data-network", device.network);
    setAttribute(network, "aria-label", networks[device.network] ?? device.network);
    setAttribute(level, "width", Math.max(1, 19 * device.battery));
    setAttribute(battery, "data-state", device.isLowPower ? "saving" : device.battery <= 0.2 && !device.isCharging ? "low" : "fine");
    bolt.style.display = device.isCharging ? "" : "none";
    const whole = `${Math.round(device.battery * 100)}`;
    setText(percent, whole);
    setAttribute(battery, "aria-label", `battery ${whole} %${device.isCharging ? ", charging" : ""}${device.isLowPower ? ", low-power mode" : ""}`);
  }

  return { root, update };
}
