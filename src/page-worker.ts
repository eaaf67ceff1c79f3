import { parentPort, workerData } from 'node:worker_threads';
import type { Settings } from './config/settings.ts';
import { doPageWork, type PageOrder } from './dashboard/status/page-work.ts';
import { createClock } from './engine/process-time.ts';

const settings = workerData as Settings;
const deps = { settings, clock: createClock(settings.startAtMs) };

let earlier: Promise<void> = Promise.resolve();

parentPort?.on('message', ({ id, work }: PageOrder) => {
  earlier = earlier.then(async () => parentPort?.postMessage({ id, answer: await doPageWork(deps, work) }));
});
