// Loaded into the program's own process before it starts: kills it, without a chance to tidy up, before the n-th COMMIT is
// sent to PostgreSQL, or as soon as it is answered. Before a moment without a request before it, all is as after the last one.
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

const [side, nth] = (process.env.KILL_AT ?? '').split(' ');
const port = Number(process.env.KILL_PORT);
const COMMIT = Buffer.from('COMMIT\0');
let sent = 0;
let asked = false;
const afterRequests = [];
subscribe('undici:request:create', () => {
  asked = true;
});

const { write, connect } = Socket.prototype;
Socket.prototype.write = function (bytes, ...more) {
  if (this.remotePort === port && Buffer.from(bytes).includes(COMMIT)) {
    sent++;
    if (asked) afterRequests.push(sent);
    asked = false;
    if (side === 'before' && sent === Number(nth)) process.kill(process.pid, 'SIGKILL');
  }
  return write.call(this, bytes, ...more);
};
Socket.prototype.connect = function (...args) {
  this.once('connect', () => {
    if (this.remotePort !== port) return;
    this.prependListener('data', (bytes) => {
      if (side === 'after' && sent === Number(nth) && bytes.includes(COMMIT)) process.kill(process.pid, 'SIGKILL');
    });
  });
  return connect.apply(this, args);
};

if (process.env.KILL_AT === 'never')
  process.once('exit', () => writeSync(2, `moments: ${sent}, after requests: ${afterRequests.join(' ')}\n`));
