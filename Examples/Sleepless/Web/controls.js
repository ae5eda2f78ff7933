/** What one can do to the phone: its app, its conditions, its luck. */

import { button, choice, errorLine, field, freshIdentifier, h, setAttribute, setText, toggle } from "./dom.js";
import { spanText } from "./clock.js";
import { icon } from "./icons.js";
import { control } from "./server.js";

const networks = [["none", "None"], ["constrained", "Constrained"], ["available", "Available"]];
const temperatures = [["nominal", "Nominal"], ["fair", "Fair"], ["serious", "Serious"], ["critical", "Critical"]];
const modes = [["audio", "Audio"], ["location", "Location"], ["fetch", "Refresh"], ["processing", "Processing"]];
const routes = [["walk", "Walk"], ["still", "Still"], ["tunnel", "Tunnel"]];

/** Buttons with a heading and a place for a refusal. */
function group(title, make) {
  const error = errorLine();
  const id = freshIdentifier("group");
  return h("section", { class: "group", "aria-labelledby": id }, h("h3", { id, text: title }), make((name, body) => control(name, body ?? {}, error)), error);
}

const tile = (name, label, action, kind = "") => h("button", { type: "button", class: `tile ${kind}`, on: { click: action } }, icon(name, 20), h("span", { text: label }));
const row = (label, content) => h("div", { class: "control-row" }, h("span", { class: "control-label", text: label }), content);

export function makeControls(root) {
  let callTile = null;
  let plugTile = null;
  let isInCall = false;
  let isCharging = false;
  let phone = null;

  const app = group("App and process", (act) => {
    callTile = tile("call", "Call", () => act(isInCall ? "end-call" : "call"));
    return h("div", { class: "tiles" },
      tile("app", "Open", () => act("open")), tile("swipe", "Swipe away", () => act("swipe"), "destructive"), callTile,
      tile("memory", "Memory pressure", () => act("memory-pressure")), tile("kill", "Kill", () => act("kill"), "destructive"),
      tile("reboot", "Reboot", () => act("reboot"), "destructive"));
  });

  let declared = [];
  const manifest = group("What the app declares", (act) => {
    declared = modes.map(([mode, label]) => ({ mode, part: toggle(`Mode: ${label}`, (isOn) => act("declare", { mode, on: isOn })) }));
    return h("div", { class: "control-list" }, h("p", { class: "muted small", text: "A change reinstalls the app, as an update does." }), declared.map((one) => one.part.root));
  });

  const level = h("input", { type: "range", min: 0, max: 100, step: 1 });
  const percent = h("output", { class: "tabular" });
  let lowPower = null;
  let backgroundRefresh = null;
  let network = null;
  let thermal = null;
  const conditions = group("Conditions", (act) => {
    level.addEventListener("input", () => setText(percent, `${level.value} %`));
    level.addEventListener("change", () => act("battery", { level: Number(level.value) / 100 }));
    plugTile = toggle("Charger", (isOn) => act(isOn ? "plug" : "unplug"));
    lowPower = toggle("Low-power mode", (isOn) => act("low-power", { on: isOn }));
    backgroundRefresh = toggle("Background refresh", (isOn) => act("background-refresh", { on: isOn }));
    network = choice("Network", networks, (value) => act("network", { network: value }));
    thermal = choice("Temperature", temperatures, (value) => act("thermal", { state: value }));
    return h("div", { class: "control-list" }, field("Battery", level, percent), plugTile.root, lowPower.root, backgroundRefresh.root,
      row("Network", network.root), row("Temperature", thermal.root));
  });

  const jump = (label, values, run) => h("div", { class: "control-row" }, h("span", { class: "control-label", text: label }),
    h("span", { class: "chips" }, values.map(([seconds, text]) => button(text, () => run(seconds), { class: "chip", "aria-label": `${label}: ${text}` }))));
  let notifications = null;
  let autoLock = null;
  const world = group("Surroundings", (act) => {
    notifications = toggle("Notifications allowed", (isOn) => act("notification-authorization", { allows: isOn }));
    autoLock = h("select", { on: { change: () => act("auto-lock", { seconds: Number(autoLock.value) || null }) } },
      [[0, "never"], [30, "after 30 s"], [60, "after 1 min"], [300, "after 5 min"]].map(([value, text]) => h("option", { value, text })));
    const route = h("select", { "aria-label": "Route", on: { change: () => act("route", { name: route.value }) } },
      routes.map(([value, text]) => h("option", { value, text })));
    return h("div", { class: "control-list" }, notifications.root,
      field("Auto-lock", autoLock), field("Route of the walk", route),
      jump("The phone sleeps", [60, 600, 28_800].map((seconds) => [seconds, spanText(seconds)]), (seconds) => act("sleep", { seconds })),
      jump("Set the clock", [[-3600, "−1 h"], [3600, "+1 h"], [86_400, "+1 d"]], (seconds) => act("clock", { seconds })),
      jump("Scroll", [[3, "3 s"]], (seconds) => act("scroll", { seconds })),
      button("A new phone", () => act("reset"), { class: "button destructive" }));
  });

  root.append(h("h2", { id: "controls-title", text: "Phone" }), h("div", { class: "panel-body" }, app, conditions, manifest, world));

  function update({ device }) {
    [isInCall, isCharging] = [device.isInCall, device.isCharging];
    setText(callTile.lastElementChild, isInCall ? "End call" : "Call");
    setAttribute(callTile, "data-on", isInCall);
    if (document.activeElement !== level) level.value = Math.round(device.battery * 100);
    setText(percent, `${level.value} %`);
    plugTile.set(isCharging);
    for (const one of declared) one.part.set(device.modes.includes(one.mode));
    lowPower.set(device.isLowPower);
    backgroundRefresh.set(device.backgroundRefresh);
    network.set(device.network);
    if (document.activeElement !== autoLock) autoLock.value = String(device.autoLock ?? 0);
    thermal.set(device.thermal);
    // Until the app has asked, the switch shows the answer that the user will give, which is yes on a new phone. Then
    // the phone reports the user's answer.
    if (device.phone !== phone) notifications.set(true);
    phone = device.phone;
    if (device.notificationAuthorization !== "notDetermined") notifications.set(device.notificationAuthorization !== "denied");
  }

  return { update };
}
