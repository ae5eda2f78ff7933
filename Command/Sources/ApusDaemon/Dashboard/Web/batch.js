// Collects events and hands them over together, once a frame, or once a second while the page is hidden.

const AT_ONCE = 80;

export class Batch {
  /** `events` is called with the collected events, as `{ name, data }`. */
  constructor(events) {
    this.onEvents = events;
    this.waiting = [];
    this.flushing = false;
  }

  keep(name, data) {
    this.waiting.push([name, data]);
    if (!this.flushing) this.flushSoon();
  }

  flushSoon() {
    this.flushing = true;
    // A hidden page has no frames.
    const late = setTimeout(() => this.flush(), 1000);
    requestAnimationFrame(() => {
      clearTimeout(late);
      this.flush();
    });
  }

  flush() {
    if (!this.flushing) return;
    this.flushing = false;
    // The number of events is limited, so that a hundred jobs that run at the same instant do not delay a frame. A
    // quarter of a long queue is always taken, so that the queue does not grow.
    const events = this.waiting.splice(0, Math.max(AT_ONCE, this.waiting.length >> 2));
    if (this.waiting.length) this.flushSoon();
    this.onEvents(events.map(([name, data]) => ({ name, data: data ? JSON.parse(data) : {} })));
  }
}
