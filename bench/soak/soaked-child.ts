import { appendFileSync, readdirSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { readAheadMs } from './virtual-time.ts';

/**
 * `node --import soaked-child.js PROGRAM`: gives the program the time of the soak instead of the machine's, so that an hour passes when
 * the soak says so, and at its end leaves what it has used at most. The program itself knows nothing of it; a process that it starts is
 * started in the same way.
 */
const { SOAK_AHEAD: ahead = '', SOAK_NOTES: notes = '' } = process.env;
const LOOK_MS = 100;

const machineNow = Date.now.bind(Date);
let aheadMs = readAheadMs(ahead);
Date.now = () => machineNow() + aheadMs;

let descriptors = 0;
const look = () => {
  // Written in place: what is read in the middle of it is shorter, and time never goes back.
  aheadMs = Math.max(aheadMs, readAheadMs(ahead) || 0);
  descriptors = Math.max(descriptors, readdirSync('/proc/self/fd').length);
};
setInterval(look, LOOK_MS).unref();

if (isMainThread) {
  process.once('exit', (exitCode) => {
    const peakMiB = process.resourceUsage().maxRSS / 1024;
    appendFileSync(notes, `${JSON.stringify({ command: process.argv[2], exitCode, peakMiB, descriptors })}\n`);
  });
}
