/** The screen "Audio": three tracks, which keep playing after Home. */

import { errorLine, h, keyed, setAttribute, setHidden, setText, svg } from "./dom.js";
import { countText } from "./clock.js";
import { icon } from "./icons.js";
import { tap } from "./server.js";
import { makeSpeaker } from "./speaker.js";

/** A cover for each track: hills under a sky, from its place in the queue. */
function cover(index) {
  return svg("svg", { viewBox: "0 0 64 64", class: `cover cover-${index % 3}`, "aria-hidden": "true" },
    svg("rect", { width: 64, height: 64, class: "cover-sky" }),
    svg("circle", { cx: [18, 44, 32][index % 3], cy: [40, 18, 24][index % 3], r: 9, class: "cover-sun" }),
    svg("path", { class: "cover-far", d: "M0 46 16 36l14 8 16-12 18 13v19H0Z" }),
    svg("path", { class: "cover-near", d: "M0 54c14-8 24-2 34 1s20-3 30-6v15H0Z" }));
}

export function makeAudio() {
  const error = errorLine();
  const refusal = errorLine();
  const speaker = makeSpeaker();
  const art = h("div", { class: "art" });
  const title = h("p", { class: "track-title" });
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Position in the track" });
  const [gone, left] = [h("span", {}), h("span", {})];
  const round = (name, label, action, kind = "") =>
    h("button", { type: "button", class: `round ${kind}`, "aria-label": label, on: { click: action } }, icon(name, 26));
  const play = round("play", "Play", () => tap("audio/play", {}, error), "main");
  const pause = round("pause", "Pause", () => tap("audio/pause", {}, error), "main");
  const next = round("next", "Next track", () => tap("audio/next", {}, error));
  const restart = round("refresh", "Queue from the first track", () => tap("audio/restart", {}, error));
  const queue = h("ol", { class: "rows queue", "aria-label": "Queue" });
  const empty = h("p", { class: "empty", text: "Play begins with the first track, and continues when you leave the app." });
  const root = h("div", { class: "screen-body" },
    h("div", { class: "now-playing" }, art, title, progress, h("p", { class: "positions" }, gone, left),
      h("div", { class: "transport" }, restart, play, pause, next)),
    error, refusal, speaker.root, h("h4", { text: "Queue" }), empty, queue);

  let shown = null;
  function update(state) {
    const index = state.queue.findIndex((track) => track.id === state.current);
    const track = state.queue[index];
    if (shown !== index) art.replaceChildren(cover(Math.max(0, index)));
    shown = index;
    setText(title, track ? track.title : "Nothing plays");
    progress.value = track ? Math.min(1, state.position / track.seconds) : 0;
    setText(gone, track ? countText(state.position) : "");
    setText(left, track ? `−${countText(Math.ceil(track.seconds - state.position))}` : "");
    setHidden(play, state.isPlaying);
    setHidden(pause, !state.isPlaying);
    next.disabled = !track;
    keyed(queue, state.queue, (one) => one.id, (one) => {
      const length = h("span", { class: "row-time", text: countText(one.seconds) });
      return { root: h("li", { class: "row" }, cover(state.queue.indexOf(one)), h("span", { class: "row-main", text: one.title }), length) };
    }, (row, one) => setAttribute(row.root, "aria-current", one.id === state.current ? "true" : null));
    setHidden(empty, Boolean(track));
    setText(refusal, state.error);
    setHidden(refusal, !state.error);
  }

  return { root, update, follow: speaker.follow };
}
