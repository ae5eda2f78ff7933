/** Puts the parts of the page together. */

import { errorLine, h, setAttribute, setText } from "./dom.js";
import { makeControls } from "./controls.js";
import { makeFaultBadge } from "./faultbadge.js";
import { makeHostPanel } from "./hostpanel.js";
import { makePlainFrame } from "./host.js";
import { makeLog } from "./log.js";
import { makePhone } from "./phone.js";
import { connect, on } from "./server.js";
import { makeStory } from "./story.js";
import { makeSystem } from "./system.js";
import { makeTabs } from "./tabs.js";
import { makeTime } from "./speed.js";

const place = (name) => document.getElementById(name);
const announcer = place("announcer");
const announce = (text) => setText(announcer, text);

let parts = null;

/** Which parts there are is known with the first snapshot. */
function build(snapshot) {
  const main = place("main");
  setAttribute(main, "data-host", snapshot.host);
  setText(place("phone"), "");
  if (!snapshot.device) {
    setText(place("tagline"), "The app on this machine, with Linux as its host.");
    setAttribute(place("phone"), "aria-label", "App");
    for (const name of ["story", "time", "panel-tabs", "panel-controls", "panel-log", "faults"]) place(name).remove();
    return [makePlainFrame(place("phone")), makeHostPanel(place("panel-system"))];
  }
  makeStory(place("story"), () => place("phone").focus());
  const panels = [["controls", "Phone"], ["system", "System"], ["log", "Log"]];
  const show = (name) => {
    setAttribute(main, "data-panel", name);
    tabs.select(name);
  };
  const tabs = makeTabs(panels.map(([name, label]) => ({ name, label, id: `panel-tab-${name}`, panel: `panel-${name}` })), show, place("panel-tabs"));
  show("controls");
  const showFaults = () => {
    show("system");
    place("panel-tab-system").focus({ preventScroll: true });
    place("panel-tabs").scrollIntoView();
  };
  const error = errorLine();
  return [
    makePhone(place("phone"), announce, error), makeTime(place("time")), makeControls(place("panel-controls")),
    makeSystem(place("panel-system")), makeLog(place("panel-log"), announce),
    makeFaultBadge(place("faults"), place("panel-tab-system"), showFaults),
  ];
}

let latest = null;
let isDue = false;

on("screen", (snapshot) => {
  latest = snapshot;
  // The page is built at once and not in a frame, because the log follows the first snapshot directly.
  parts ??= build(snapshot);
  if (isDue) return;
  isDue = true;
  // A hidden page gets no animation frames. Its picture is not looked at, but its sound continues, so a timer updates
  // it.
  (document.hidden ? (action) => setTimeout(action, 100) : requestAnimationFrame)(() => {
    isDue = false;
    for (const part of parts) part.update(latest);
  });
});

on("connection", (state) => {
  const isOpen = state === "open";
  setAttribute(place("connection"), "data-state", state);
  setText(place("connection-text"), isOpen ? "Connected" : "Connection lost, trying again");
  setAttribute(document.body, "data-connection", state);
});

place("phone").append(h("p", { class: "waiting", text: "Waiting for the server…" }));
connect();
