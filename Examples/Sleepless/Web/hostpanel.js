/** The Linux host: phase, time, conditions. */

import { h, keyed, setAttribute, setText } from "./dom.js";

const phases = {
  active: ["Active", "The process runs. SIGTERM asks it to stop."],
  background: ["In the background", "The process was asked to stop, and finishes its work within the grace period."],
  suspended: ["Suspended", "The process is stopped by Ctrl-Z, SIGSTOP or the sleep of the machine."],
  terminated: ["Terminated", "The process has ended."],
};
const names = {
  network: "Network", isOnExternalPower: "External power", battery: "Battery", isLowPower: "Low-power mode", thermal: "Temperature",
};

export function makeHostPanel(root) {
  const phase = h("p", { class: "state" });
  const meaning = h("p", { class: "muted" });
  const remaining = h("p", { class: "budget-text" });
  const conditions = h("dl", { class: "conditions" });
  const notifications = h("p", { class: "muted" });
  root.append(h("h2", { id: "system-title", text: "Host" }), h("div", { class: "panel-body" },
    h("div", { class: "process" }, phase, meaning, remaining),
    h("section", { class: "topic" }, h("h3", { text: "Conditions of this machine" }), conditions),
    h("section", { class: "topic" }, h("h3", { text: "Notifications" }), notifications)));

  const words = (value) => (value === null || value === undefined ? "not known" : value === true ? "yes" : value === false ? "no" : String(value));

  function update({ linux }) {
    const [title, text] = phases[linux.phase] ?? [linux.phase, ""];
    setText(phase, title);
    setAttribute(phase, "data-process", linux.phase);
    setText(meaning, text);
    setText(remaining, linux.phase === "terminated" ? "" : linux.budget === null || linux.budget === undefined ? "Nothing limits it" : `${linux.budget.toFixed(1)} s left`);
    keyed(conditions, Object.keys(names), (name) => name, (name) => {
      const value = h("dd", {});
      return { root: h("div", {}, h("dt", { text: names[name] }), value), value };
    }, (row, name) => setText(row.value, words(linux.conditions[name])));
    setText(notifications, linux.notifications);
  }

  return { update };
}
