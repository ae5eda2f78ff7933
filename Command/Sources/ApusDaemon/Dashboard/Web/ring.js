// Rings that count down, and the one loop that moves all visible parts.

import { duration, isHeld, remaining } from './format.js';
import { h, s, setAttribute, setText } from './dom.js';

const RADIUS = 20;
const LENGTH = 2 * Math.PI * RADIUS;

/** Whether a job continues although its latest attempt failed. */
export const isFailing = (job) => job.failed && (job.state === 'scheduled' || job.state === 'suspended');

// A ring is like the face of a clock on which one turn is a minute, an hour, a day or a week. It does not show the
// fraction of the job's interval: the ring would then be full for every job that has just begun to wait, whether for an
// hour or for a month.
const FACES = [
  { turn: 60_000, unit: 1000, letter: 's', word: 'second' },
  { turn: 3_600_000, unit: 60_000, letter: 'm', word: 'minute' },
  { turn: 86_400_000, unit: 3_600_000, letter: 'h', word: 'hour' },
  { turn: 604_800_000, unit: 86_400_000, letter: 'd', word: 'day' },
  { turn: Infinity, unit: 604_800_000, letter: 'w', word: 'week' },
];

/**
 * Returns the picture of a remaining time: the fraction of the turn, and the label in the ring, which is full from a
 * week on.
 */
export function face(left) {
  const { turn, unit, letter, word } = FACES.find((one) => left <= one.turn);
  const n = Math.max(0, Math.ceil(left / unit));
  return {
    turn, unit, fraction: turn === Infinity ? 1 : Math.max(0, left / turn), label: `${n}${letter}`,
    // A screen reader must not announce each second.
    words: word === 'second' ? 'less than a minute' : `about ${n} ${word}${n === 1 ? '' : 's'}`,
  };
}

/** Returns the state of a job at `now`: its remaining time as a ring, and words for it. */
export function standing(job, now, isRunning) {
  if (isRunning) return { fraction: 1, mode: 'running', short: '', words: 'running' };
  if (job.state === 'suspended') {
    const left = job.remainingMs ?? (job.dueMs === null ? null : Math.max(0, job.dueMs - now));
    const { fraction } = left === null ? { fraction: 1 } : face(left);
    return { fraction, mode: 'suspended', short: '', words: 'suspended', rest: left === null ? '' : `${duration(left)} left` };
  }
  if (job.state === 'finished' && job.failed) return { fraction: 1, mode: 'failed', short: '', words: 'failed' };
  if (job.state !== 'scheduled') return { fraction: job.state === 'finished' ? 1 : 0, mode: job.state, short: '', words: job.state };
  if (job.dueMs === null || isHeld(job)) return { fraction: 1, mode: 'waiting', short: '', words: 'due' };
  const left = job.dueMs - now;
  const shown = face(left);
  return { ...shown, mode: 'counting', left, short: left > 0 ? remaining(left) : 'due', words: `due in ${shown.words}` };
}

export class Ring {
  /** With `isLabelled`, the ring contains the remaining time. */
  constructor(size, { isLabelled = false } = {}) {
    this.size = size;
    this.label = isLabelled ? s('text', { class: 'ring-label', x: 24, y: 28.5, 'text-anchor': 'middle' }) : null;
    this.arc = s('circle', { class: 'arc', cx: 24, cy: 24, r: RADIUS, 'stroke-dasharray': LENGTH.toFixed(2), transform: 'rotate(-90 24 24)' });
    this.mark = s('path', { class: 'mark' });
    this.element = s(
      'svg', { class: 'ring', viewBox: '0 0 48 48', width: size, height: size, role: 'img' },
      s('circle', { class: 'track', cx: 24, cy: 24, r: RADIUS }), this.arc, this.mark, ...(this.label ? [this.label] : []));
    this.offset = null;
  }

  show(job, now, isRunning) {
    const state = standing(job, now, isRunning);
    setAttribute(this.element, 'data-mode', state.mode);
    setAttribute(this.element, 'data-failing', isFailing(job) ? '' : null);
    // A fortieth of a pixel is not visible, and drawing it costs a frame.
    const offset = LENGTH * (1 - state.fraction);
    if (this.offset === null || Math.abs(offset - this.offset) > 0.05) {
      this.offset = offset;
      this.arc.setAttribute('stroke-dashoffset', offset.toFixed(2));
    }
    setAttribute(this.mark, 'd', MARKS[state.mode] ?? '');
    if (this.label) setText(this.label, state.label ?? '');
    setAttribute(this.element, 'aria-label', [isFailing(job) && 'failing', state.words, state.rest].filter(Boolean).join(', '));
    return state;
  }

  /** Returns the milliseconds until a movement is visible; infinite for a ring that stands still. */
  static pause(state, size) {
    if (state.mode !== 'counting') return Infinity;
    return Math.min((state.turn / (Math.PI * size)) * 0.35, (state.left % state.unit) + 1);
  }
}

const MARKS = {
  suspended: 'M20.5 18v12M27.5 18v12',
  finished: 'M17.5 24.5l4.5 4.5 9-10',
  cancelled: 'M19 19l10 10M29 19l-10 10',
  failed: 'M24 16v10M24 31v.5',
  waiting: 'M24 17v8M24 30v.5',
  running: 'M20.5 17.5v13L31 24z',
};

/**
 * Calls the viewers that show something that moves: in every frame while a ring visibly moves in every frame, else at
 * the next instant at which something changes, and not at all while the page is hidden.
 *
 * A viewer is called with the instant, and returns the milliseconds until it wants to be called again, or infinity.
 */
export class Ticker {
  constructor() {
    this.viewers = new Set();
    this.frame = null;
    this.timer = null;
    this.frames = 0;
    document.addEventListener('visibilitychange', () => (document.hidden ? this.stop() : this.wake()));
  }

  add(viewer) {
    this.viewers.add(viewer);
    this.wake();
  }

  /** Calls the viewers in the next frame, because something has changed. */
  wake() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.frame === null && !document.hidden) this.frame = requestAnimationFrame(() => this.tick());
  }

  stop() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.timer = this.frame = null;
  }

  tick() {
    this.frame = null;
    this.frames += 1;
    const now = Date.now();
    let pause = Infinity;
    for (const viewer of this.viewers) pause = Math.min(pause, viewer(now));
    if (this.frame !== null || pause === Infinity) return;
    clearTimeout(this.timer);
    if (pause < 40) this.frame = requestAnimationFrame(() => this.tick());
    else this.timer = setTimeout(() => this.wake(), Math.min(pause, 60_000));
  }
}

/** Returns a label for a state, which has a word in addition to the colour. */
export function stateChip(word) {
  const chip = h('span', { class: 'chip', 'data-state': word });
  setText(chip, word);
  return chip;
}
