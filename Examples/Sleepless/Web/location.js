/** The screen "Location": pins on a map, also of the way with the phone in the pocket. */

import { button, choice, errorLine, h, setAttribute, setHidden, setText, toggle } from "./dom.js";
import { secondsText } from "./clock.js";
import { icon } from "./icons.js";
import { makeMap } from "./map.js";
import { control, snapshot, tap } from "./server.js";

const answers = {
  notDetermined: "Sleepless has not asked for authorization yet.",
  denied: "The user does not allow it.",
  whenInUse: "Allowed while the app is used.",
  always: "Always allowed.",
};

/** `dialogs` is where the phone draws the system's question. */
export function makeLocation(dialogs) {
  const error = errorLine();
  const refusal = errorLine();
  const map = makeMap();
  const permission = h("p", { class: "screen-note" });
  const wish = choice("Ask for", [["whenInUse", "In use"], ["always", "Always"]], () => {});
  wish.set("always");
  const ask = button("Ask for authorization", question, { class: "button primary" });
  const asking = h("div", { class: "card form" }, permission, h("div", { class: "actions" }, wish.root, ask));
  const background = toggle("Also in the background", () => {});
  background.set(true);
  const start = button("Start", () => tap("location/start", { inBackground: background.input.checked }, error), { class: "button primary" });
  const stop = button("Stop", () => tap("location/stop", {}, error), { class: "button primary" });
  const clear = button("Clear", () => tap("location/clear", {}, error), { class: "button" });
  const summary = h("p", { class: "screen-note" });
  const latest = h("p", { class: "screen-note tabular" });
  const root = h("div", { class: "screen-body" }, map.root, summary, latest,
    h("div", { class: "actions" }, start, stop, clear), background.root, error, refusal, asking);

  function question() {
    if (snapshot()?.app?.location.authorization === "denied") {
      tap("location/authorize", { wish: wish.value }, error);
      return;
    }
    const answer = (authorization) => async () => {
      dialogs.close();
      await control("location-answer", { authorization }, error);
      await tap("location/authorize", { wish: wish.value }, error);
    };
    const isAlways = wish.value === "always";
    dialogs.show({
      icon: icon("location", 28),
      title: "Allow “Sleepless” to use your location?",
      text: isAlways ? "Pins are also set while you use other apps." : "Pins are set while the app is in front.",
      buttons: [
        ...(isAlways ? [["Always allow", answer("always")]] : []),
        ["Allow while using", answer("whenInUse")],
        ["Don’t allow", answer("denied")],
      ],
      opener: ask,
    });
  }

  function update(state, now) {
    map.update(state.pins);
    setText(permission, answers[state.authorization] ?? state.authorization);
    const isAllowed = ["whenInUse", "always"].includes(state.authorization);
    setHidden(asking, state.authorization === "always");
    start.disabled = !isAllowed;
    setHidden(start, state.isUpdating);
    setHidden(stop, !state.isUpdating);
    setHidden(clear, state.pins.length === 0);
    background.input.disabled = state.isUpdating;
    const away = state.pins.filter((pin) => pin.inBackground).length;
    const pins = state.pins.length === 1 ? "1 pin" : `${state.pins.length} pins`;
    setText(summary, `${pins}${away ? `, ${away} in the background` : ""}${state.isUpdating && !state.hasFix ? ", no fix" : ""}`);
    const last = state.pins.at(-1);
    setText(latest, last
      ? `${secondsText(last.at)}: ${last.latitude.toFixed(5)}, ${last.longitude.toFixed(5)}${last.accuracy === null ? "" : ` ± ${Math.round(last.accuracy)} m`}`
      : isAllowed ? "Start, then leave the app and walk on." : "No position yet.");
    setText(refusal, state.error);
    setHidden(refusal, !state.error);
    setAttribute(root, "data-updating", state.isUpdating);
  }

  return { root, update };
}
