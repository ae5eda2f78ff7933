/** Makes the simulated player audible in the browser, in step with it, for those who want that. */

import { h, toggle } from "./dom.js";

const apart = 0.7;

export function makeSpeaker() {
  const sound = new Audio();
  sound.preload = "none";
  let track = null;
  let latest = [null, 0];
  const speaker = toggle("Hear it in this browser", () => follow(...latest));
  const root = h("div", { class: "speaker" }, speaker.root);

  /** Runs also when the app is not in front: the sound continues. */
  function follow(state, speed) {
    latest = [state, speed];
    const isHeard = speaker.input.checked && state?.isPlaying && state.current && speed > 0 && speed <= 4;
    if (!isHeard) {
      sound.pause();
      return;
    }
    if (track !== state.current) {
      track = state.current;
      sound.src = `/tracks/${encodeURIComponent(track)}.wav`;
    }
    sound.playbackRate = speed;
    if (Math.abs(sound.currentTime - state.position) > apart * speed) sound.currentTime = state.position;
    if (sound.paused) sound.play().catch(() => { speaker.set(false); });
  }

  return { root, follow };
}
