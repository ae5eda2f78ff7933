/** Texts of instants and durations. The phone's clock is shown in UTC, so that a log reads the same everywhere. */

const formats = {
  clock: { hour: "2-digit", minute: "2-digit" },
  seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { weekday: "long", day: "numeric", month: "long" },
  shortDay: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
};
const made = Object.fromEntries(
  Object.entries(formats).map(([name, options]) => [name, new Intl.DateTimeFormat("en-GB", { ...options, hourCycle: "h23", timeZone: "UTC" })]));

const write = (name) => (instant) => (instant ? made[name].format(new Date(instant)) : "");

export const clockText = write("clock");
export const secondsText = write("seconds");
export const dayText = write("day");
export const shortDayText = write("shortDay");

export const millisecondsText = (instant) => new Date(instant).toISOString().slice(11, 23);
export const sameDay = (one, other) => one?.slice(0, 10) === other?.slice(0, 10);

/** "09:41:03", and the day with it when it is another one. */
export const momentText = (instant, now) =>
  !instant ? "" : sameDay(instant, now) || !now ? secondsText(instant) : `${shortDayText(instant)}, ${clockText(instant)}`;

export const secondsBetween = (from, to) => (new Date(to) - new Date(from)) / 1000;

/** "0:07", "12:34", "1:05:09". */
export function countText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** "3 s", "5 min", "2 h", "4 d": for labels. */
export function spanText(seconds) {
  const units = [[86400, "d"], [3600, "h"], [60, "min"]];
  for (const [size, name] of units) {
    if (seconds >= size && Number.isInteger(seconds / size)) return `${seconds / size} ${name}`;
  }
  return seconds > 3600 ? countText(seconds) : `${Math.round(seconds * 1000) / 1000} s`;
}

/** What lies ahead, without needless decimals: "in 12 s", "in 14 min", "in 5 h 3 min". */
export function aheadText(seconds) {
  if (seconds <= 0) return "due";
  if (seconds < 100) return `in ${Math.ceil(seconds)} s`;
  if (seconds < 6000) return `in ${Math.ceil(seconds / 60)} min`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 2880 ? `in ${Math.floor(minutes / 60)} h ${minutes % 60} min` : `in ${Math.floor(minutes / 1440)} d`;
}

/** The next instant at which the phone's clock shows this time of day. */
export function nextAt(timeOfDay, now) {
  const wanted = new Date(`${now.slice(0, 10)}T${timeOfDay.length === 5 ? `${timeOfDay}:00` : timeOfDay}Z`);
  if (wanted <= new Date(now)) wanted.setUTCDate(wanted.getUTCDate() + 1);
  return wanted.toISOString();
}

/** Instants inside the system's words, as the rest of the page shows them. */
export const withMoments = (text, now) =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (instant) => momentText(instant, now));
