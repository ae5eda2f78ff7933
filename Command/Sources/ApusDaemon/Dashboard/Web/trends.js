// The outcomes of a job's latest attempts, which a row and the panel show beside the last one.

import { api } from './api.js';
import { s, setAttribute } from './dom.js';
import { lateness } from './format.js';
import { runKey } from './store.js';

const SHOWN = 10;
// The maximum number of concurrent requests.
const AT_ONCE = 2;
// The maximum number of jobs that wait for a request. In a list that is scrolled quickly, only the latest rows count.
const WAITING = 30;

const BAR = 5;
const BASE = 11;
const HEIGHT = 17;

const isBad = (outcome) => outcome === 'failed' || outcome === 'lost';
export const hasEnded = (run) => run.started !== null && !['running', 'waiting'].includes(run.outcome);

/** Returns the duration of an attempt, in milliseconds; `null` if it did not begin or has not ended. */
export const took = (run) => (run.started && run.finished ? Math.max(0, Date.parse(run.finished) - Date.parse(run.started)) : null);

/** Returns a summary of attempts, newest first, such as `8 of 8 failed`; empty if none failed. */
export function failures(attempts) {
  const failed = attempts.filter(({ outcome }) => isBad(outcome)).length;
  return failed ? `${failed} of ${attempts.length} failed` : '';
}

/** The attempts of the visible jobs, newest first. Emits `trend` with a job's identifier. */
export class Trends extends EventTarget {
  constructor() {
    super();
    this.attempts = new Map();
    this.waiting = [];
    this.asking = new Set();
  }

  /** Returns the known attempts of a job, and requests them if none are known. */
  of(job) {
    const known = this.attempts.get(job.id);
    if (!known && job.lastRun) this.want(job.id);
    return known ?? [];
  }

  want(id) {
    if (this.asking.has(id) || this.waiting.includes(id)) return;
    this.waiting.push(id);
    if (this.waiting.length > WAITING) this.waiting.shift();
    this.next();
  }

  next() {
    while (this.asking.size < AT_ONCE && this.waiting.length) this.ask(this.waiting.pop());
  }

  async ask(id) {
    this.asking.add(id);
    try {
      const { runs } = await api.runs({ job: id, begun: true, limit: SHOWN + 2 });
      // Attempts that ended during the request came by events, and are newer.
      const early = this.attempts.get(id) ?? [];
      this.attempts.set(id, []);
      for (const run of [...runs].reverse()) this.keep(run);
      for (const attempt of early.reverse()) this.keepOne(id, attempt);
      this.emit(id);
    } catch {
      // Without an answer, the row shows only its last run. The next reload repeats the request.
    }
    this.asking.delete(id);
    this.next();
  }

  /** Forgets everything, because events were missed while there was no connection. */
  clear() {
    this.attempts.clear();
    this.waiting.length = 0;
  }

  /** Adds runs that have just begun or ended. */
  add(runs) {
    for (const run of runs) {
      if (!this.attempts.has(run.job) && !this.asking.has(run.job)) continue;
      if (this.keep(run)) this.emit(run.job);
    }
  }

  keep(run) {
    return hasEnded(run) && this.keepOne(run.job, { key: runKey(run), outcome: run.outcome, took: took(run) });
  }

  keepOne(id, attempt) {
    const known = this.attempts.get(id) ?? [];
    if (known.some(({ key }) => key === attempt.key)) return false;
    known.unshift(attempt);
    known.length = Math.min(known.length, SHOWN);
    this.attempts.set(id, known);
    return true;
  }

  emit(id) {
    this.dispatchEvent(new CustomEvent('trend', { detail: id }));
  }
}

/** The bars of attempts: upwards for successes, the higher the longer they took; downwards for failures. */
export class Bars {
  constructor() {
    this.good = s('path', { class: 'good' });
    this.bad = s('path', { class: 'bad' });
    this.other = s('path', { class: 'other' });
    this.element = s('svg', { class: 'trend', role: 'img', width: SHOWN * BAR, height: HEIGHT, viewBox: `0 0 ${SHOWN * BAR} ${HEIGHT}` },
      s('path', { class: 'base', d: `M0 ${BASE}.5H${SHOWN * BAR}` }), this.other, this.good, this.bad);
  }

  /** Shows attempts, newest first. */
  show(attempts) {
    this.element.toggleAttribute('hidden', attempts.length < 2);
    if (this.shown === attempts && this.newest === attempts[0]?.key) return;
    this.shown = attempts;
    this.newest = attempts[0]?.key;
    const most = Math.max(1, ...attempts.map((one) => one.took ?? 0));
    const paths = { good: '', bad: '', other: '' };
    attempts.forEach(({ outcome, took: ms }, index) => {
      const x = (SHOWN - 1 - index) * BAR + 1;
      if (isBad(outcome)) paths.bad += `M${x} ${BASE}h3v6h-3z`;
      else if (outcome !== 'succeeded') paths.other += `M${x} ${BASE - 1}h3v2h-3z`;
      else paths.good += `M${x} ${BASE}v-${(3 + 8 * ((ms ?? 0) / most)).toFixed(1)}h3V${BASE}z`;
    });
    for (const [name, path] of Object.entries(paths)) setAttribute(this[name], 'd', path || 'M0 0');
    const times = attempts.map((one) => one.took).filter((ms) => ms !== null).sort((a, b) => a - b);
    const words = [failures(attempts) || `${attempts.length} of ${attempts.length} succeeded or were cancelled`];
    if (times.length) words.push(`median duration ${lateness(times[times.length >> 1])}`);
    setAttribute(this.element, 'aria-label', `Latest attempts: ${words.join(', ')}`);
  }
}
