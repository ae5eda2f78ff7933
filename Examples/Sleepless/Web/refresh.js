/** The screen "Refresh": what the system is asked to run when it suits it, and what it has run. */

import { button, choice, errorLine, field, h, keyed, setHidden, setText, toggle } from "./dom.js";
import { momentText, secondsBetween, spanText, withMoments } from "./clock.js";
import { tap } from "./server.js";

export function makeRefresh() {
  const error = errorLine();
  const refusal = errorLine();
  const last = h("p", { class: "last-refresh" });
  const kind = choice("Kind", [["refresh", "Refresh"], ["processing", "Processing"]], (value) => setHidden(needs, value !== "processing"));
  kind.set("refresh");
  const earliest = h("select", {}, [0, 900, 3600, 14400, 43200].map((length) =>
    h("option", { value: length, text: length ? `in ${spanText(length)}` : "at any time" })));
  earliest.value = "900";
  const network = toggle("Needs the network", () => {});
  const power = toggle("Needs external power", () => {});
  const needs = h("div", { class: "needs", hidden: true }, network.root, power.root);
  const form = h("form", { class: "card form", "aria-label": "New request", on: { submit: schedule } },
    kind.root, field("Not before", earliest), needs, h("button", { type: "submit", class: "button primary wide", text: "Schedule" }));
  const pending = h("ul", { class: "requests", "aria-label": "Pending requests" });
  const noRequest = h("p", { class: "empty", text: "No request is pending. Schedule a refresh, leave the app, and skip a day." });
  const runs = h("ol", { class: "history runs" });
  const noRun = h("p", { class: "empty", text: "No run yet." });
  const root = h("div", { class: "screen-body" }, last, form, error, refusal,
    h("h4", { text: "Pending" }), noRequest, pending, h("h4", { text: "Runs" }), noRun, runs);

  function schedule(event) {
    event.preventDefault();
    const isProcessing = kind.value === "processing";
    tap("refresh/schedule", {
      kind: kind.value, earliest: Number(earliest.value),
      network: isProcessing && network.input.checked, power: isProcessing && power.input.checked,
    }, error);
  }

  function make(request) {
    const note = h("p", { class: "row-note" });
    const why = h("ul", { class: "why" });
    const title = h("strong", { text: request.kind === "refresh" ? "Refresh" : "Processing" });
    const name = request.kind === "refresh" ? "refresh" : "processing";
    const root = h("li", { class: "card request" }, title, note, why, h("div", { class: "actions" },
      button("Simulate a launch now", () => tap("refresh/simulate", { id: request.id }, error), { class: "button small", "aria-label": `Simulate a launch now: ${name}` }),
      button("Cancel", () => tap("refresh/cancel", { id: request.id }, error), { class: "button small", "aria-label": `Cancel: ${name}` })));
    return { root, note, why };
  }

  function update(state, now, jobs) {
    setText(last, state.last ? `Last refresh: ${momentText(state.last, now)}` : "Not refreshed yet");
    keyed(pending, state.pending, (request) => request.id, make, (row, request) => {
      const conditions = [request.network ? "network" : null, request.power ? "power" : null].filter(Boolean).join(" and ");
      setText(row.note, [request.earliest ? `not before ${momentText(request.earliest, now)}` : "at any time", conditions ? `needs ${conditions}` : null].filter(Boolean).join(", "));
      const reasons = jobs.find((job) => job.id === request.id)?.whyNot;
      keyed(row.why, reasons?.length === 0 ? ["waits for an opportunity"] : reasons ?? [], (reason) => reason, (reason) => ({ root: h("li", { text: withMoments(reason, now) }) }));
    });
    setHidden(noRequest, state.pending.length > 0);
    keyed(runs, state.runs.slice(-20).reverse(), (run) => `${run.id} ${run.began}`, (run) => {
      const outcome = h("span", { class: "outcome" });
      const time = h("time", { datetime: run.began });
      return { root: h("li", {}, h("span", { text: run.kind === "refresh" ? "Refresh" : "Processing" }), outcome, time), outcome, time };
    }, (row, run) => {
      setText(row.outcome, run.outcome ?? "running");
      setText(row.time, momentText(run.began, now) + (run.ended ? `, ${spanText(Math.round(secondsBetween(run.began, run.ended) * 10) / 10)}` : ""));
      row.outcome.dataset.outcome = run.outcome ?? "running";
    });
    setHidden(noRun, state.runs.length > 0);
    setText(refusal, state.error);
    setHidden(refusal, !state.error);
  }

  return { root, update };
}
