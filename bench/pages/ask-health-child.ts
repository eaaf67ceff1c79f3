import { request } from 'undici';
import { HEALTH_PATH } from '../../src/domain/pages.ts';
import { readJob } from '../measurement.ts';

/** `ask-health-child.js {url}`: asks like a monitor until its input ends, each time anew. Then it prints the milliseconds. */
const { url } = readJob<{ readonly url: string }>();
const PAUSE_MS = 10;
const times: number[] = [];
let isOver = false;
process.stdin.resume().on('end', () => {
  isOver = true;
});
while (!isOver) {
  const sentMs = performance.now();
  const { statusCode, body } = await request(`${url}${HEALTH_PATH}`, { reset: true });
  await body.dump();
  if (statusCode !== 200) throw new Error(`${HEALTH_PATH} was answered with ${statusCode}, expected 200.`);
  times.push(performance.now() - sentMs);
  if (times.length === 1) process.stdout.write('asked\n');
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
process.stdout.write(JSON.stringify(times));
