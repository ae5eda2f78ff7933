/** The screen "Timer": delays, repeats, and rows that wait until they fire or are tapped. */

import { button, errorLine, field, h, keyed, setHidden, setText } from "./dom.js";
import { aheadText, momentText, secondsBetween, spanText } from "./clock.js";
import { tap } from "./server.js";

const endings = { executed: "fired", cancelled: "cancelled", expired: "too late for the background" };

export function makeTimer() {
  const error = errorLine();
  const delay = h("input", { type: "number", min: "0", step: "any", value: "3", inputmode: "decimal" });
  const interval = h("input", { type: "number", min: "0.1", step: "any", value: "5", inputmode: "decimal", disabled: true });
  const repeats = h("input", { type: "checkbox", role: "switch", "aria-label": "Repeat", on: { change: () => (interval.disabled = !repeats.checked) } });
  const form = h("form", { class: "card form", novalidate: true, "aria-label": "New timer", on: { submit: go } },
    field("Delay", delay, h("span", { text: "s" })),
    h("div", { class: "field-row" }, field("Repeat every", interval, h("span", { text: "s" })), repeats),
    h("button", { type: "submit", class: "button primary wide", text: "Go" }));
  const rows = h("ul", { class: "rows", "aria-label": "Waiting timers" });
  const empty = h("p", { class: "empty", text: "No timer waits. Set a delay and tap Go, then leave the app: it fires all the same." });
  const all = button("Cancel all", () => tap("timer/cancel-all", {}, error), { class: "button quiet destructive" });
  const count = h("span", { class: "badge" });
  const ended = h("ol", { class: "history" });
  const endedPart = h("section", { "aria-label": "Ended timers" }, h("h4", { text: "Ended" }), ended);
  const root = h("div", { class: "screen-body" }, form, error,
    h("div", { class: "list-head" }, h("h4", { text: "Waiting" }), count, all), empty, rows, endedPart);

  function go(event) {
    event.preventDefault();
    tap("timer/go", { delay: delay.valueAsNumber, repeat: repeats.checked ? interval.valueAsNumber || 0 : null }, error);
  }

  function make(row) {
    const title = h("strong", {});
    const next = h("span", { class: "row-time" });
    const line = h("span", { class: "row-note" });
    const root = h("li", {}, h("button", { type: "button", class: "row", on: { click: () => tap("timer/cancel", { id: row.id }, error) } },
      h("span", { class: "row-main" }, title, line), next));
    return { root, title, next, line };
  }

  function update({ rows: waiting, ended: over, vibrations }, now) {
    keyed(rows, waiting, (row) => row.id, make, (shown, row) => {
      setText(shown.title, row.repeat ? `${spanText(row.delay)}, then every ${spanText(row.repeat)}` : `After ${spanText(row.delay)}`);
      setText(shown.line, row.repeat && row.count ? `fired ${row.count}×, tap to cancel` : "waiting, tap to cancel");
      setText(shown.next, row.next ? aheadText(secondsBetween(now, row.next)) : "");
    });
    setHidden(empty, waiting.length > 0);
    setHidden(all, waiting.length < 2);
    setText(count, vibrations === 1 ? "1 vibration" : `${vibrations} vibrations`);
    keyed(ended, over.slice(-6).reverse(), (one) => `${one.id} ${one.what} ${one.at}`, (one) => ({
      root: h("li", {}, h("span", { class: `mark ${one.what}`, text: `Timer ${one.id} ${endings[one.what] ?? one.what}` }),
        h("time", { datetime: one.at, text: momentText(one.at, now) })),
    }));
    setHidden(endedPart, over.length === 0);
  }

  return { root, update };
}
