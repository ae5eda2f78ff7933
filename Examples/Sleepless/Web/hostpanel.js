/** The Linux host: phase, time, conditions. */

import { h, keyed, setAttribute, setText } from "./dom.js";

const phases = {
  active: "Runs. A SIGTERM asks it to stop.",
  background: "Was asked to stop, and winds up as long as the grace period lasts.",
  suspended: "Stopped by Ctrl-Z, SIGSTOP or a sleep of the machine.",
  terminated: "Over.",
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
    setText(phase, linux.phase);
    setAttribute(phase, "data-process", linux.phase);
    setText(meaning, phases[linux.phase] ?? "");
    setText(remaining, linux.phase === "terminated" ? "" : linux.budget === null || linux.budget === undefined ? "Nothing limits it" : `${linux.budget.toFixed(1)} s left`);
    keyed(conditions, Object.entries(linux.conditions ?? {}), ([name]) => name, ([name]) => {
      const value = h("dd", {});
      return { root: h("div", {}, h("dt", { text: name.replace(/([A-Z])/g, " $1").toLowerCase() }), value), value };
    }, (row, [, value]) => setText(row.value, words(value)));
    setText(notifications, linux.notifications);
  }

  return { update };
}
