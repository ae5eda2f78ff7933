// Days in the browser's zone: the weeks that the calendar shows, and the occurrences of each day.

const two = (n) => String(n).padStart(2, '0');

/** Returns the key of a local day, such as `2026-12-01`. */
export const key = (day) => `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;

/** Returns the local day of a key; `null` if the text is not a day. */
export function fromKey(text) {
  const [year, month, day] = text.split('-').map(Number);
  const found = new Date(year, month - 1, day);
  return key(found) === text ? found : null;
}

// The fields of the date are changed, not its milliseconds, because a local day can be shorter or longer than 24 hours.
export const addDays = (day, n) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + n);
export const addMonths = (day, n) => new Date(day.getFullYear(), day.getMonth() + n, 1);

const monday = (day) => addDays(day, -((day.getDay() + 6) % 7));

/** Returns the days of the whole weeks, Monday first, that contain the month or the week of `day`. */
export function daysOf(view, day) {
  if (view === 'week') return Array.from({ length: 7 }, (_, index) => addDays(monday(day), index));
  const first = monday(addMonths(day, 0));
  const end = addMonths(day, 1);
  const days = [];
  while (days.length % 7 || addDays(first, days.length) < end) days.push(addDays(first, days.length));
  return days;
}

/**
 * Returns the occurrences by local day. Each day has one entry for each job, in the order of the jobs' first
 * occurrences on it: `{ job, name, dues, notes }`, with the due instants in milliseconds.
 */
export function byDay(occurrences) {
  const days = new Map();
  for (const { job, name, due, note } of occurrences) {
    const ms = Date.parse(due);
    const day = key(new Date(ms));
    if (!days.has(day)) days.set(day, new Map());
    const jobs = days.get(day);
    if (!jobs.has(job)) jobs.set(job, { job, name, dues: [], notes: [] });
    const entry = jobs.get(job);
    entry.dues.push(ms);
    if (note) entry.notes.push(note);
  }
  return new Map([...days].map(([day, jobs]) => [day, [...jobs.values()]]));
}
