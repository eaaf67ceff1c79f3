import { schedule } from 'node-cron';

const EVERY_10_SECONDS = '*/10 * * * * *';
const SILENT_MS = 25_000;
const LOOK_MS = 10_000;

/** A second timer restarts node-cron, because node-cron pauses if the clock is set back. */
export function driveEveryTenSeconds(beat: () => void) {
  let beatAtMs = performance.now();
  const task = schedule(
    EVERY_10_SECONDS,
    () => {
      beatAtMs = performance.now();
      beat();
    },
    // No warning is needed, because the scheduler handles missed due times itself.
    { suppressMissedWarning: true },
  );
  const watch = setInterval(() => {
    if (performance.now() - beatAtMs < SILENT_MS) return;
    beatAtMs = performance.now();
    task.stop();
    task.start();
    beat();
  }, LOOK_MS);
  return {
    stop(): void {
      clearInterval(watch);
      task.destroy();
    },
  };
}
