// A day of Node's timers: an interval of a minute, a chain of time-outs of an hour, a promise, and a child process.
const {spawn} = require('node:child_process');
const {setTimeout: sleep} = require('node:timers/promises');
const begin = Date.now(), uptime = performance.now();
const since = () => `${Date.now() - begin} ms, ${performance.now() - uptime} ms`;
let minutes = 0, hours = 0;
const interval = setInterval(() => {
  if (++minutes < 1440) return;
  clearInterval(interval);
  console.log(`setInterval: ${minutes} ticks, ${since()}`);
}, 60_000);
const hour = () => {
  if (++hours < 24) setTimeout(hour, 3_600_000);
  else console.log(`setTimeout: ${hours} ticks, ${since()}`);
};
setTimeout(hour, 3_600_000);
sleep(86_399_000).then(() => console.log(`a promise: ${since()}`));
spawn('sleep', ['86398']).on('exit', code => console.log(`a process: exit ${code}, ${since()}`));
