// The next hour: when how much falls due.

import { h, s, setAttribute, setText } from './dom.js';
import { clock, plural, relative, timeOfDay, title } from './format.js';

const HOUR = 3_600_000;
const BIN = 20_000;
const BINS = HOUR / BIN;
const HEIGHT = 44;
const TOP = 22;
const LABELS = 6;

/**
 * How many occurrences fall into each bin from `start` on. A job that is faster than a bin is spread over all of them:
 * ten thousand jobs that repeat every second must not cost 36 million steps.
 */
export function density(jobs, start, now) {
  const bins = new Float64Array(BINS + 1);
  const end = start + bins.length * BIN;
  let [occurrences, sources] = [0, 0];
  const next = [];
  for (const job of jobs) {
    if (job.state !== 'scheduled' || job.dueMs === null || job.dueMs >= now + HOUR || job.dueMs < now) continue;
    sources += 1;
    next.push(job);
    const times = job.trigger.count ? job.trigger.count - job.occurrences : Infinity;
    const period = job.intervalMs;
    if (!period) {
      bins[Math.floor((job.dueMs - start) / BIN)] += 1;
      occurrences += 1;
      continue;
    }
    const last = Math.min(end, job.dueMs + period * times, now + HOUR);
    const n = Math.ceil((last - job.dueMs) / period);
    occurrences += n;
    if (period >= BIN) {
      for (let due = job.dueMs, i = 0; i < n; due += period, i += 1) bins[Math.floor((due - start) / BIN)] += 1;
    } else {
      for (let bin = Math.max(0, Math.floor((job.dueMs - start) / BIN)); bin < bins.length; bin += 1) {
        const from = Math.max(job.dueMs, start + bin * BIN);
        const to = Math.min(last, start + (bin + 1) * BIN);
        if (to <= from) break;
        bins[bin] += (to - from) / period;
      }
    }
  }
  next.sort((a, b) => a.dueMs - b.dueMs);
  return { bins, occurrences, sources, next: next.slice(0, 24) };
}

export class Timeline {
  constructor({ store, ticker, element }) {
    Object.assign(this, { store, ticker });
    this.bars = s('path', { class: 'bars' });
    this.axis = s('g', { class: 'axis' });
    this.marks = s('g', { class: 'marks' });
    this.now = s('path', { class: 'now', d: `M0.75 6V${TOP + HEIGHT}` });
    this.strip = s('svg', { class: 'strip', role: 'img', height: TOP + HEIGHT + 20 }, this.axis, this.bars, this.marks, this.now);
    this.summary = h('p', { class: 'summary' });
    element.append(h('div', { class: 'strip-box' }, this.strip), this.summary);
    this.width = 0;
    this.dirty = true;
    this.drawnAt = 0;
    new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry.contentRect.width);
      this.soon();
    }).observe(this.strip.parentElement);
    const soon = () => this.soon();
    store.addEventListener('arranged', soon);
    store.addEventListener('changed', soon);
    ticker.add((now) => this.tick(now));
  }

  soon() {
    this.dirty = true;
    this.ticker.wake();
  }

  /**
   * Once a second at most: an hour on a screen's width moves a third of a pixel in that time. At once if it has another
   * width than what is drawn, or if nothing was.
   */
  tick(now) {
    if (!this.width) return Infinity;
    const age = now - this.drawnAt;
    const isWrong = this.dirty && (this.width !== this.drawnWidth || !this.shown.sources);
    if (age < 0 || isWrong || age >= (this.dirty ? 1000 : 5000)) {
      this.draw(now);
      this.drawnWidth = this.width;
      this.drawnAt = now;
      this.dirty = false;
    } else this.describe(now);
    const left = this.shown.next.length ? (this.shown.next[0].dueMs - now) % 1000 : 0;
    if (this.shown.next.length) return left > 250 ? left + 1 : 1000;
    return (this.dirty ? 1000 : 5000) - (now - this.drawnAt);
  }

  draw(now) {
    // The bins stand on the clock, not on `now`: they move to the left, and do not flicker.
    const start = Math.floor(now / BIN) * BIN;
    const shown = (this.shown = density(this.store.jobs.values(), start, now));
    const x = (ms) => ((ms - now) / HOUR) * this.width;
    setAttribute(this.strip, 'viewBox', `0 0 ${this.width} ${TOP + HEIGHT + 20}`);
    this.drawAxis(now, x);
    // An hour that is full of one fast job shall not look like a wall.
    const most = Math.max(60, ...shown.bins);
    const step = x(start + BIN) - x(start);
    let path = '';
    shown.bins.forEach((n, bin) => {
      if (!n) return;
      const left = Math.max(0, x(start + bin * BIN));
      const right = Math.min(this.width, x(start + (bin + 1) * BIN) - Math.min(1, step / 4));
      if (right <= left) return;
      const tall = Math.max(3, (Math.log1p(n) / Math.log1p(most)) * HEIGHT);
      path += `M${left.toFixed(1)} ${TOP + HEIGHT}V${(TOP + HEIGHT - tall).toFixed(1)}H${right.toFixed(1)}V${TOP + HEIGHT}z`;
    });
    this.bars.setAttribute('d', path || 'M0 0');
    this.drawLabels(shown.next, x);
    this.describe(now);
  }

  drawAxis(now, x) {
    const every = this.width < 600 ? 15 : 10;
    const parts = [s('path', { class: 'ground', d: `M0 ${TOP + HEIGHT + 0.5}H${this.width}` })];
    for (let tick = Math.ceil(now / (every * 60_000)) * every * 60_000; tick < now + HOUR; tick += every * 60_000) {
      const at = x(tick);
      parts.push(s('path', { class: 'tick', d: `M${at.toFixed(1)} ${TOP + HEIGHT}v4` }));
      if (at > 44 && at < this.width - 18) parts.push(s('text', { x: at.toFixed(1), y: TOP + HEIGHT + 16, 'text-anchor': 'middle' }, timeOfDay(tick)));
    }
    parts.push(s('text', { class: 'here', x: 0, y: TOP + HEIGHT + 16 }, 'now'));
    this.axis.replaceChildren(...parts);
  }

  /** The nearest ones, as far as their names have room. */
  drawLabels(next, x) {
    const parts = [];
    let free = 6;
    for (const job of next) {
      const at = x(job.dueMs);
      const name = title(job).length > 18 ? `${title(job).slice(0, 17)}…` : title(job);
      const wide = name.length * 6.6 + 14;
      if (at < free || at + wide > this.width) continue;
      parts.push(
        s('path', { d: `M${at.toFixed(1)} 8V${TOP + HEIGHT}` }),
        s('text', { x: (at + 5).toFixed(1), y: 15 }, name));
      free = at + wide;
      if (parts.length >= LABELS * 2) break;
    }
    this.marks.replaceChildren(...parts);
  }

  describe(now) {
    const { occurrences, sources, next } = this.shown;
    const whole = occurrences
      ? `${plural(Math.round(occurrences), 'occurrence')} of ${plural(sources, 'job')} in the next hour`
      : 'Nothing is due in the next hour';
    setAttribute(this.strip, 'aria-label', `${whole}.`);
    const nearest = next.slice(0, 3);
    const key = nearest.map((job) => job.id).join(' ');
    if (this.nearest !== key || !this.links) {
      this.nearest = key;
      this.whole = h('span', { class: 'whole' });
      this.links = nearest.map((job) => {
        const left = h('span', { class: 'num' });
        return { left, element: h('a', { href: `#/job/${job.id}` }, title(job), ' ', left) };
      });
      this.summary.replaceChildren(this.whole, ...this.links.map((link) => link.element));
    }
    setText(this.whole, whole);
    nearest.forEach((job, index) => {
      setText(this.links[index].left, job.dueMs - now < 60_000 ? relative(job.dueMs - now) : clock(job.dueMs - now));
    });
  }
}
