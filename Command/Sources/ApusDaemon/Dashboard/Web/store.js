// The page's data of the daemon's jobs: the records, and the list that the view shows.

import { api } from './api.js';
import { action, fromISO, title } from './format.js';

const OPEN = ['scheduled', 'suspended'];
const ENDED = ['finished', 'cancelled'];
// A user waits for the first page; large further pages cost the fewest requests.
const FIRST_PAGE = 200;
const PAGE = 1000;

const isIn = (...states) => (job) => states.includes(job.state);
export const isOpen = isIn(...OPEN);
/** Whether a job can be run by hand: a finished one runs once more. */
export const canRun = (job) => isOpen(job) || (job.state === 'finished' && job.kind === 'action');
const isRunning = (job) => job.lastRun?.outcome === 'running';

export const FILTERS = {
  open: { name: 'Open', matches: isOpen },
  running: { name: 'Running', matches: isRunning },
  failed: { name: 'Failed', matches: (job) => job.failed },
  scheduled: { name: 'Scheduled', matches: isIn('scheduled') },
  suspended: { name: 'Suspended', matches: isIn('suspended') },
  ended: { name: 'Ended', matches: isIn(...ENDED) },
};

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

export const SORTS = {
  due: { name: 'Next due', compare: (a, b) => a.rank - b.rank },
  name: { name: 'Name', compare: (a, b) => byName(title(a), title(b)) },
  newest: { name: 'Newest', compare: (a, b) => b.createdMs - a.createdMs },
  last: { name: 'Last run', compare: (a, b) => lastDue(b) - lastDue(a) },
};

const lastDue = (job) => (job.lastRun ? Date.parse(job.lastRun.due) : 0);
export const runKey = (run) => `${run.job} ${run.occurrence} ${run.attempt}`;

/**
 * Whether the newest attempt that began and has ended failed or was lost, as in the daemon's filter `failed`. `run` is
 * the job's last run; while it is in progress, and if it did not begin, the answer does not change.
 */
function hasFailed(run, before) {
  if (!run?.started || ['running', 'waiting'].includes(run.outcome)) return before;
  return ['failed', 'lost'].includes(run.outcome);
}

/**
 * Whether a job shows `run` from now on: as in the daemon's lists, it shows the run in progress, else the newest run.
 */
function isNews(last, run) {
  if (!last || runKey(last) === runKey(run)) return true;
  if (last.started && !run.started) return false;
  if (!last.started && run.started) return true;
  if ((last.outcome === 'running') !== (run.outcome === 'running')) return run.outcome === 'running';
  return Date.parse(last.due) <= Date.parse(run.due) || last.occurrence <= 0;
}

/** Returns the position in the order `Next due`: running, due, suspended and ended jobs (the latest first). */
function rank(job) {
  if (job.state === 'scheduled') return job.dueMs ?? 0;
  if (job.state === 'suspended') return 1e15 + (job.remainingMs ?? 0);
  return 3e15 - lastDue(job);
}

function prepare(wire, before) {
  // The variables may be long or secret, and the page does not show them.
  if (wire.action.command) delete wire.action.command.env;
  const job = wire;
  // Events about jobs do not contain the last run.
  job.lastRun ??= before?.lastRun ?? null;
  job.dueMs = job.nextDue === null ? null : Date.parse(job.nextDue);
  job.createdMs = Date.parse(job.created);
  job.intervalMs = fromISO(job.trigger.every);
  job.rank = rank(job);
  job.failed = hasFailed(job.lastRun, before?.failed ?? false);
  return job;
}

/** Returns the labels as they are typed: `key=value`. */
export const tags = (job) => Object.entries(job.labels).map((pair) => pair.join('='));

const haystack = (job) => [job.id, job.name, action(job), ...tags(job)].join('\n').toLowerCase();

export class Store extends EventTarget {
  constructor() {
    super();
    this.jobs = new Map();
    this.running = new Set();
    this.order = [];
    this.view = { filter: 'open', sort: 'due', search: '', label: '' };
    this.counts = Object.fromEntries(Object.keys(FILTERS).map((key) => [key, 0]));
    // The number of jobs with each label, as `key=value`.
    this.labels = new Map();
    this.labelsVersion = 0;
    this.isLoaded = false;
    // The position of the first ended job that is not loaded, by filter; `null` at the end.
    this.older = { ended: null, failed: null };
    // The number of ended jobs that were loaded in pages, by filter.
    this.paged = { ended: 0, failed: 0 };
    this.hasEnded = false;
    this.unknown = new Set();
    this.unsorted = false;
    this.loading = null;
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /**
   * Reads the jobs again: first all open ones, then the newest ended ones, as many as were there before. Events that
   * arrive during that are newer.
   */
  async load() {
    this.loading?.controller.abort();
    const loading = (this.loading = { controller: new AbortController(), touched: new Set(), seen: new Set() });
    this.running.clear();
    await this.loadStates(OPEN, FIRST_PAGE, loading);
    this.forget(OPEN, loading);
    this.isLoaded = true;
    this.arrange();
    await this.loadFailed(loading);
    await this.loadEnded('failed', loading, Math.max(FIRST_PAGE, this.paged.failed));
    await this.loadEnded('ended', loading, Math.max(FIRST_PAGE, this.paged.ended));
    this.forget(ENDED, loading);
    this.hasEnded = true;
    this.loading = null;
    this.arrange();
  }

  /** Loads a page of the older ended jobs that `filter` shows. */
  async loadOlder(filter) {
    if (this.older[filter] === null || this.loading) return;
    const loading = (this.loading = { controller: new AbortController(), touched: new Set(), seen: new Set() });
    try {
      await this.loadEnded(filter, loading, PAGE, this.older[filter]);
    } finally {
      if (this.loading === loading) this.loading = null;
    }
    this.arrange();
  }

  async loadEnded(filter, loading, number, after = null) {
    let rest = number;
    if (after === null) this.paged[filter] = 0;
    do {
      const values = { state: ENDED, newest: true, failed: filter === 'failed' || null, limit: Math.min(PAGE, rest), after };
      const page = await api.jobs(values, loading.controller.signal);
      this.take(page, loading);
      rest -= page.jobs.length;
      this.paged[filter] += page.jobs.length;
      after = page.next;
    } while (after && rest > 0);
    this.older[filter] = after;
  }

  take(page, loading) {
    for (const wire of page.jobs) {
      loading.seen.add(wire.id);
      if (!loading.touched.has(wire.id)) this.put(wire);
    }
  }

  /** Loads a job of the history that is not loaded. */
  async want(id) {
    if (!this.hasEnded || this.unknown.has(id) || this.jobs.has(id)) return;
    this.unknown.add(id);
    try {
      const job = await api.job(id);
      if (!this.jobs.has(id)) this.apply([{ name: 'job', data: job }]);
    } catch {
      // The job may have been removed with its history; then only its identifier can be shown.
    }
  }

  async loadStates(state, first, loading) {
    let after = null;
    let limit = first;
    do {
      const page = await api.jobs({ state, limit, after }, loading.controller.signal);
      this.take(page, loading);
      this.arrange();
      [after, limit] = [page.next, PAGE];
    } while (after);
  }

  /** Reads which open jobs have failed, because a running job does not contain the outcome of its earlier attempt. */
  async loadFailed(loading) {
    const failed = new Set();
    let after = null;
    do {
      const page = await api.jobs({ state: OPEN, failed: true, limit: PAGE, after }, loading.controller.signal);
      for (const { id } of page.jobs) failed.add(id);
      after = page.next;
    } while (after);
    for (const job of this.jobs.values()) {
      if (!isOpen(job) || !isRunning(job) || loading.touched.has(job.id)) continue;
      this.tally(job, -1);
      job.failed = failed.has(job.id);
      this.tally(job, 1);
    }
    this.arrange();
  }

  /** Drops the jobs that the daemon no longer has. */
  forget(states, { seen, touched }) {
    for (const [id, job] of this.jobs) {
      if (states.includes(job.state) && !seen.has(id) && !touched.has(id)) {
        this.tally(job, -1);
        this.tallyLabels(job, null);
        this.jobs.delete(id);
      }
    }
  }

  put(wire) {
    const before = this.jobs.get(wire.id);
    if (before) this.tally(before, -1);
    const job = prepare(wire, before);
    // The text for searches, from the present name and labels, is made by the next search.
    job.text = null;
    this.jobs.set(job.id, job);
    this.tally(job, 1);
    this.tallyLabels(before, job);
    this.noteRunning(job.lastRun);
    return { before, job };
  }

  noteRunning(run) {
    if (!run) return;
    if (run.outcome === 'running') this.running.add(runKey(run));
    else this.running.delete(runKey(run));
  }

  tally(job, by) {
    for (const [key, { matches }] of Object.entries(FILTERS)) if (matches(job)) this.counts[key] += by;
  }

  /**
   * Updates the numbers of the labels: subtracts those of `before`, and adds those of `job`, if there are such jobs.
   */
  tallyLabels(before, job) {
    const [old, now] = [before, job].map((one) => (one ? tags(one) : []));
    if (old.join('\n') === now.join('\n')) return;
    for (const [label, by] of [...old.map((label) => [label, -1]), ...now.map((label) => [label, 1])]) {
      const number = (this.labels.get(label) ?? 0) + by;
      if (number) this.labels.set(label, number);
      else this.labels.delete(label);
    }
    this.labelsVersion += 1;
  }

  matches(job) {
    if (!FILTERS[this.view.filter].matches(job)) return false;
    if (this.view.label && !tags(job).includes(this.view.label)) return false;
    if (!this.view.search) return true;
    job.text ??= haystack(job);
    return job.text.includes(this.view.search);
  }

  setView(change) {
    Object.assign(this.view, change);
    this.arrange();
  }

  /** Makes the whole list again. */
  arrange() {
    this.order = [...this.jobs.values()].filter((job) => this.matches(job)).sort(SORTS[this.view.sort].compare);
    this.unsorted = false;
    this.emit('arranged');
  }

  /** Returns the position of `job` in a list that is, or nearly is, in order. */
  place(job) {
    const { compare } = SORTS[this.view.sort];
    let [low, high] = [0, this.order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.order[middle], job) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Handles a new or changed job. The list keeps its order until the next `arrange`, so that no row moves under the
   * pointer.
   */
  change(wire) {
    this.loading?.touched.add(wire.id);
    const { before, job } = this.put(wire);
    const was = before ? this.order.indexOf(before) : -1;
    if (was >= 0 && this.matches(job)) {
      this.order[was] = job;
      if (SORTS[this.view.sort].compare(before, job) !== 0) this.unsorted = true;
      return false;
    }
    return this.move(job, was);
  }

  /** Removes a job from the list, where it was at `was`, or inserts it. Returns whether the list has changed. */
  move(job, was) {
    if (was >= 0) this.order.splice(was, 1);
    else if (this.matches(job)) this.order.splice(this.place(job), 0, job);
    else return false;
    return true;
  }

  /** Handles a run that began or ended. Returns whether the list now has other jobs. */
  ran(run) {
    this.noteRunning(run);
    const job = this.jobs.get(run.job);
    if (!job || run.outcome === 'waiting') return false;
    const before = { ...job };
    const didMatch = this.matches(job);
    this.tally(job, -1);
    // While a run is in progress, it stays the job's last run even if another run ends, but the failure of that one
    // counts.
    if (isNews(job.lastRun, run)) job.lastRun = run;
    job.failed = hasFailed(run, job.failed);
    job.rank = rank(job);
    this.tally(job, 1);
    if (didMatch !== this.matches(job)) return this.move(job, didMatch ? this.order.indexOf(job) : -1);
    if (didMatch && SORTS[this.view.sort].compare(before, job) !== 0) this.unsorted = true;
    return false;
  }

  /** Applies a batch of events, and emits one event. */
  apply(events) {
    const changed = new Set();
    const ended = [];
    const runs = [];
    let moved = false;
    for (const { name, data } of events) {
      if (name === 'job') {
        const before = this.jobs.get(data.id);
        moved = this.change(data) || moved;
        changed.add(data.id);
        if (data.kind === 'countdown' && data.state === 'finished' && before && isOpen(before)) ended.push(data);
      } else if (name === 'run') {
        moved = this.ran(data) || moved;
        changed.add(data.job);
        runs.push(data);
      }
    }
    if (changed.size) this.emit('changed', { changed, moved, runs, ended });
  }
}
