/** The screen "Lessons": what is written wrong beside what is right, and mistakes that the system ends an app for. */

import { button, errorLine, field, h, keyed, setAttribute, setHidden, setText, toggle } from "./dom.js";
import { tap } from "./server.js";

const mistakes = [
  ["leakedTask", "Leak a background task", "it is begun, and not ended when its time is over"],
  ["slowHandler", "Take eight seconds to wind up", "in the expiration handler, which should take one"],
  ["endlessRefresh", "Forget to complete a refresh", "which has to be completed within thirty seconds"],
];

const number = (label) => {
  const value = h("strong", { class: "tabular" });
  return { root: h("p", { class: "count-line" }, h("span", { text: label }), value), value };
};

export function makeLessons() {
  const error = errorLine();
  const refusal = errorLine();
  const card = (title, text, ...content) => h("section", { class: "card lesson", "aria-label": title }, h("h4", { text: title }), h("p", { class: "screen-note", text }), content);

  const ticks = toggle("Tick each second", (isOn) => tap("lessons/ticks", { on: isOn }, error));
  const inDefault = number("Default mode");
  const inCommon = number("Common modes");
  const modes = card("Timers and scrolling", "Scroll with the control beside the phone: one of the timers waits.", ticks.root, inDefault.root, inCommon.root);

  const tolerance = h("select", {}, [0, 1, 5].map((seconds) => h("option", { value: seconds, text: seconds ? `${seconds} s` : "none" })));
  const firings = number("Fired");
  const wakeUps = number("Wake-ups of the app");
  const measure = button("Run three timers for a minute", () => tap("lessons/wake-ups", { tolerance: Number(tolerance.value) }, error), { class: "button wide" });
  const energy = card("Tolerance", "Three timers of ten seconds begin a second apart. With a tolerance, they fire together.",
    field("Tolerance", tolerance), measure, firings.root, wakeUps.root);

  const frameCount = number("Frames of the display");
  const tickCount = number("Ticks of a timer of 10 ms");
  const compare = button("Count for two seconds", () => tap("lessons/frames", {}, error), { class: "button wide" });
  const display = card("Timer or display link", "A timer that is fast enough for every frame also ticks when there is no new frame.", compare, frameCount.root, tickCount.root);

  const exporting = button("Export 30 pictures", () => tap("lessons/export", {}, error), { class: "button wide" });
  const bar = h("span", { class: "budget-fill" });
  const meter = h("div", { class: "budget", role: "meter", "aria-label": "Export", "aria-valuemin": 0, "aria-valuemax": 30, hidden: true }, bar);
  const state = h("p", { class: "screen-note" });
  const continued = card("Continued work", "Work that the user begins continues after Home; the system shows its progress, and the user can cancel it.", exporting, meter, state);

  const list = h("ul", { class: "rows", "aria-label": "Mistakes" });
  const hint = h("p", { class: "screen-note", text: "Make one, leave the app, and let a minute pass: System then shows the fault, with the remedy." });
  const wrong = h("section", { class: "card lesson", "aria-label": "Mistakes" }, h("h4", { text: "Mistakes" }), hint, list);
  const root = h("div", { class: "screen-body" }, error, refusal, modes, energy, display, continued, wrong);

  function makeMistake([kind, title, text]) {
    const badge = h("span", { class: "made", text: "made", hidden: true });
    return {
      badge,
      root: h("li", {}, h("button", { type: "button", class: "row", on: { click: () => tap("lessons/mistake", { kind }, error) } },
        h("span", { class: "row-main" }, h("strong", { text: title }), h("span", { class: "row-note", text })), badge)),
    };
  }

  function update(lessons) {
    ticks.set(lessons.ticks.isOn);
    setText(inDefault.value, lessons.ticks.inDefaultMode);
    setText(inCommon.value, lessons.ticks.inCommonModes);
    setText(firings.value, lessons.wakeUps?.firings ?? "–");
    setText(wakeUps.value, lessons.wakeUps?.wakeUps ?? "–");
    measure.disabled = lessons.wakeUps !== null && !lessons.wakeUps.isOver;
    setText(frameCount.value, lessons.frames?.frames ?? "–");
    setText(tickCount.value, lessons.frames?.ticks ?? "–");
    compare.disabled = lessons.frames !== null && !lessons.frames.isOver;
    const work = lessons.export;
    setHidden(meter, !work);
    if (work) {
      bar.style.transform = `scaleX(${work.completed / work.total})`;
      setAttribute(meter, "aria-valuenow", work.completed);
      setAttribute(meter, "data-state", "fine");
    }
    setText(state, work ? `${work.completed} of ${work.total}${work.outcome ? `, ${work.outcome}` : ""}` : "");
    exporting.disabled = work !== null && !work.outcome;
    keyed(list, mistakes, ([kind]) => kind, makeMistake, (row, [kind]) => setHidden(row.badge, !lessons.mistakes.includes(kind)));
    setText(refusal, lessons.error);
    setHidden(refusal, !lessons.error);
  }

  return { root, update };
}
