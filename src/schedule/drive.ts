import { schedule } from 'node-cron';

const EVERY_10_SECONDS = '*/10 * * * * *';
const SILENT_MS = 25_000;
const LOOK_MS = 10_000;

/** node-cron waits for a wall-clock time, so it stops if the clock is set back. This restarts it. */
export function driveEveryTenSeconds(beat: () => void) {
  let beatAtMs = performance.now();
  const task = schedule(
    EVERY_10_SECONDS,
    () => {
      beatAtMs = performance.now();
      beat();
    },
    // The next pass makes up for the time that the machine slept.
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
