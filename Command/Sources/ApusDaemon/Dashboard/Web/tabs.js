// One stream of events for all tabs of a browser. A browser opens six connections to one origin over HTTP/1.1, and the
// daemon accepts 64 streams: with a stream for each tab, the seventh tab would wait for an answer forever.
//
// The tab that holds a lock (Web Locks) listens to the daemon, and sends the events to the others through a broadcast
// channel. When it is closed, another tab gets the lock and connects, and all tabs read again what they show, as after
// any reconnection. Events are passed on as they arrive and not in batches: a hidden tab has no frames, and its timers
// are slow.
//
// Locks need a secure context (https or loopback). Elsewhere each tab has its own stream.

import { Batch } from './batch.js';
import { Stream } from './stream.js';

const NAME = 'apus-events';

export class SharedStream {
  /**
   * `state` gets the states of `Stream`, and `events` gets events in batches; `signedOut` is called when another tab
   * signs out.
   */
  constructor({ state, events, signedOut }) {
    Object.assign(this, { onState: state, signedOut });
    this.batch = new Batch(events);
    this.id = `${Math.random()}`;
    this.stream = null;
    this.last = null;
  }

  start() {
    this.onState('connecting');
    if (!navigator.locks) return this.lead();
    this.channel = new BroadcastChannel(NAME);
    this.channel.addEventListener('message', ({ data }) => this.received(data));
    this.post({ kind: 'hello', from: this.id });
    document.addEventListener('visibilitychange', () => document.hidden || this.post({ kind: 'hurry' }));
    // The lock is held until the tab is closed.
    navigator.locks.request(NAME, () => {
      this.lead();
      return new Promise(() => {});
    });
  }

  /** Connects at once, without waiting for the end of the pause. */
  retry() {
    if (this.stream) this.stream.retry();
    else this.post({ kind: 'hurry' });
  }

  /** Notifies the other tabs that this browser is signed out. */
  leave() {
    this.post({ kind: 'signedOut' });
  }

  post(message) {
    this.channel?.postMessage(message);
  }

  lead() {
    this.stream = new Stream({
      state: (state, next) => {
        this.last = { kind: 'state', state, next };
        this.onState(state, next);
        this.post(this.last);
      },
      event: (name, data) => {
        this.batch.keep(name, data);
        this.post({ kind: 'event', name, data });
      },
    });
    this.stream.start();
  }

  received(message) {
    switch (message.kind) {
      case 'hello':
        if (this.stream) this.post({ ...this.last, to: message.from });
        break;
      case 'hurry':
        this.stream?.hurry();
        break;
      case 'signedOut':
        this.signedOut();
        break;
      case 'state':
        if (!this.stream && (message.to ?? this.id) === this.id) this.onState(message.state, message.next);
        break;
      case 'event':
        if (!this.stream) this.batch.keep(message.name, message.data);
        break;
    }
  }
}
