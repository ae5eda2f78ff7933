// Texts for people: durations, instants, triggers and outcomes, in the words of the command.

const UNITS = [['w', 604_800_000], ['d', 86_400_000], ['h', 3_600_000], ['m', 60_000], ['s', 1000]];
const ISO = /^P(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/;

/** Returns the milliseconds of an ISO 8601 duration; `null` for any other text. */
export function fromISO(text) {
  const parts = ISO.exec(text ?? '');
  if (!parts) return null;
  return UNITS.reduce((sum, [, unit], index) => sum + (parseFloat(parts[index + 1]) || 0) * unit, 0);
}

/** Returns a duration in its two largest units: `1d 2h`, `4m 10s`, `250ms`. */
export function duration(ms) {
  if (ms < 1000) return `${Math.max(0, Math.floor(ms))}ms`;
  let rest = Math.floor(ms / 1000) * 1000;
  const words = [];
  for (const [name, unit] of UNITS) {
    if (words.length === 2 || (words.length && name === 's' && ms >= 86_400_000)) break;
    const n = Math.floor(rest / unit);
    rest -= n * unit;
    if (n) words.push(`${n}${name}`);
    else if (words.length) break;
  }
  return words.join(' ');
}

const HOUR = 3_600_000;
const pair = (n, large, rest, small) => (rest ? `${n} ${large} ${rest} ${small}` : `${n} ${large}`);

/**
 * Returns a remaining time: `4:59`, from an hour on `23 h 59 m`, from two days on `3 d 4 h`. Hours in a clock's
 * notation would be read as a time of day. The time is rounded up, so that it ends with 0:00.
 */
export function clock(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 2880) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  const hours = Math.ceil(minutes / 60);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** Returns the milliseconds until the result of `clock` changes. */
export function clockPause(ms) {
  const unit = ms <= HOUR ? 1000 : ms <= 48 * HOUR ? 60_000 : HOUR;
  return ms % unit || unit;
}

/** Returns a remaining time for use on its own: `4:59`, `in 23 h 59 m`. */
export const remaining = (ms) => (ms <= HOUR - 1000 ? clock(ms) : `in ${clock(ms)}`);

const UNDER_TEN = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat('en');
export const count = (n) => (n < 1000 ? String(n) : WHOLE.format(n));
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;

/** Returns a lateness: `2 ms`, `1.3 s`, `12 min`. */
export function lateness(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${UNDER_TEN.format(Math.floor(ms / 100) / 10)} s`;
  if (ms < 3_600_000) return `${UNDER_TEN.format(Math.floor(ms / 6000) / 10)} min`;
  return `${UNDER_TEN.format(Math.floor(ms / 360_000) / 10)} h`;
}

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const SHORT = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export const timeOfDay = (ms) => SHORT.format(ms);
export const fullTime = (ms) => FULL.format(ms);

/** Returns an instant in local time, with the day unless it is today. */
export function instant(ms, now = Date.now()) {
  const sameDay = new Date(ms).toDateString() === new Date(now).toDateString();
  const sameYear = new Date(ms).getFullYear() === new Date(now).getFullYear();
  if (sameDay) return TIME.format(ms);
  return `${DAY.format(ms)}${sameYear ? '' : ` ${new Date(ms).getFullYear()}`}, ${SHORT.format(ms)}`;
}

/**
 * Returns instants for the marks of one axis: with seconds if they lie within ten minutes, with days if they lie on
 * several.
 */
export function instants(all) {
  const days = new Set(all.map((ms) => new Date(ms).toDateString()));
  if (days.size > 1) return all.map((ms) => `${DAY.format(ms)}, ${SHORT.format(ms)}`);
  const isShort = Math.max(...all) - Math.min(...all) < 600_000;
  return all.map((ms) => (isShort ? TIME : SHORT).format(ms));
}

/** The zone of this browser, in which the page shows all times. */
export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function trigger(job) {
  const { at, after, every, anchor, count: times, calendar } = job.trigger;
  if (calendar) {
    // The text of a schedule may end with its zone.
    const isNamed = !calendar.zone || calendar.zone === HERE || calendar.schedule.includes(calendar.zone);
    return isNamed ? calendar.schedule : `${calendar.schedule}, ${calendar.zone}`;
  }
  if (at) return `at ${instant(Date.parse(at))}`;
  if (after) return `after ${duration(fromISO(after))}`;
  const words = [`every ${duration(fromISO(every))}`];
  if (anchor) words.push(`from ${instant(Date.parse(anchor))}`);
  if (times) words.push(times === 1 ? 'once' : `${times} times`);
  return words.join(', ');
}

/** Returns the action of a job as it is typed at a terminal, or the kind if the daemon has no handler for it. */
export function action(job) {
  if (!['action', 'countdown'].includes(job.kind)) return `kind ${job.kind}`;
  const { command, webhook, notify } = job.action;
  const parts = [];
  if (command) parts.push(command.argv.map((word) => (command.shell || !/[\s'"\\$]/.test(word) ? word : `'${word}'`)).join(' '));
  if (webhook) parts.push(`post ${webhook}`);
  if (notify) parts.push(`notify “${notify}”`);
  if (job.kind === 'countdown') parts.unshift('countdown');
  return parts.join(', then ');
}

/** Returns the limits of a calendar schedule and its policies for clock changes; empty without any. */
export function limits({ from, until, count: times, except, gap, repeated }) {
  const words = [];
  if (from) words.push(`from ${from}`);
  if (until) words.push(`until ${until}`);
  if (times) words.push(plural(times, 'occurrence'));
  if (except?.length) words.push(`except ${except.map((one) => (typeof one === 'string' ? one : one.rule)).join(', ')}`);
  if (gap === 'skip') words.push('skipped times are left out');
  if (repeated === 'both') words.push('repeated times are due twice');
  return words.join('; ');
}

export const title = (job) => job.name ?? job.id;

const OBSTACLES = { network: 'a network', power: 'power', idle: 'the machine to be idle' };

/** Whether an occurrence is due and waits for a condition of the job, or for a handler. */
export const isHeld = (job) => job.state === 'scheduled' && (job.parked || Boolean(job.waitingFor?.length));

/** Returns the reason why the occurrence of a held job waits. */
export function obstacle(job) {
  if (job.parked) return `parked: no handler for the kind “${job.kind}”`;
  const words = job.waitingFor.map((word) => OBSTACLES[word] ?? word);
  return `waits for ${words.join(' and ')}`;
}

/** Returns the number of an occurrence, or `by hand` for a run by hand, whose number is 0 or less. */
export function occurrence(run) {
  if (run.occurrence <= 0) return 'by hand';
  return run.through > run.occurrence ? `${run.occurrence}–${run.through}` : `${run.occurrence}`;
}

/** Returns the reason for the outcome of a run. */
export function why(run) {
  const words = [];
  if (run.reason) words.push(run.reason);
  else if (run.exitCode) words.push(`exit code ${run.exitCode}`);
  if (run.standsFor > 1) words.push(`stands for ${run.standsFor} occurrences`);
  if (run.dueNote) words.push(run.dueNote);
  if (!run.final && ['failed', 'lost'].includes(run.outcome)) words.push('tried again');
  return words.join(', ');
}
