import { afterEach, expect, it, vi } from 'vitest';
import { driveEveryTenSeconds } from '../../src/schedule/drive.ts';

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['while the clock runs', 0],
  ['after the clock is set back by a day', -86_400_000],
  ['after the clock is set forward by an hour', 3_600_000],
])('ticks about every ten seconds %s', async (_, jumpMs) => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T05:00:01Z') });
  let beats = 0;
  const drive = driveEveryTenSeconds(() => {
    beats += 1;
  });
  await vi.advanceTimersByTimeAsync(15_000);
  vi.setSystemTime(Date.now() + jumpMs);
  const before = beats;
  await vi.advanceTimersByTimeAsync(120_000);
  drive.stop();
  expect(beats - before).toBeGreaterThanOrEqual(9);
  expect(beats - before).toBeLessThanOrEqual(14);
  const after = beats;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(beats).toBe(after);
});
