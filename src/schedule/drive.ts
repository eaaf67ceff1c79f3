import { schedule } from 'node-cron';

const EVERY_10_SECONDS = '*/10 * * * * *';
const SILENT_MS = 25_000;
const LOOK_MS = 10_000;

/**
 * Calls `beat` every ten seconds. node-cron waits for an instant of the wall's clock, so a clock that is set back would silence
 * it until that instant comes again: a watch that knows no clock starts it anew then.
 */
export function driveEveryTenSeconds(beat: () => void) {
  let beatAtMs = performance.now();
  const task = schedule(
    EVERY_10_SECONDS,
    () => {
      beatAtMs = performance.now();
      beat();
    },
    // What it misses while the machine sleeps is for a pass to find out.
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
