// The next hour: a lane for each of the nearest jobs, and one for the number of occurrences of all others.

import { h, s, setAttribute, setText } from './dom.js';
import { clockPause, duration, plural, remaining, timeOfDay, title } from './format.js';

const HOUR = 3_600_000;
const BIN = 60_000;
const BINS = HOUR / BIN;
const LANES = 5;
const LANE = 24;
const AXIS = 22;
// Marks that are nearer to each other than this are drawn as a band.
const NEAREST = 12;
// A job with a shorter interval is due all the time. Its lane comes after those of jobs that are due at some time.
const FAST = 60_000;

const isFast = (job) => job.intervalMs !== null && job.intervalMs < FAST;

/**
 * Orders the lanes: jobs that are due at some time, and then jobs that are due all the time, which keep their places.
 */
const comesBefore = (a, b) =>
  isFast(a) !== isFast(b) ? isFast(b) : isFast(a) ? a.createdMs < b.createdMs : a.dueMs < b.dueMs;

/** Returns the occurrences of a job within the hour: `{ first, last, number, period }`; `null` if there are none. */
export function occurrencesOf(job, now) {
  if (job.state !== 'scheduled' || job.dueMs === null || job.dueMs >= now + HOUR || job.dueMs < now) return null;
  const period = job.intervalMs;
  if (!period) return { first: job.dueMs, last: job.dueMs, number: 1, period: null };
  const times = job.trigger.count ? job.trigger.count - job.occurrences : Infinity;
  const number = Math.max(1, Math.min(times, Math.ceil((now + HOUR - job.dueMs) / period)));
  return { first: job.dueMs, last: job.dueMs + (number - 1) * period, number, period };
}

/**
 * Adds occurrences to the bins. Those of a job that is faster than a bin are spread: ten thousand jobs that repeat
 * every second must not cost 36 million steps.
 */
function addTo(bins, start, { first, number, period }) {
  const bin = (ms) => Math.floor((ms - start) / BIN);
  if (!period || period >= BIN) {
    for (let i = 0; i < number; i += 1) bins[bin(first + i * (period ?? 0))] += 1;
    return;
  }
  const end = first + number * period;
  for (let index = bin(first); index < bins.length; index += 1) {
    const from = Math.max(first, start + index * BIN);
    const to = Math.min(end, start + (index + 1) * BIN);
    if (to <= from) return;
    bins[index] += (to - from) / period;
  }
}

/**
 * Returns what is shown: `lanes` of `{ job, … }` with the fields of `occurrencesOf`, and, for all other jobs, their
 * number and the number of their occurrences in each bin from `start` on.
 */
export function plan(jobs, start, now) {
  const nearest = [];
  const all = [];
  let occurrences = 0;
  for (const job of jobs) {
    const found = occurrencesOf(job, now);
    if (!found) continue;
    occurrences += found.number;
    all.push({ job, ...found });
    let place = nearest.length;
    while (place > 0 && comesBefore(job, nearest[place - 1].job)) place -= 1;
    if (place > LANES) continue;
    nearest.splice(place, 0, all.at(-1));
    if (nearest.length > LANES + 1) nearest.pop();
  }
  const lanes = nearest.slice(0, all.length > LANES ? LANES - 1 : LANES);
  const bins = new Float64Array(BINS + 1);
  const chosen = new Set(lanes);
  if (all.length > lanes.length) for (const one of all) if (!chosen.has(one)) addTo(bins, start, one);
  return { lanes, bins, rest: all.length - lanes.length, occurrences, sources: all.length };
}

export class Timeline {
  constructor({ store, ticker, element, summary }) {
    Object.assign(this, { store, ticker, summary });
    this.axis = s('g', { class: 'axis' });
    this.lines = s('g', { class: 'lines' });
    this.density = s('path', { class: 'density' });
    this.bands = s('path', { class: 'bands' });
    this.dues = s('path', { class: 'dues' });
    this.now = s('path', { class: 'now' });
    this.strip = s('svg', { class: 'strip', role: 'img' }, this.lines, this.axis, this.density, this.bands, this.dues, this.now);
    this.names = h('ol', { class: 'lane-names', 'aria-label': 'Jobs that are due in the next hour' });
    element.append(h('div', { class: 'lanes' }, this.names, h('div', { class: 'strip-box' }, this.strip)));
    this.width = 0;
    this.rows = 2;
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
   * Draws at most once a second, because an hour on a screen's width moves a third of a pixel in that time. It draws at
   * once if the width has changed since the last picture, or if nothing was drawn.
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
    const { lanes } = this.shown;
    const pauses = lanes.filter(({ job }) => !isFast(job)).map(({ job }) => clockPause(Math.max(1, job.dueMs - now)) + 1);
    if (pauses.length) return Math.max(250, Math.min(...pauses));
    return (this.dirty ? 1000 : 5000) - (now - this.drawnAt);
  }

  draw(now) {
    // The bins are aligned to the clock, not to `now`, so that they move to the left and do not flicker.
    const start = Math.floor(now / BIN) * BIN;
    const shown = (this.shown = plan(this.store.jobs.values(), start, now));
    const rows = shown.lanes.length + (shown.rest ? 1 : 0);
    // The number of rows only grows, so that the content below does not move whenever a job is done.
    this.rows = Math.max(this.rows, rows);
    this.ground = this.rows * LANE;
    const x = (ms) => ((ms - now) / HOUR) * this.width;
    setAttribute(this.strip, 'height', this.ground + AXIS);
    setAttribute(this.strip, 'viewBox', `0 0 ${this.width} ${this.ground + AXIS}`);
    this.now.setAttribute('d', `M0.75 0V${this.ground}`);
    this.drawAxis(now, x);
    this.lines.replaceChildren(...Array.from({ length: this.rows - 1 }, (_, row) => s('path', { d: `M0 ${(row + 1) * LANE - 0.5}H${this.width}` })));
    let [bands, dues] = ['', ''];
    shown.lanes.forEach(({ first, last, number, period }, lane) => {
      const top = lane * LANE;
      const [left, right] = [x(first), x(last)];
      if (number > 1 && (period / HOUR) * this.width < NEAREST) {
        bands += `M${left.toFixed(1)} ${top + 8}H${Math.min(this.width, right + 2).toFixed(1)}v8H${left.toFixed(1)}z`;
        return;
      }
      for (let i = 0; i < number; i += 1) dues += `M${x(first + i * (period ?? 0)).toFixed(1)} ${top + 5}h3v14h-3z`;
    });
    this.bands.setAttribute('d', bands || 'M0 0');
    this.dues.setAttribute('d', dues || 'M0 0');
    this.density.setAttribute('d', shown.rest ? this.area(shown, start, x) : 'M0 0');
    this.describe(now);
  }

  /** Returns the number of occurrences over time, as one area without gaps. */
  area({ bins, lanes }, start, x) {
    const ground = (lanes.length + 1) * LANE;
    // An hour that is full of one fast job must not look like a wall.
    const most = Math.max(30, ...bins);
    let path = `M0 ${ground}`;
    bins.forEach((n, bin) => {
      const tall = n ? Math.max(3, (Math.log1p(n) / Math.log1p(most)) * (LANE - 4)) : 0;
      const left = Math.max(0, x(start + bin * BIN));
      const right = Math.min(this.width, x(start + (bin + 1) * BIN));
      if (right > left) path += `V${(ground - tall).toFixed(1)}H${right.toFixed(1)}`;
    });
    return `${path}V${ground}z`;
  }

  drawAxis(now, x) {
    const every = this.width < 500 ? 15 : 10;
    const { ground } = this;
    const parts = [s('path', { class: 'ground', d: `M0 ${ground + 0.5}H${this.width}` })];
    for (let tick = Math.ceil(now / (every * 60_000)) * every * 60_000; tick < now + HOUR; tick += every * 60_000) {
      const at = x(tick);
      parts.push(s('path', { class: 'tick', d: `M${at.toFixed(1)} ${ground}v4` }));
      if (at > 44 && at < this.width - 18) parts.push(s('text', { x: at.toFixed(1), y: ground + 17, 'text-anchor': 'middle' }, timeOfDay(tick)));
    }
    parts.push(s('text', { class: 'here', x: 0, y: ground + 17 }, 'now'));
    this.axis.replaceChildren(...parts);
  }

  describe(now) {
    const { occurrences, sources, lanes, rest } = this.shown;
    const whole = occurrences
      ? `${plural(occurrences, 'occurrence')} of ${plural(sources, 'job')} in the next hour`
      : 'Nothing is due in the next hour';
    setAttribute(this.strip, 'aria-label', `${whole}.`);
    setText(this.summary, whole);
    const key = JSON.stringify([lanes.map(({ job }) => [job.id, title(job)]), rest]);
    if (this.key !== key) {
      this.key = key;
      this.times = lanes.map(() => h('span', { class: 'num' }));
      this.names.replaceChildren(
        ...lanes.map(({ job }, lane) => h('li', {}, h('a', { href: `#/job/${job.id}`, title: title(job) }, title(job)), this.times[lane])),
        ...(rest ? [h('li', {}, h('span', { class: 'rest' }, lanes.length ? plural(rest, 'more job') : plural(rest, 'job')))] : []));
      this.names.hidden = !lanes.length;
    }
    lanes.forEach(({ job }, lane) => {
      setText(this.times[lane], isFast(job) ? `every ${duration(job.intervalMs)}` : remaining(Math.max(0, job.dueMs - now)));
    });
  }
}
