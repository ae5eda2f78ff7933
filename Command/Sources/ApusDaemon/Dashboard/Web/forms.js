// The dialogs for new jobs, countdowns and notifications, and the question before a job is cancelled.

import { api } from './api.js';
import { byId, setText } from './dom.js';
import { title } from './format.js';

const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|w|d|h|m|s))+$|^\d+(?:\.\d+)?$|^\d{1,3}:[0-5]\d(?::[0-5]\d)?$|^P(?=.)(?:[\d.]+W)?(?:[\d.]+D)?(?:T(?:[\d.]+H)?(?:[\d.]+M)?(?:[\d.]+S)?)?$/i;
const DURATIONS = 'Enter a duration such as 25m, 1h30m, 90 (seconds) or 5:00.';

/** The problem with a field, in words for the user. */
export class Problem extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

function checkedDuration(field, words) {
  // The daemon accepts no spaces in a duration.
  const text = words.replace(/\s+/g, '');
  if (!text) throw new Problem(field, DURATIONS);
  if (!DURATION.test(text) || !/[1-9]/.test(text)) throw new Problem(field, `“${words}” is not a duration. ${DURATIONS}`);
  return text;
}

/** Returns the next instant at which clocks show `time`, or the instant at which they do on `date`. */
function instantOf(field, time, date, now = new Date()) {
  if (!time) throw new Problem(field, 'Choose a time.');
  const [hours, minutes, seconds = 0] = time.split(':').map(Number);
  const [year, month, day] = date ? date.split('-').map(Number) : [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  const at = new Date(year, month - 1, day, hours, minutes, seconds);
  if (!date && at <= now) at.setDate(at.getDate() + 1);
  if (at <= now) throw new Problem(field, 'That is in the past. Choose a later time.');
  return at.toISOString();
}

// The fields for errors of the daemon, by the beginning of the message, which is the name of the argument.
const FIELDS = [[/^trigger\.after/, 'after'], [/^trigger\.at/, 'time'], [/^trigger\.every/, 'every'], [/^trigger\.anchor/, 'from'], [/^name/, 'name'], [/^action/, 'text'],
  ...['schedule', 'zone', 'gap', 'repeated', 'from', 'until', 'except', 'count'].map((name) => [new RegExp(`^(trigger\\.)?calendar\\.${name}\\b`), name])];

export class Form {
  constructor(id, { make, done }) {
    this.dialog = byId(id);
    this.form = this.dialog.querySelector('form');
    Object.assign(this, { make, done });
    this.form.addEventListener('submit', (event) => this.submit(event));
    this.form.addEventListener('input', (event) => this.clear(event.target.closest('[data-field]')?.dataset.field));
    this.form.addEventListener('change', () => this.arrange());
    this.dialog.addEventListener('close', () => this.closed());
    for (const button of this.form.querySelectorAll('[data-preset]')) button.addEventListener('click', () => this.preset(button.dataset.preset));
    for (const button of this.dialog.querySelectorAll('[data-close]')) button.addEventListener('click', () => this.dialog.close());
  }

  open() {
    if (this.dialog.open) return;
    this.opener = document.activeElement;
    this.form.reset();
    this.clear();
    this.arrange();
    this.dialog.showModal();
  }

  closed() {
    this.opener?.isConnected && this.opener.focus();
  }

  value(name) {
    return (new FormData(this.form).get(name) ?? '').trim();
  }

  /** Shows the fields that the present choices require. */
  arrange() {
    for (const part of this.form.querySelectorAll('[data-if]')) {
      const [name, value] = part.dataset.if.split('=');
      const isShown = value ? this.value(name) === value : this.value(name) !== '';
      part.hidden = !isShown;
      for (const input of part.querySelectorAll('input')) input.disabled = !isShown;
    }
  }

  preset(text) {
    const input = this.form.elements.after;
    input.value = text;
    this.clear('after');
    input.focus();
  }

  clear(field) {
    for (const box of this.form.querySelectorAll(field ? `[data-field=${field}]` : '[data-field]')) {
      setText(box.querySelector('.problem'), '');
      for (const input of box.querySelectorAll('input, textarea, select')) input.removeAttribute('aria-invalid');
    }
    setText(this.form.querySelector(':scope > .problem'), '');
  }

  /** Shows a problem beside its field, or at the foot of the form if the field is unknown. */
  complain(field, message) {
    const box = field && this.form.querySelector(`[data-field=${field}]`);
    const place = box && !box.hidden ? box.querySelector('.problem') : this.form.querySelector(':scope > .problem');
    setText(place, message);
    box?.closest('details')?.setAttribute('open', '');
    const inputs = [...(box?.querySelectorAll(':is(input:not([type=radio]), textarea, select):not(:disabled)') ?? [])];
    const input = inputs.find((one) => one.name === field) ?? inputs[0];
    input?.setAttribute('aria-invalid', 'true');
    (input ?? this.form.querySelector('[type=submit]')).focus();
  }

  async submit(event) {
    event.preventDefault();
    this.clear();
    const button = this.form.querySelector('[type=submit]');
    let submission;
    try {
      submission = this.make(this);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return this.complain(problem.field, problem.message);
    }
    button.disabled = true;
    try {
      const job = await api.submit(submission);
      this.dialog.close();
      this.done(job);
    } catch (error) {
      this.complain(FIELDS.find(([pattern]) => pattern.test(error.message))?.[1], error.message);
    } finally {
      button.disabled = false;
    }
  }

  trigger() {
    switch (this.value('how')) {
      case 'after':
        return { after: checkedDuration('after', this.value('after')) };
      case 'at':
        return { at: instantOf('time', this.value('time'), this.value('date')) };
      default: {
        const every = checkedDuration('every', this.value('every'));
        // With a first instant, the interval follows the wall clock. Without one, it counts elapsed time.
        return this.value('from') ? { every, anchor: instantOf('from', this.value('from')) } : { every };
      }
    }
  }
}

export function countdownForm(done) {
  const make = (form) => ({ kind: 'countdown', name: form.value('name') || undefined, trigger: form.trigger(), action: {} });
  return new Form('new-countdown', { done, make });
}

export function notificationForm(done) {
  const make = (form) => {
    const notify = form.value('text');
    if (!notify) throw new Problem('text', 'Enter the text of the notification.');
    return { name: form.value('name') || undefined, trigger: form.trigger(), action: { notify } };
  };
  return new Form('new-notification', { done, make });
}

/** Asks the user once. The promise is `true` for yes. */
export function confirmCancel(job) {
  const dialog = byId('confirm-cancel');
  const opener = document.activeElement;
  setText(byId('confirm-title'), `Cancel “${title(job)}”?`);
  setText(byId('confirm-text'), job.lastRun?.outcome === 'running'
    ? 'The run in progress is ended, and no further run starts. This cannot be undone.'
    : 'No further run starts. This cannot be undone.');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      if (opener?.isConnected) opener.focus();
      resolve(dialog.returnValue === 'yes');
    }, { once: true });
  });
}
