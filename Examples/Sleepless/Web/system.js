/** What the system does just now: the process, its time, and what waits. */

import { button, errorLine, h, keyed, setAttribute, setHidden, setText } from "./dom.js";
import { momentText, withMoments } from "./clock.js";
import { makeNotice, updateNotice } from "./lock.js";
import { control } from "./server.js";

const states = {
  none: ["Not running", "The app has no process. A tap on the icon starts one."],
  active: ["Active", "In front, and running."],
  inactive: ["Inactive", "In front, but it receives no touches."],
  background: ["Background", "Not in front, and running as long as the system allows."],
  suspended: ["Suspended", "In memory, but none of its code runs."],
};
const fullBudget = 30;
const permissions = {
  notDetermined: "The user has not been asked yet.", denied: "The user does not allow them: none is shown.",
  authorized: "The user allows them.", provisional: "Allowed quietly, without a question.",
};

export function makeSystem(root) {
  const state = h("p", { class: "state" });
  const pid = h("span", { class: "badge" });
  const meaning = h("p", { class: "muted" });
  const remaining = h("p", { class: "budget-text" });
  const bar = h("span", { class: "budget-fill" });
  const budget = h("div", { class: "budget", role: "meter", "aria-label": "Time left in the background", "aria-valuemin": 0, "aria-valuemax": fullBudget }, bar);
  const part = (title, list, empty) => {
    const count = h("span", { class: "count" });
    const none = h("p", { class: "muted small", text: empty });
    return { root: h("section", { class: "topic" }, h("h3", {}, h("span", { text: title }), count), none, list), count, none, list };
  };
  const list = (name) => h("ul", { class: "facts", "aria-label": name });
  const taskPart = part("Open background tasks", list("Open background tasks"), "None is open, so nothing delays the suspension.");
  const noticePart = part("Notifications", list("Notifications"), "None is pending, and none is shown.");
  const jobPart = part("Jobs", list("Jobs"), "No request is pending.");
  const faultPart = part("Faults", list("Faults"), "");
  const running = h("ul", { class: "facts", "aria-label": "Running work" });
  const jobError = errorLine();
  jobPart.root.append(running, jobError);
  const permission = h("p", { class: "muted small" });
  const error = errorLine();
  const shown = h("ul", { class: "notices flat", "aria-label": "Shown notifications" });
  noticePart.root.append(permission, shown, error);
  root.append(h("h2", { id: "system-title", text: "System" }), h("div", { class: "panel-body" },
    h("div", { class: "process" }, h("div", { class: "process-head" }, state, pid), meaning, budget, remaining),
    faultPart.root, taskPart.root, noticePart.root, jobPart.root));

  const fill = (shownPart, items, keyOf, make, update, extra = 0) => {
    keyed(shownPart.list, items, keyOf, make, update);
    const all = items.length + extra;
    setText(shownPart.count, all || "");
    setHidden(shownPart.none, all > 0);
  };
  const fact = (main, side) => ({ root: h("li", {}, h("span", { text: main }), h("span", { class: "muted", text: side })) });

  function update({ device }) {
    const [title, text] = states[device.process] ?? [device.process, ""];
    setText(state, title);
    setAttribute(state, "data-process", device.process);
    setText(meaning, text);
    setText(pid, device.pid ? `process ${device.pid}` : "no process yet");
    const isAsleep = ["none", "suspended"].includes(device.process);
    const isLimited = !isAsleep && device.budget !== null && device.budget !== undefined;
    bar.style.transform = `scaleX(${isLimited ? Math.min(1, Math.max(0, device.budget / fullBudget)) : isAsleep ? 0 : 1})`;
    setAttribute(budget, "data-state", !isLimited ? "unlimited" : device.budget < 4 ? "over" : device.budget < 10 ? "short" : "fine");
    const words = isLimited ? `${device.budget.toFixed(1)} s left in the background`
      : { active: "Nothing limits it in front", inactive: "Nothing limits it in front", background: "Nothing limits it now" }[device.process] ?? "No time passes for it";
    setText(remaining, words);
    setAttribute(budget, "aria-valuenow", isLimited ? device.budget.toFixed(0) : fullBudget);
    setAttribute(budget, "aria-valuetext", words);

    fill(taskPart, device.backgroundTasks, (task) => `${device.pid} ${task.id}`, (task) => fact(task.name, `since ${momentText(task.since, device.now)}`));
    fill(noticePart, device.pendingNotifications, (one) => `${one.id} ${one.due}`,
      (one) => fact(one.title, one.due ? `due ${momentText(one.due, device.now)}` : "waits"), null, device.notifications.length);
    keyed(shown, device.notifications.slice(0, 4), (notice) => notice.id + notice.at, makeNotice(error), (row, notice) => {
      updateNotice(row, notice, device.now);
      setAttribute(row.button, "aria-label", `Tap the notification ${notice.title}`);
    });
    setText(permission, permissions[device.notificationAuthorization] ?? device.notificationAuthorization);
    keyed(running, device.running, (job) => job.id, (job) => ({
      root: h("li", { class: "job" }, h("span", { text: `${job.title || job.id}: running` }), h("span", { class: "actions" },
        button("Simulate its expiration", () => control("expire-job", { id: job.id }, jobError), { class: "button small", "aria-label": `Simulate the expiration of ${job.id}` }),
        job.isContinued ? button("Cancel", () => control("cancel-job", { id: job.id }, jobError), { class: "button small", "aria-label": `Cancel ${job.id} as the user` }) : null)),
    }));
    fill(jobPart, device.jobs, (job) => job.id, (job) => {
      const why = h("ul", { class: "why" });
      return {
        why,
        root: h("li", { class: "job" }, h("span", { text: job.id }), why,
          button("Simulate its launch", () => control("launch-job", { id: job.id }, jobError), { class: "button small", "aria-label": `Simulate the launch of ${job.id}` })),
      };
    }, (row, job) => keyed(row.why, job.whyNot.length ? job.whyNot : ["waits for an opportunity"], (reason) => reason, (reason) => ({ root: h("li", { text: withMoments(reason, device.now) }) })), device.running.length);
    fill(faultPart, device.faults, (fault) => fault.rule + fault.message, (fault) => ({
      root: h("li", { class: "fault-fact" }, h("strong", { text: fault.rule }), h("span", { text: fault.message }), fault.place ? h("code", { text: fault.place }) : null),
    }));
    setHidden(faultPart.root, device.faults.length === 0);
  }

  return { update };
}
