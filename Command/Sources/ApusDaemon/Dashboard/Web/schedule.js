// The dialog of a notification on a schedule of the calendar, with a preview of its due instants.

import { api } from './api.js';
import { byId, h, setText } from './dom.js';
import { HERE } from './format.js';
import { Form, Problem } from './forms.js';

const PAUSE = 200;
const NUMBER = 10;
const FORMS = { words: 'Words', cron: 'Cron', calendar: 'systemd', rrule: 'RRULE' };

/** Returns the schedule in the form of the API, without defaults and empty fields. */
function calendarOf(form) {
  const value = (name) => form.value(name) || undefined;
  const count = form.value('count');
  if (count && !/^[1-9]\d*$/.test(count)) throw new Problem('count', 'Enter a whole number of at least 1.');
  const except = form.value('except').split('\n').map((line) => line.trim()).filter(Boolean);
  return {
    schedule: form.value('schedule'),
    zone: value('zone'),
    gap: form.value('gap') === 'skip' ? 'skip' : undefined,
    repeated: form.value('repeated') === 'both' ? 'both' : undefined,
    from: value('from'),
    until: value('until'),
    except: except.length ? except : undefined,
    count: count ? Number(count) : undefined,
  };
}

class Preview {
  constructor(element) {
    this.element = element;
    this.status = h('p', { class: 'note', 'aria-live': 'polite' });
    this.body = h('div', { class: 'preview-body' });
    element.append(this.status, this.body);
  }

  /** Drops the waiting request and the one in progress. */
  stop() {
    clearTimeout(this.timer);
    this.controller?.abort();
  }

  clear() {
    this.stop();
    this.say('The next due instants appear here.');
    this.body.replaceChildren();
  }

  soon(form) {
    this.stop();
    if (!form.value('schedule')) return this.clear();
    this.timer = setTimeout(() => this.ask(form), PAUSE);
  }

  async ask(form) {
    const { signal } = (this.controller = new AbortController());
    try {
      const answer = await api.preview({ calendar: calendarOf(form), number: NUMBER }, signal);
      if (!signal.aborted) this.show(answer);
    } catch (error) {
      if (error.name === 'AbortError' || signal.aborted) return;
      this.body.replaceChildren();
      this.say(error.message, true);
    }
  }

  say(text, isProblem = false) {
    this.status.className = isProblem ? 'problem' : 'note';
    setText(this.status, text);
  }

  show({ zone, forms, warnings, next }) {
    this.say(next.length ? `Next in ${zone}: ${words(next[0])}` : `Nothing is due in ${zone} from now on.`);
    const said = Object.entries(FORMS).filter(([name]) => forms[name] && (name !== 'rrule' || !forms.calendar));
    this.body.replaceChildren(...[
      warnings.length > 0 && h('ul', { class: 'warnings' }, warnings.map((text) => h('li', {}, text))),
      next.length > 0 && h('ol', { class: 'dues num', 'aria-label': 'Next due instants' }, next.map((due) => h('li', {},
        h('span', {}, words(due)), due.note && h('span', { class: 'changed' }, due.note)))),
      said.length > 0 && h('dl', { class: 'facts' }, said.flatMap(([name, title]) => [h('dt', {}, title), h('dd', {}, h('code', {}, forms[name]))])),
    ].filter(Boolean));
  }
}

/** Returns a due instant such as `Wed 2026-11-25 09:00:00 +01:00`. */
function words({ instant, day }) {
  const [, date, time, offset] = /^(.+)T(\d\d:\d\d:\d\d)(.+)$/.exec(instant);
  return `${day[0].toUpperCase()}${day.slice(1, 3)} ${date} ${time} ${offset}`;
}

export function scheduleForm(done) {
  const preview = new Preview(byId('schedule-preview'));
  const make = (form) => {
    const notify = form.value('text');
    if (!notify) throw new Problem('text', 'Enter the text of the notification.');
    if (!form.value('schedule')) throw new Problem('schedule', 'Enter a schedule such as “every weekday at 9:00”.');
    return { name: form.value('name') || undefined, trigger: { calendar: calendarOf(form) }, action: { notify } };
  };
  const form = new ScheduleForm('new-schedule', { done, make });
  form.form.addEventListener('input', (event) => !['text', 'name'].includes(event.target.name) && preview.soon(form));
  form.form.addEventListener('reset', () => preview.clear());
  form.dialog.addEventListener('close', () => preview.stop());
  return form;
}

class ScheduleForm extends Form {
  open() {
    super.open();
    this.form.elements.zone.value = HERE;
    this.form.querySelector('details').open = false;
    const zones = byId('schedule-zones');
    if (!zones.firstChild) zones.append(...Intl.supportedValuesOf('timeZone').map((value) => h('option', { value })));
  }
}
