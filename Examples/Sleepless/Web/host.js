/** On a Linux host there is no phone: the app in a plain frame, and the process beside it. */

import { h, setAttribute, setText } from "./dom.js";
import { makeApp } from "./app.js";
import { makeDialogs } from "./dialogs.js";

export function makePlainFrame(stage) {
  const dialogs = makeDialogs();
  const app = makeApp(dialogs);
  const title = h("p", { class: "frame-title" }, h("span", { text: "Sleepless" }), h("span", { class: "frame-phase" }));
  const frame = h("div", { class: "phone plain" }, h("div", { class: "screen", "data-showing": "app", "data-drawn": "true" }, title, app.root, dialogs.root));
  stage.append(h("h2", { class: "unseen", text: "App" }), frame);

  function update(snapshot) {
    setText(title.lastElementChild, snapshot.linux.phase);
    setAttribute(frame, "data-phase", snapshot.linux.phase);
    if (snapshot.app) app.update(snapshot.app, snapshot.linux.now ?? new Date().toISOString(), snapshot.linux.jobs ?? []);
  }

  return { update };
}
