// Loaded into the program's own process before it starts: kills it, without a chance to tidy up, before or after the n-th
// moment at which what it did becomes lasting: a commit to state.sqlite, or a rename in the file system.

import { subscribe } from 'node:diagnostics_channel';
// Loaded into the program's own process before it starts: kills it, without a chance to tidy up, before or after the n-th
// moment at which what it did becomes lasting: a commit to state.sqlite, or a rename in the file system.
import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';

const [side, nth] = (process.env.KILL_AT ?? '').split(' ');
let passed = 0;
let asked = false;
/** Moments before which a request was sent: before such a one is not the same as after the one before it. */
const afterRequests = [];
subscribe('undici:request:create', () => {
  asked = true;
});

function boundary(act) {
  passed++;
  if (asked) afterRequests.push(passed);
  asked = false;
  const isLast = passed === Number(nth);
  if (isLast && side === 'before') process.kill(process.pid, 'SIGKILL');
  const result = act();
  if (isLast && side === 'after') process.kill(process.pid, 'SIGKILL');
  return result;
}

const renameSync = fs.renameSync;
/** What a run tells people of itself decides nothing of the next one. */
const tellsOnly = (path) => /report\.html$|runs[\\/][^\\/]+$/.test(String(path));
fs.renameSync = (...args) => (tellsOnly(args[1]) ? renameSync(...args) : boundary(() => renameSync(...args)));
syncBuiltinESMExports();

const isState = (database) => database.name.endsWith('state.sqlite');
const probe = new Database(':memory:');
const Statement = Object.getPrototypeOf(probe.prepare('SELECT 1'));
probe.close();

const originalGet = Statement.get;
const changesBefore = new WeakMap();

/** Whether anything was written since this was asked: a commit of nothing is no moment of its own. */
function isWritten(database) {
  const statement = database.prepare('SELECT total_changes() AS changes').safeIntegers(false);
  const { changes } = originalGet.call(statement);
  const written = changesBefore.get(database) !== changes;
  changesBefore.set(database, changes);
  return written;
}

const commits = (database, source, readonly) =>
  isState(database) && (database.inTransaction ? /^\s*commit\b/i.test(source) && isWritten(database) : !readonly);

for (const method of ['run', 'get', 'all']) {
  const original = Statement[method];
  Statement[method] = function (...args) {
    const act = () => original.apply(this, args);
    return commits(this.database, this.source, this.readonly) ? boundary(act) : act();
  };
}
const exec = Database.prototype.exec;
Database.prototype.exec = function (source) {
  const act = () => exec.call(this, source);
  return commits(this, source, false) ? boundary(act) : act();
};

if (process.env.KILL_AT === 'never')
  process.once('exit', () => writeSync(2, `moments: ${passed}, after requests: ${afterRequests.join(' ')}\n`));
