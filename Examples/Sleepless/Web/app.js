/** The app in the phone: a title, a screen, and the tab bar. */

import { h, setAttribute, setHidden, setText } from "./dom.js";
import { makeAudio } from "./audio.js";
import { makeCompletion } from "./completion.js";
import { makeCountdown } from "./countdown.js";
import { icon } from "./icons.js";
import { makeLessons } from "./lessons.js";
import { makeLocation } from "./location.js";
import { makeRefresh } from "./refresh.js";
import { tap } from "./server.js";
import { makeTabs } from "./tabs.js";
import { makeTimer } from "./timer.js";
import { makeTodo } from "./todo.js";

const titles = [
  ["timer", "Timer"], ["countdown", "Countdown"], ["todo", "To-do"], ["audio", "Audio"],
  ["location", "Location"], ["completion", "Completion"], ["refresh", "Refresh"],
  ["lessons", "Lessons"],
];

export function makeApp(dialogs) {
  const screens = {
    timer: makeTimer(), countdown: makeCountdown(), todo: makeTodo(), audio: makeAudio(),
    location: makeLocation(dialogs), completion: makeCompletion(), refresh: makeRefresh(),
    lessons: makeLessons(),
  };
  const missing = {
    audio: h("p", { class: "empty", hidden: true, text: "Not available: this host has no sound of its own." }),
    location: h("p", { class: "empty", hidden: true, text: "Not available: this host has no positions of its own." }),
  };
  const title = h("h3", { class: "app-title" });
  const panels = titles.map(([name]) =>
    h("div", { class: "app-screen", role: "tabpanel", id: `screen-${name}`, "aria-labelledby": `tab-${name}`, hidden: true }, screens[name].root, missing[name]));
  const tabs = makeTabs(titles.map(([name, label]) => ({
    name, label, content: [icon(name, 22), h("span", { text: label })], id: `tab-${name}`, panel: `screen-${name}`,
  })), (name) => tap("tab", { tab: name }), h("div", { class: "app-tabs", "aria-label": "Screens of Sleepless" }));
  const launch = h("div", { class: "launch", "aria-hidden": "true", hidden: true }, icon("app", 72));
  const root = h("div", { class: "app" }, title, h("div", { class: "app-screens" }, panels), tabs.root, launch);
  let shown = null;

  function update(app, now, jobs) {
    if (shown !== app.tab) {
      shown = app.tab;
      setText(title, titles.find(([name]) => name === app.tab)?.[1] ?? app.tab);
      titles.forEach(([name], index) => setHidden(panels[index], name !== app.tab));
      tabs.select(app.tab);
    }
    const state = app[app.tab];
    if (missing[app.tab]) {
      setHidden(missing[app.tab], state !== null);
      setHidden(screens[app.tab].root, state === null);
    }
    if (state !== null) screens[app.tab].update(state, now, jobs);
    setAttribute(root, "data-tab", app.tab);
  }

  return { root, launch, update, follow: screens.audio.follow };
}
