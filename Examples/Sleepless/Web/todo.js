/** The screen "To-do": elapsed times that keep counting while the list is scrolled, and a balloon when all is done. */

import { errorLine, h, isMotionReduced, keyed, setAttribute, setHidden, setText, svg } from "./dom.js";
import { icon } from "./icons.js";
import { control, on, snapshot, tap } from "./server.js";

const restAfter = 250;

function drawBalloon() {
  return svg("svg", { viewBox: "0 0 60 110", class: "balloon", "aria-hidden": "true" },
    svg("path", { class: "balloon-string", d: "M30 72c-5 10 6 16 1 36" }),
    svg("path", { class: "balloon-skin", d: "M30 4c15 0 25 12 25 28 0 17-13 36-25 36S5 49 5 32C5 16 15 4 30 4Z" }),
    svg("path", { class: "balloon-light", d: "M16 30c0-9 5-15 12-17" }),
    svg("path", { class: "balloon-skin", d: "M26 72h8l-4-5Z" }));
}

export function makeTodo() {
  const error = errorLine();
  const title = h("input", { type: "text", placeholder: "Milk", "aria-label": "New task", autocomplete: "off" });
  const form = h("form", { class: "inline-form", novalidate: true, "aria-label": "New task", on: { submit: add } },
    title, h("button", { type: "submit", class: "button primary", text: "Add" }));
  const list = h("ul", { class: "rows tasks", "aria-label": "Tasks" });
  const empty = h("p", { class: "empty", text: "Nothing to do. Add a task: the time it takes is counted until you tick it off." });
  const scroller = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Tasks, scrollable", on: { scroll: scrolled } }, empty, list);
  const ticking = h("p", { class: "screen-note" });
  const balloon = drawBalloon();
  const sky = h("div", { class: "sky", hidden: true }, balloon);
  const root = h("div", { class: "screen-body fixed" }, form, error, ticking, scroller, sky);

  function add(event) {
    event.preventDefault();
    tap("todo/add", { title: title.value.trim() }, error).then((answer) => { if (answer) title.value = ""; });
    title.focus();
  }

  // When the user scrolls the list here, the phone is told that its app scrolls. Work that waits for the end of the
  // scrolling then waits, but the ticks of the clocks continue.
  let rest = null;
  let sent = Promise.resolve();
  function scrolled() {
    if (snapshot()?.device?.showing !== "app") return;
    if (rest === null) sent = sent.then(() => control("scroll", { on: true }, error));
    clearTimeout(rest);
    rest = setTimeout(() => {
      rest = null;
      sent = sent.then(() => control("scroll", { on: false }, error));
    }, restAfter);
  }

  function make(task) {
    const tick = h("button", { type: "button", class: "tick", on: { click: () => tap("todo/complete", { id: task.id }, error) } }, icon("check", 16));
    const name = h("span", { class: "task-title" });
    const elapsed = h("span", { class: "row-time" });
    const remove = h("button", { type: "button", class: "icon-button", "aria-label": `Remove ${task.title}`, on: { click: () => tap("todo/remove", { id: task.id }, error) } }, icon("close", 16));
    return { root: h("li", { class: "row" }, tick, name, elapsed, remove), tick, name, elapsed };
  }

  function update({ tasks, isTicking, ticks, balloon: rising }) {
    keyed(list, tasks, (task) => task.id, make, (row, task) => {
      setText(row.name, task.title);
      setText(row.elapsed, task.elapsed);
      setAttribute(row.root, "data-done", task.isDone);
      setAttribute(row.tick, "aria-label", task.isDone ? `${task.title} is done` : `Complete ${task.title}`);
      if (row.tick.disabled !== task.isDone) row.tick.disabled = task.isDone;
    });
    setHidden(empty, tasks.length > 0);
    const open = tasks.filter((task) => !task.isDone).length;
    setText(ticking, isTicking ? `${open} open, ticking: ${ticks} ticks` : tasks.length ? `All done, the timer stopped after ${ticks} ticks` : "");
    setHidden(sky, !rising);
    if (rising) place(rising.progress);
  }

  function place(progress) {
    const height = sky.clientHeight;
    const y = isMotionReduced() ? height * 0.4 : height - progress * (height + 120);
    const sway = isMotionReduced() ? 0 : Math.sin(progress * 9) * 26;
    balloon.style.transform = `translate(${sway}px, ${y}px) rotate(${sway / 4}deg)`;
    balloon.dataset.progress = progress;
  }

  on("frame", ({ progress }) => { if (!sky.hidden) place(progress); });

  return { root, update };
}
