// The page: its parts, and the messages between them.

import { api } from './api.js';
import { Calendar } from './calendar.js';
import { Detail } from './detail.js';
import { byId, h, icon, setAttribute, setText } from './dom.js';
import { Filters } from './filters.js';
import { count, title } from './format.js';
import { confirmCancel, countdownForm, notificationForm } from './forms.js';
import { List } from './list.js';
import { Outputs } from './log.js';
import { Nodes } from './nodes.js';
import { Ticker } from './ring.js';
import { Runs } from './runs.js';
import { scheduleForm } from './schedule.js';
import { Shortcuts } from './shortcuts.js';
import { canRun, isOpen, runKey, Store } from './store.js';
import { SharedStream } from './tabs.js';
import { Timeline } from './timeline.js';
import { Toasts } from './toasts.js';
import { Trends } from './trends.js';

const store = new Store();
const ticker = new Ticker();
const outputs = new Outputs();
const trends = new Trends();
const toasts = new Toasts(byId('toasts'));
const list = new List({ store, ticker, trends, act, element: byId('grid'), empty: byId('empty'), status: byId('jobs-status') });
const filters = new Filters({ store, toasts, chosen: () => (list.viewport.scrollTop = 0) });
const nodes = new Nodes({ element: byId('nodes'), status: byId('nodes-status') });
new Timeline({ store, ticker, element: byId('timeline'), summary: byId('hour-summary') });
const calendar = new Calendar({ store, element: byId('calendar') });
const detail = new Detail({ store, ticker, trends, act, outputs, chooseLabel: showLabel });
byId('side').append(detail.element);

function nameOf(run) {
  const job = store.jobs.get(run.job);
  if (!job) store.want(run.job);
  return job ? title(job) : run.job;
}
const runPath = (run) => `#/job/${run.job}/run/${run.occurrence}/${run.attempt}`;
const history = new Runs({ label: 'runs of all jobs', name: nameOf, href: runPath, choose: (run) => (location.hash = runPath(run)) });
byId('history').append(history.element);

// Actions on a job

async function act(name, job, control) {
  if (!job || (name === 'cancel' && !(await confirmCancel(job)))) return;
  control.setAttribute('aria-busy', 'true');
  // The answer and the events come on different connections. Events that arrive during the request are newer than the
  // answer, and take precedence.
  const newer = new Set();
  const note = ({ detail: { changed, runs } }) => {
    for (const id of changed) newer.add(id);
    for (const run of runs) newer.add(runKey(run));
  };
  store.addEventListener('changed', note);
  try {
    const answer = await api[name](job.id);
    const kind = name === 'run' ? 'run' : 'job';
    if (!newer.has(kind === 'run' ? runKey(answer) : answer.id)) store.apply([{ name: kind, data: answer }]);
    if (name === 'suspend') offerUndo(job);
  } catch (error) {
    toasts.show({ kind: 'problem', title: title(job), text: error.message, href: `#/job/${job.id}` });
  }
  store.removeEventListener('changed', note);
  control.removeAttribute('aria-busy');
}

const undos = new Map();

function offerUndo(job) {
  undos.set(job.id, toasts.show({
    kind: 'pause', title: title(job), text: 'The job is suspended.', href: `#/job/${job.id}`,
    action: { text: 'Undo', run: (button) => act('resume', store.jobs.get(job.id), button) },
  }));
}

function undo() {
  const last = [...undos.values()].filter((toast) => toast.isConnected).at(-1);
  if (!last) return false;
  last.querySelector('.quiet').click();
}

/** Removes the offers to undo for jobs that are no longer suspended, wherever they were resumed. */
function dropUndos() {
  for (const [id, toast] of undos) {
    if (store.jobs.get(id)?.state === 'suspended') continue;
    undos.delete(id);
    if (toast.isConnected) toasts.remove(toast);
  }
}

// Events of the daemon

const health = { version: null };

// Leaves the page, so that no data of the jobs stays in the tab. The entry page says how to sign in.
const showEntry = () => location.replace('/');

const stream = new SharedStream({
  signedOut: showEntry,
  state(state, next) {
    showState(state, next);
    nodes.connected(state === 'connected');
    if (state === 'connected') reload();
  },
  events(events) {
    // If only output is missing, the shown state of the jobs is still right.
    if (events.some(({ name, data }) => name === 'clock' || name === 'deleted' || (name === 'lost' && data.events !== 0))) reload();
    for (const { name, data } of events) {
      if (name === 'output') outputs.add(data);
      if (name === 'notification') toasts.show({ kind: 'bell', title: nameOf(data), text: data.text, href: `#/job/${data.job}` });
    }
    store.apply(events);
    for (const { name, data } of events) if (name === 'run') outputs.drop(data);
  },
});

store.addEventListener('changed', ({ detail: { changed, runs, ended } }) => {
  history.add(runs);
  for (const id of changed) if (store.unknown.delete(id)) history.soon();
  trends.add(runs);
  dropUndos();
  for (const job of ended) toasts.show({ kind: 'timer', title: title(job), text: 'The countdown has ended.', href: `#/job/${job.id}` });
  showFacts();
});
store.addEventListener('arranged', showFacts);

let reloading = null;
/** Reads again what is shown. A call during that makes it read once more. */
async function reload() {
  if (reloading) {
    reloading.again = true;
    return;
  }
  reloading = { again: false };
  trends.clear();
  try {
    const [answer] = await Promise.all([api.health(), store.load(), history.load(), detail.reload()]);
    Object.assign(health, answer);
    hideBanner();
    showFacts();
    history.soon();
    calendar.soon();
    outputs.keep(store.running);
  } catch (error) {
    // If there is no answer, the stream of events breaks too, and everything is read again once it is connected.
    if (error.status > 0) showBanner(error.message);
  }
  const { again } = reloading;
  reloading = null;
  if (again) reload();
}

const STATES = {
  connecting: 'Connecting …', connected: 'Connected', reconnecting: 'Reconnecting …', stopped: 'Stopped', refused: 'Signed out',
};

function showState(state, next) {
  byId('daemon').dataset.state = state;
  document.body.dataset.daemon = state;
  setText(byId('daemon-state'), STATES[state]);
  byId('retry').hidden = !['reconnecting', 'stopped'].includes(state);
  setAttribute(byId('retry'), 'title', next ? 'The page retries by itself; this button retries at once' : null);
  if (state === 'stopped') showBanner('No daemon answers here, so no job runs, but all jobs are kept. Start the daemon again at the same port, and this page reconnects:', 'apus serve --http ' + location.host);
  else if (state === 'refused') showBanner('This browser is signed out. Open the address that the daemon printed:', 'apus serve --http ' + location.host);
  else hideBanner();
  showFacts();
}

function showBanner(text, command) {
  byId('banner').replaceChildren(...[h('span', {}, text), command && h('code', {}, command)].filter(Boolean));
  byId('banner').hidden = false;
}

function hideBanner() {
  byId('banner').hidden = true;
}

function showFacts() {
  const parts = [];
  if (health.version) parts.push(health.version);
  if (document.body.dataset.daemon === 'connected') parts.push(store.running.size ? `${store.running.size} running` : 'idle');
  setText(byId('daemon-facts'), parts.join(' · '));
  byId('to-failed').hidden = !store.counts.failed;
  setText(byId('to-failed'), `${count(store.counts.failed)} failed`);
  setAttribute(byId('daemon-facts'), 'title', health.home ? `Process ${health.pid}, home ${health.home}` : null);
}

byId('retry').addEventListener('click', () => stream.retry());

function showFailed() {
  location.hash = '#/';
  filters.choose('failed');
}

function showLabel(label) {
  filters.chooseLabel(label);
  if (isNarrow.matches) location.hash = '#/';
}

byId('to-failed').addEventListener('click', showFailed);

// Views: the address names the view, so that going back works

const RUN = /^#\/job\/([^/]+)(?:\/run\/(-?\d+)\/(\d+))?$/;

function route() {
  const found = RUN.exec(location.hash);
  const days = /^#\/calendar(?:\/(month|week)\/(\d{4}-\d\d-\d\d))?$/.exec(location.hash);
  const place = found ? 'job' : days ? 'calendar' : location.hash === '#/history' ? 'history' : 'jobs';
  const was = document.body.dataset.view;
  document.body.dataset.view = place;
  // Beside a job, the view that was there before stays: the list or the calendar.
  if (place !== 'job' || was === undefined) document.body.dataset.left = days ? 'calendar' : 'jobs';
  const { left } = document.body.dataset;
  setAttribute(byId('to-jobs'), 'aria-current', place !== 'history' && left === 'jobs' ? 'page' : null);
  setAttribute(byId('to-calendar'), 'aria-current', left === 'calendar' ? 'page' : null);
  setAttribute(byId('to-history'), 'aria-current', place === 'history' ? 'page' : null);
  byId('history').hidden = place === 'job';
  detail.element.hidden = place !== 'job';
  const id = found ? decodeURIComponent(found[1]) : null;
  const isOther = detail.id !== id;
  list.select(id);
  if (found) detail.show(id, found[2] === undefined ? null : { occurrence: Number(found[2]), attempt: Number(found[3]) });
  else detail.close();
  if (days) calendar.show(days[1], days[2]);
  if (place !== 'job') history.soon();
  if (place !== 'job') document.title = { history: 'History – Apus', calendar: 'Calendar – Apus' }[place] ?? 'Apus';
  if (was === undefined) return;
  list.schedule();
  // A view that replaces another one is announced; a panel beside the list leaves the focus where it is.
  if (isNarrow.matches && was !== place) (place === 'job' ? detail.heading : place === 'history' ? byId('history-title') : place === 'calendar' ? calendar.heading : byId('main')).focus({ preventScroll: true });
  if (isNarrow.matches && was !== place) scrollTo(0, 0);
  else if (isOther) byId('side').scrollTop = 0;
}

const isNarrow = matchMedia('(max-width: 1099px)');
addEventListener('hashchange', route);
byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  (list.stop ?? byId('main')).focus();
});

addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.target === byId('search') && byId('search').value) return;
  const { view, left } = document.body.dataset;
  if (view === 'job' && left === 'calendar') location.hash = calendar.href;
  else if (view !== 'jobs') location.hash = '#/';
});

// Forms

const submitted = (job) => {
  store.apply([{ name: 'job', data: job }]);
  location.hash = `#/job/${job.id}`;
};
const countdown = countdownForm(submitted);
const notification = notificationForm(submitted);
byId('open-countdown').addEventListener('click', () => countdown.open());
byId('open-notification').addEventListener('click', () => notification.open());
const schedule = scheduleForm(submitted);
byId('open-schedule').addEventListener('click', () => schedule.open());
byId('open-schedule').querySelector('.glyph').append(icon('calendar'));
byId('open-countdown').querySelector('.glyph').append(icon('timer'));
byId('open-notification').querySelector('.glyph').append(icon('bell'));

// Keys

/** Acts on the job of the row with the focus, or else on the job in the panel. */
function actOn(name) {
  const row = document.activeElement.closest('.row[data-id]');
  const job = store.jobs.get(row?.dataset.id ?? detail.id);
  if (!job || !(name === 'run' ? canRun(job) : isOpen(job))) return false;
  const toggle = job.state === 'suspended' ? 'resume' : 'suspend';
  act(name === 'toggle' ? toggle : name, job, row ?? detail.element);
}

const go = (hash) => () => void (location.hash = hash);
const shortcuts = new Shortcuts([
  { title: 'Go to', keys: [
    { key: '/', text: 'The search', run: () => byId('search').focus() },
    { key: '1', text: 'The jobs', run: go('#/') },
    { key: '2', text: 'The calendar', run: go('#/calendar') },
    { key: '3', text: 'The history', run: go('#/history') },
    { key: 'j', text: 'The next job in the list', run: () => list.move(1) },
    { key: 'k', text: 'The previous job in the list', run: () => list.move(-1) },
    { key: 'f', text: 'The failed jobs', run: () => showFailed() },
  ] },
  { title: 'The job in the panel or in the focused row', keys: [
    { key: 'r', text: 'Run now', run: () => actOn('run') },
    { key: 's', text: 'Suspend or resume', run: () => actOn('toggle') },
    { key: 'x', text: 'Cancel', run: () => actOn('cancel') },
    { key: 'u', text: 'Undo the last suspension', run: () => undo() },
  ] },
  { title: 'New', keys: [
    { key: 'c', text: 'Countdown', run: () => countdown.open() },
    { key: 'n', text: 'Notification', run: () => notification.open() },
    { key: 'w', text: 'Schedule', run: () => schedule.open() },
    { key: '?', text: 'This list', run: () => shortcuts.open() },
  ] },
]);
byId('open-help').addEventListener('click', () => shortcuts.open());
byId('help-close').addEventListener('click', () => byId('help').close());

byId('sign-out').addEventListener('click', async () => {
  try {
    await api.signOut();
  } catch (error) {
    if (error.status !== 401) return toasts.show({ kind: 'problem', title: 'Sign out', text: error.message });
  }
  stream.leave();
  showEntry();
});

route();
stream.start();
// The jobs are loaded without waiting for the stream, so that they are visible at once; they are read again as soon as
// no event can be missed.
store.load().catch(() => {});
