// Loaded into the program's own process before it starts: kills it, without a chance to tidy up, before the n-th step that it
// takes on databases and their files: each statement, and each file that is renamed, linked or removed.

import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';

const KILL_AT = process.env.KILL_AT ?? '';
const steps = [];

function step(label, act) {
  steps.push(label);
  if (steps.length === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL');
  return act();
}

for (const name of ['renameSync', 'linkSync', 'rmSync', 'copyFileSync']) {
  const original = fs[name];
  fs[name] = (...args) =>
    /\.sqlite/.test(String(args[0])) ? step(`${name} ${args[0]}`, () => original(...args)) : original(...args);
}
syncBuiltinESMExports();

const probe = new Database(':memory:');
const Statement = Object.getPrototypeOf(probe.prepare('SELECT 1'));
probe.close();
for (const method of ['run', 'get', 'all']) {
  const original = Statement[method];
  Statement[method] = function (...args) {
    return step(`${this.source}`.trim(), () => original.apply(this, args));
  };
}
for (const method of ['exec', 'pragma']) {
  const original = Database.prototype[method];
  Database.prototype[method] = function (...args) {
    return step(`${method} ${args[0]}`, () => original.apply(this, args));
  };
}

if (KILL_AT === 'never') process.once('exit', () => writeSync(2, `steps: ${JSON.stringify(steps)}\n`));
