// One row of the list of jobs, which is used for one job after another.

import { h, icon, setAttribute, setText } from './dom.js';
import { action, clockPause, duration, fullTime, instant, isHeld, lateness, obstacle, title, trigger, why } from './format.js';
import { Ring } from './ring.js';
import { canRun, isOpen, tags } from './store.js';
import { Bars, failures, took } from './trends.js';

const SIZE = 40;

const isInProgress = (run) => run?.outcome === 'running' && run.started !== null;

/** Returns the text about the last run that is shown below its outcome. */
function lastWords(run, failed) {
  if (!run) return 'not yet';
  const late = run.latenessMs === null ? run.reason : `${lateness(run.latenessMs)} late`;
  return [failed, took(run) !== null && `took ${lateness(took(run))}`, late].filter(Boolean).join(' · ');
}

function button(name, glyph, text) {
  return h('button', { type: 'button', class: 'tool named', tabindex: '-1', 'data-action': name }, icon(glyph), h('span', {}, text));
}

export class Row {
  constructor({ trends }) {
    this.trends = trends;
    this.bars = new Bars();
    this.ring = new Ring(SIZE, { isLabelled: true });
    this.name = h('a', { class: 'name', tabindex: '-1' });
    this.what = h('span', { class: 'what' });
    this.labels = h('span', { class: 'labels' });
    this.trigger = h('span', { class: 'trigger' });
    this.left = h('span', { class: 'left' });
    this.due = h('span', { class: 'due' });
    this.outcome = h('span', { class: 'chip' });
    this.late = h('span', { class: 'late' });
    this.toggle = button('suspend', 'pause', 'Suspend');
    this.run = button('run', 'run', 'Run');
    this.cancel = button('cancel', 'close', 'Cancel');
    const cell = (name, ...children) => h('div', { role: 'gridcell', class: `cell ${name}` }, ...children);
    this.element = h(
      'div', { role: 'row', class: 'row' },
      cell('c-ring', this.ring.element),
      cell('c-name', this.name),
      cell('c-trigger', this.trigger),
      cell('c-what', this.what, this.labels),
      cell('c-due', this.left, this.due),
      cell('c-last', h('span', { class: 'outcome' }, this.outcome, this.bars.element), this.late),
      cell('c-tools', this.run, this.toggle, this.cancel));
  }

  /** The controls that the arrow keys reach, from left to right. */
  get controls() {
    return [this.name, this.run, this.toggle, this.cancel].filter((control) => !control.hidden);
  }

  show(job, index, selected) {
    const isAnother = this.job?.id !== job.id;
    this.job = job;
    if (isAnother) {
      this.element.dataset.id = job.id;
      this.name.href = `#/job/${job.id}`;
      this.glyph = null;
    }
    this.place(index, selected);
    setText(this.name, title(job));
    setText(this.what, job.name ? `${job.id} · ${action(job)}` : action(job));
    setAttribute(this.what, 'title', action(job));
    setText(this.labels, tags(job).join(', '));
    setText(this.trigger, trigger(job));
    this.showLast(job);
    this.showTools(job);
    this.element.classList.toggle('ended', !isOpen(job));
    this.element.classList.toggle('failed', job.failed);
  }

  place(index, selected) {
    setAttribute(this.element, 'aria-rowindex', index + 2);
    setAttribute(this.element, 'aria-selected', selected);
    if (this.index === index) return;
    this.index = index;
    this.element.style.setProperty('--index', index);
  }

  showLast(job) {
    const run = job.lastRun;
    this.outcome.hidden = !run;
    if (run) {
      setText(this.outcome, run.outcome);
      setAttribute(this.outcome, 'data-outcome', run.outcome);
      setAttribute(this.outcome, 'title', why(run) || null);
    }
    const attempts = this.trends.of(job);
    this.bars.show(attempts);
    this.late.classList.toggle('bad', job.failed && !isInProgress(run));
    if (isInProgress(run)) return;
    const words = lastWords(run, job.failed ? failures(attempts) : '');
    setText(this.late, words);
    setAttribute(this.late, 'title', words);
  }

  /** Shows for how long the run has been in progress, and returns the milliseconds until that changes. */
  showRunning(run, now) {
    const ran = Math.max(0, now - Date.parse(run.started));
    setText(this.late, `for ${duration(Math.max(1000, ran))}`);
    return 1000 - (ran % 1000);
  }

  showTools(job) {
    this.run.hidden = !canRun(job);
    for (const tool of [this.toggle, this.cancel]) tool.hidden = !isOpen(job);
    const name = title(job);
    const isSuspended = job.state === 'suspended';
    const label = (tool, word) => setAttribute(tool, 'aria-label', `${word} ${name}`);
    label(this.run, 'Run now:');
    label(this.cancel, 'Cancel');
    label(this.toggle, isSuspended ? 'Resume' : 'Suspend');
    this.toggle.dataset.action = isSuspended ? 'resume' : 'suspend';
    const glyph = isSuspended ? 'play' : 'pause';
    if (this.glyph !== glyph) {
      this.glyph = glyph;
      this.toggle.replaceChildren(icon(glyph), h('span', {}, isSuspended ? 'Resume' : 'Suspend'));
    }
  }

  /** Updates the moving parts, and returns the milliseconds until they move again. */
  tick(now) {
    const { job } = this;
    const isRunning = job.dueMs === null && job.lastRun?.outcome === 'running';
    const state = this.ring.show(job, now, isRunning);
    const waits = isHeld(job) ? obstacle(job) : null;
    setText(this.left, waits ?? (state.mode === 'counting' ? state.short : state.words));
    setAttribute(this.left, 'title', waits);
    this.left.classList.toggle('warn', Boolean(waits));
    const moment = state.rest ?? job.dueMs;
    if (this.moment !== moment) {
      this.moment = moment;
      setText(this.due, state.rest ?? (job.dueMs === null ? '' : instant(job.dueMs, now)));
      setAttribute(this.due, 'title', job.dueMs === null ? null : fullTime(job.dueMs));
    }
    const pause = isInProgress(job.lastRun) ? this.showRunning(job.lastRun, now) : Infinity;
    const left = job.dueMs - now;
    if (state.mode !== 'counting' || left <= 0) return pause;
    return Math.min(pause, Ring.pause(state, SIZE), clockPause(left) + 1);
  }
}

