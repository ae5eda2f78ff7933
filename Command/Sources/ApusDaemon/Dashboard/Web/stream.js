// The daemon's events, with a reconnection of our own: an EventSource gives up for good after a 401 or a 503, and does
// not report which one it was.

import { api } from './api.js';

const NAMES = ['job', 'run', 'deleted', 'output', 'notification', 'clock', 'lost'];
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

/**
 * The states are `connecting`, `connected`, `reconnecting` and `stopped` (with the instant of the next attempt), and
 * `refused` (the cookie is no longer valid).
 *
 * Events are handed over as they arrive, by name and with their data as text.
 */
export class Stream {
  constructor({ state, event }) {
    Object.assign(this, { onState: state, onEvent: event });
    this.source = null;
    this.failures = 0;
    this.timer = null;
    document.addEventListener('visibilitychange', () => document.hidden || this.hurry());
    addEventListener('online', () => this.hurry());
  }

  start() {
    this.onState('connecting');
    this.open();
  }

  /** Ends the pause before the next attempt, if there is one. */
  hurry() {
    if (this.timer !== null) this.retry();
  }

  /** Connects at once, without waiting for the end of the pause. */
  retry() {
    clearTimeout(this.timer);
    this.timer = null;
    this.open();
  }

  open() {
    this.source?.close();
    const source = (this.source = new EventSource('/v1/events?terminal=true'));
    source.addEventListener('open', () => {
      if (source !== this.source) return;
      this.failures = 0;
      this.onState('connected');
    });
    source.addEventListener('error', () => {
      if (source !== this.source) return;
      source.close();
      this.source = null;
      this.failed();
    });
    for (const name of NAMES) source.addEventListener(name, (event) => this.onEvent(name, event.data));
  }

  async failed() {
    this.failures += 1;
    let pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.failures - 1));
    // A fifth of the pause is random, so that the pages of one daemon do not all return at once.
    pause *= 0.8 + Math.random() / 5;
    let isThere = false;
    if (this.failures > 1) {
      try {
        await api.health();
        isThere = true;
      } catch (error) {
        if (error.status === 401 || error.status === 403) return this.onState('refused');
        if (error.retryAfter) pause = error.retryAfter * 1000;
        isThere = error.status !== 0;
      }
    }
    if (this.source || this.timer !== null) return;
    this.onState(this.failures > 3 && !isThere ? 'stopped' : 'reconnecting', Date.now() + pause);
    this.timer = setTimeout(() => this.retry(), pause);
  }
}
