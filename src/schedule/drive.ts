import { schedule } from 'node-cron';

const EVERY_10_SECONDS = '*/10 * * * * *';
const SILENT_MS = 25_000;
const LOOK_MS = 10_000;

/** node-cron waits for a wall-clock instant, so a clock set back silences it. A monotonic watch restarts it. */
export function driveEveryTenSeconds(beat: () => void) {
  let beatAtMs = performance.now();
  const task = schedule(
    EVERY_10_SECONDS,
    () => {
      beatAtMs = performance.now();
      beat();
    },
    // A pass catches up what the machine slept through.
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
