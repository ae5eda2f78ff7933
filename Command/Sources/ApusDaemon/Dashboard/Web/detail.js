// One job: its state, its definition, its runs and their output.

import { api } from './api.js';
import { h, icon, setAttribute, setText } from './dom.js';
import { action, clockPause, count, duration, fromISO, fullTime, instant, isHeld, limits, obstacle, title, trigger } from './format.js';
import { Log } from './log.js';
import { Ring } from './ring.js';
import { Runs } from './runs.js';
import { canRun, isOpen, tags } from './store.js';
import { Bars, failures } from './trends.js';
import { Why } from './why.js';

const RING = 104;

const MISSED = {
  'run-once': 'one run for all that was missed',
  skip: 'skipped',
  'run-all': 'each is run, one after another',
};
const OVERLAP = {
  skip: 'skipped while an earlier one is open',
  queue: 'each waits for its turn',
  allow: 'side by side',
  replace: 'the new one replaces the old one',
};

/** Describes a policy: `queue:4` becomes `queue: each waits for its turn, at most 4`. */
function policy(words, text) {
  const [name, limit] = text.split(':');
  return `${text.split(':')[0]}: ${words[name] ?? ''}${limit ? `, at most ${limit}` : ''}`;
}

/** Returns the state of a job in one word. */
function stateWord(job, isRunning) {
  if (job.state === 'finished' && job.failed) return 'failed';
  if (job.state !== 'scheduled') return job.state;
  if (isRunning) return 'running';
  if (isHeld(job)) return job.parked ? 'parked' : 'waiting';
  return job.failed ? 'failing' : 'scheduled';
}

export class Detail {
  constructor({ store, ticker, trends, act, outputs, chooseLabel }) {
    Object.assign(this, { store, ticker, trends, act, outputs, chooseLabel, id: null });
    trends.addEventListener('trend', ({ detail }) => detail === this.id && this.showTrend());
    this.element = h('section', { class: 'detail', 'aria-labelledby': 'detail-title' });
    ticker.add((now) => this.tick(now));
    store.addEventListener('changed', ({ detail }) => this.changed(detail));
    store.addEventListener('arranged', () => this.id && this.store.jobs.get(this.id) && this.showJob());
  }

  /** Shows a job, and one of its runs if `run` (an occurrence and an attempt) is given. */
  show(id, run) {
    if (this.id !== id) this.build(id);
    this.showRun(run);
  }

  close() {
    this.log?.close();
    this.runs?.controller?.abort();
    this.why?.close();
    this.id = this.runs = this.log = this.why = null;
    this.chosen = undefined;
    this.element.replaceChildren();
  }

  reload() {
    if (!this.id) return;
    this.fetchJob();
    this.runs.load();
    this.log.reload();
    this.why.load();
  }

  build(id) {
    this.close();
    this.id = id;
    this.ring = new Ring(RING);
    this.heading = h('h2', { id: 'detail-title', tabindex: '-1' }, id);
    this.identity = h('p', { class: 'identity' });
    this.left = h('p', { class: 'big num' });
    this.due = h('p', { class: 'due num' });
    this.state = h('span', { class: 'chip' });
    this.bars = new Bars();
    this.failures = h('span', { class: 'bad' });
    this.tools = h('div', { class: 'tools' });
    this.facts = h('dl', { class: 'facts' });
    this.note = h('p', { class: 'problem', role: 'alert' });
    this.runs = new Runs({
      job: id, label: 'Runs of this job',
      href: (run) => `#/job/${run.job}/run/${run.occurrence}/${run.attempt}`,
      choose: (run) => (location.hash = `#/job/${run.job}/run/${run.occurrence}/${run.attempt}`),
    });
    this.log = new Log({ outputs: this.outputs, job: id });
    this.why = new Why({ job: id });
    this.element.replaceChildren(
      h('a', { class: 'back', href: '#/' }, icon('back'), 'All jobs'),
      h('header', { class: 'detail-head' },
        h('div', { class: 'dial' }, this.ring.element, this.left),
        h('div', { class: 'who' }, this.heading, this.identity, h('p', { class: 'line' }, this.state, this.due),
          h('p', { class: 'line' }, this.bars.element, this.failures))),
      this.tools, this.note, this.log.element, this.why.element, this.facts,
      h('h3', {}, 'Runs'), this.runs.element);
    this.showJob();
    if (!this.store.jobs.has(id)) this.fetchJob();
    this.runs.load();
  }

  async fetchJob() {
    const { id } = this;
    try {
      const job = await api.job(id);
      if (this.id !== id) return;
      this.store.change(job);
      this.showJob();
    } catch (error) {
      if (this.id !== id || error.status === 0) return;
      setText(this.note, error.message);
      this.tools.replaceChildren();
    }
  }

  changed({ changed, runs }) {
    if (!this.id) return;
    if (changed.has(this.id)) this.showJob();
    this.runs.add(runs);
    const mine = runs.filter((run) => run.job === this.id);
    for (const run of mine) this.log.ran(run);
    if (mine.length || changed.has(this.id)) this.why.soon();
  }

  showJob() {
    const job = this.store.jobs.get(this.id);
    if (!job) return;
    setText(this.note, '');
    setText(this.heading, title(job));
    document.title = `${title(job)} – Apus`;
    setText(this.identity, job.name ? job.id : '');
    const isRunning = job.dueMs === null && job.lastRun?.outcome === 'running';
    const word = stateWord(job, isRunning);
    setText(this.state, word);
    setAttribute(this.state, 'data-state', word);
    this.showTrend();
    this.showTools(job);
    this.showFacts(job);
    this.why.show(this.chosen);
    this.ticker.wake();
  }

  showTrend() {
    const job = this.store.jobs.get(this.id);
    if (!job) return;
    const attempts = this.trends.of(job);
    this.bars.show(attempts);
    setText(this.failures, failures(attempts));
  }

  showTools(job) {
    const key = isOpen(job) ? job.state : 'ended';
    if (this.toolsKey === `${job.id} ${key}`) return;
    const hadFocus = this.tools.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    this.toolsKey = `${job.id} ${key}`;
    const tool = (place, name, glyph, text, style = '') =>
      h('button', { type: 'button', class: `button ${style}`, 'data-place': place, 'data-action': name, onclick: (event) => this.act(name, this.store.jobs.get(this.id), event.currentTarget) }, icon(glyph), text);
    const again = canRun(job) ? [tool('run', 'run', 'run', 'Run again')] : [];
    this.tools.replaceChildren(...(key === 'ended' ? again : [
      tool('run', 'run', 'run', 'Run now'),
      job.state === 'suspended' ? tool('toggle', 'resume', 'play', 'Resume') : tool('toggle', 'suspend', 'pause', 'Suspend'),
      tool('cancel', 'cancel', 'close', 'Cancel …', 'bad'),
    ]));
    // The pressed button was replaced; its successor gets the focus.
    if (hadFocus) (this.tools.querySelector(`[data-place=${hadFocus}]`) ?? this.heading).focus();
  }

  showFacts(job) {
    const { policies } = job;
    const code = (text) => h('code', {}, text);
    const facts = [
      ['Does', code(action(job) || '–')],
      ['Trigger', trigger(job)],
      job.trigger.calendar && limits(job.trigger.calendar) ? ['Limits', limits(job.trigger.calendar)] : null,
      isHeld(job) ? ['Waits', obstacle(job)] : null,
      ['Submitted', instant(job.createdMs)],
      ['Occurrences', job.occurrences ? `${count(job.occurrences)} so far${job.missed ? `, ${count(job.missed)} of them missed` : ''}` : 'none yet'],
      job.queue !== 'default' || job.priority !== 'normal' ? ['Queue', `${job.queue}, priority ${job.priority}`] : null,
      job.fairnessKey ? ['Fairness key', job.fairnessKey] : null,
      ['Missed runs', policy(MISSED, policies.missed ?? 'run-once')],
      ['Overlap', policy(OVERLAP, policies.overlap ?? 'skip')],
      policies.retry ? ['Retry', `${policies.retry} more after a failure`] : null,
      policies.timeout ? ['Time limit', duration(fromISO(policies.timeout))] : null,
      policies.expiry ? ['Expiry', duration(fromISO(policies.expiry))] : null,
      policies.retention ? ['Retention', duration(fromISO(policies.retention))] : null,
      policies.tolerance ? ['Tolerance', duration(fromISO(policies.tolerance))] : null,
      policies.when?.length ? ['Only when', policies.when.join(', ')] : null,
      job.action.command?.cwd ? ['Folder', code(job.action.command.cwd)] : null,
      tags(job).length ? ['Labels', h('span', { class: 'labels' }, tags(job).map((label) =>
        h('button', { type: 'button', class: 'quiet', title: `Show the jobs with ${label}`, onclick: () => this.chooseLabel(label) }, label)))] : null,
    ].filter(Boolean);
    const key = facts.map(([name, value]) => `${name}${value.textContent ?? value}`).join('\n');
    if (this.factsKey === key) return;
    this.factsKey = key;
    this.facts.replaceChildren(...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
  }

  showRun(run) {
    this.chosen = run?.occurrence ?? null;
    if (this.store.jobs.has(this.id)) this.why.show(this.chosen);
    this.runs.choose(run ? `${this.id} ${run.occurrence} ${run.attempt}` : null);
    this.log.show(run, run && this.runs.runs.get(`${this.id} ${run.occurrence} ${run.attempt}`));
  }

  tick(now) {
    const job = this.id && this.store.jobs.get(this.id);
    if (!job) return Infinity;
    const isRunning = job.dueMs === null && job.lastRun?.outcome === 'running';
    const state = this.ring.show(job, now, isRunning);
    setText(this.left, state.short);
    const due = state.rest ?? (job.dueMs === null ? '' : `due ${instant(job.dueMs, now)}`);
    setText(this.due, isRunning ? `since ${instant(Date.parse(job.lastRun.started ?? job.lastRun.due), now)}` : due);
    setAttribute(this.due, 'title', job.dueMs === null ? null : fullTime(job.dueMs));
    if (state.mode !== 'counting' || job.dueMs <= now) return Infinity;
    return Math.min(Ring.pause(state, RING), clockPause(job.dueMs - now) + 1);
  }
}
