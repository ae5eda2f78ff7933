// The lateness of runs, oldest to newest, on a logarithmic scale: both a millisecond and an hour are visible.

import { h, s, setAttribute, setText } from './dom.js';
import { instants, instant, lateness, occurrence, why } from './format.js';

const HEIGHT = 156;
const LEFT = 52;
const RIGHT = 8;
const TOP = 8;
// From top to bottom: the scale, down to 0 ms; a separate lane for runs that did not start; the times.
const ZERO = 106;
const LANE = 124;
const GROUND = 134;
const TIMES = 150;
const TIME_WIDTH = 96;
const GRID = [[0, '0 ms'], [1, '1 ms'], [10, '10 ms'], [100, '0.1 s'], [1000, '1 s'], [10_000, '10 s'], [60_000, '1 min'], [3_600_000, '1 h'], [86_400_000, '1 d']];

// Each outcome has its own shape, so that outcomes can be distinguished without colour.
const SHAPES = {
  succeeded: (x, y) => `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0-6 0z`,
  failed: (x, y) => `M${x - 3.5} ${y - 3.5}l7 7M${x + 3.5} ${y - 3.5}l-7 7`,
  lost: (x, y) => `M${x} ${y - 4.2}l4.2 7.4h-8.4z`,
  cancelled: (x, y) => `M${x} ${y - 4.2}l4.2 4.2-4.2 4.2-4.2-4.2z`,
  skipped: (x, y) => `M${x - 4} ${y}h8`,
  running: (x, y) => `M${x - 3.4} ${y}a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z`,
  waiting: (x, y) => `M${x - 3} ${y - 3}h6v6h-6z`,
};

/**
 * Returns the lateness of a run in the plot: of a retry, the delay after the pause; `null` if the run did not start.
 */
const late = (run) => run.latenessMs ?? run.delayMs ?? (run.started ? 0 : null);

export class Plot {
  /** `name` returns the name of a run's job, if the plot shows the runs of several jobs. */
  constructor({ label, name = null, choose }) {
    Object.assign(this, { name, choose, runs: [], index: -1, width: 0, label });
    this.grid = s('g', { class: 'grid-lines' });
    this.dots = Object.fromEntries(Object.keys(SHAPES).map((outcome) => [outcome, s('path', { 'data-outcome': outcome })]));
    this.cursor = s('path', { class: 'cursor', d: 'M0 0' });
    this.picture = s('svg', { height: HEIGHT, 'aria-hidden': 'true' }, this.grid, this.cursor, ...Object.values(this.dots));
    this.field = h('div', { class: 'plot-field', role: 'slider', tabindex: '0', 'aria-label': label, 'aria-valuemin': 1 }, this.picture);
    this.readout = h('p', { class: 'readout num' });
    this.legend = h('p', { class: 'legend', 'aria-hidden': 'true' });
    this.element = h('div', { class: 'plot' }, this.field, this.legend, this.readout);
    new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry.contentRect.width);
      this.draw();
    }).observe(this.field);
    this.field.addEventListener('pointermove', (event) => this.point(event));
    this.field.addEventListener('pointerleave', () => document.activeElement !== this.field && this.pick(-1));
    this.field.addEventListener('focus', () => this.index < 0 && this.pick(this.runs.length - 1));
    this.field.addEventListener('blur', () => this.pick(-1));
    this.field.addEventListener('keydown', (event) => this.key(event));
    this.field.addEventListener('click', () => this.index >= 0 && this.choose?.(this.runs[this.index]));
  }

  /** Shows runs, oldest first. */
  show(all) {
    const runs = all.filter((run) => run.outcome !== 'waiting' && (late(run) !== null || run.outcome !== 'running'));
    // The chosen run stays chosen when newer ones arrive.
    const looked = this.runs[this.index];
    this.runs = runs;
    this.element.hidden = !runs.length;
    this.index = looked ? runs.findIndex((run) => run.job === looked.job && run.occurrence === looked.occurrence && run.attempt === looked.attempt) : -1;
    this.draw();
  }

  draw() {
    if (!this.width) return;
    const { runs, width } = this;
    setAttribute(this.picture, 'viewBox', `0 0 ${width} ${HEIGHT}`);
    const most = runs.reduce((max, run) => Math.max(max, late(run) ?? 0), 90);
    const top = Math.log10(most * 1.3 + 1);
    this.y = (ms) => ZERO - (Math.log10(ms + 1) / top) * (ZERO - TOP);
    const step = (width - LEFT - RIGHT) / Math.max(12, runs.length);
    this.x = (index) => width - RIGHT - (runs.length - index - 0.5) * step;
    this.step = step;
    const lines = [];
    let free = Infinity;
    for (const [ms, text] of GRID.filter(([ms]) => ms <= most * 1.3)) {
      const y = this.y(ms);
      if (free - y < 16) continue;
      free = y;
      lines.push(s('path', { d: `M${LEFT} ${y.toFixed(1)}H${width}` }), s('text', { x: LEFT - 8, y: (y + 4).toFixed(1), 'text-anchor': 'end' }, text));
    }
    if (runs.some((run) => late(run) === null)) lines.push(s('text', { x: LEFT - 8, y: LANE + 4, 'text-anchor': 'end' }, 'no start'));
    lines.push(s('path', { class: 'ground', d: `M${LEFT} ${GROUND + 0.5}H${width}` }), ...this.times());
    this.grid.replaceChildren(...lines);
    const paths = Object.fromEntries(Object.keys(SHAPES).map((outcome) => [outcome, '']));
    runs.forEach((run, index) => {
      paths[run.outcome] += SHAPES[run.outcome](+this.x(index).toFixed(1), +this.at(run).toFixed(1));
    });
    for (const [outcome, path] of Object.entries(paths)) this.dots[outcome].setAttribute('d', path || 'M0 0');
    setAttribute(this.field, 'aria-valuemax', Math.max(1, runs.length));
    this.showLegend();
    this.showCursor();
  }

  at(run) {
    return late(run) === null ? LANE : this.y(late(run));
  }

  /** Returns the due instants of some runs, as many as there is room for. */
  times() {
    const { runs, width } = this;
    const every = Math.max(1, Math.ceil(TIME_WIDTH / this.step));
    const chosen = runs.map((_, index) => index).filter((index) => (runs.length - 1 - index) % every === 0);
    const words = instants(chosen.map((index) => Date.parse(runs[index].due)));
    return chosen.flatMap((index, place) => {
      if (words[place] === words[place + 1]) return [];
      const x = this.x(index);
      const half = TIME_WIDTH / 2;
      const anchor = x > width - half ? 'end' : x < LEFT + half ? 'start' : 'middle';
      const text = anchor === 'end' ? width : anchor === 'start' ? Math.max(LEFT, x - 4) : x;
      return [
        s('path', { class: 'ground', d: `M${x.toFixed(1)} ${GROUND}v4` }),
        s('text', { class: 'time', x: text.toFixed(1), y: TIMES, 'text-anchor': anchor }, words[place])];
    });
  }

  showLegend() {
    const present = Object.keys(SHAPES).filter((outcome) => this.runs.some((run) => run.outcome === outcome));
    const key = present.join(' ');
    if (this.legendKey === key) return;
    this.legendKey = key;
    this.legend.replaceChildren(...present.map((outcome) =>
      h('span', {}, s('svg', { width: 12, height: 12, viewBox: '0 0 12 12' }, s('path', { 'data-outcome': outcome, d: SHAPES[outcome](6, 6) })), outcome)));
  }

  point(event) {
    if (!this.runs.length || !this.step) return;
    const x = event.clientX - this.field.getBoundingClientRect().left;
    const index = Math.round(this.runs.length - 0.5 - (this.width - RIGHT - x) / this.step);
    this.pick(Math.max(0, Math.min(this.runs.length - 1, index)));
  }

  pick(index) {
    this.index = index;
    this.showCursor();
  }

  key(event) {
    const last = this.runs.length - 1;
    const moves = { ArrowLeft: this.index - 1, ArrowDown: this.index - 1, ArrowRight: this.index + 1, ArrowUp: this.index + 1, Home: 0, End: last, PageUp: this.index + 10, PageDown: this.index - 10 };
    if (event.key === 'Enter' && this.index >= 0) this.choose?.(this.runs[this.index]);
    else if (event.key in moves && last >= 0) this.pick(Math.max(0, Math.min(last, moves[event.key])));
    else return;
    event.preventDefault();
  }

  showCursor() {
    const run = this.runs[this.index];
    if (run && this.width) {
      const [x, y] = [this.x(this.index), this.at(run)];
      this.cursor.setAttribute('d', `M${x} ${TOP}V${GROUND}M${x - 7} ${y}a7 7 0 1 0 14 0a7 7 0 1 0-14 0z`);
    } else this.cursor.setAttribute('d', 'M0 0');
    const text = run ? this.words(run) : this.whole();
    setText(this.readout, text);
    setAttribute(this.field, 'aria-valuenow', run ? this.index + 1 : Math.max(1, this.runs.length));
    setAttribute(this.field, 'aria-valuetext', text);
  }

  words(run) {
    const started = run.latenessMs !== null ? `${lateness(run.latenessMs)} late`
      : run.delayMs !== null ? `${lateness(run.delayMs)} after its pause` : run.started ? 'started' : 'did not start';
    const number = run.occurrence > 0 ? `occurrence ${occurrence(run)}` : 'by hand';
    return [this.name?.(run), number, `due ${instant(Date.parse(run.due))}`, started, [run.outcome, why(run)].filter(Boolean).join(': ')].filter(Boolean).join(' · ');
  }

  whole() {
    // Only first attempts count: the pause before a retry is not lateness.
    const all = this.runs.map((run) => run.latenessMs).filter((ms) => ms !== null).sort((a, b) => a - b);
    if (!all.length) return this.runs.length ? 'None of these runs has started.' : 'No run yet.';
    return `Median lateness ${lateness(all[Math.floor(all.length / 2)])}, worst ${lateness(all.at(-1))}, of ${all.length} run${all.length === 1 ? '' : 's'}`;
  }
}
