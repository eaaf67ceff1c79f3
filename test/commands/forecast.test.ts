import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { fakeClock } from '../support/fake-time.ts';
import { forwardProxy } from '../support/forward-proxy.ts';
import { tempDir } from '../support/temp-dir.ts';
import { runInProcess } from './run-in-process.ts';

const QUARTER = `SELECT campaign.id, segments.date, metrics.clicks FROM campaign
WHERE segments.date BETWEEN :today-90 AND :today-1`;
const SCHEDULE = `schedule:
  - { name: morning, cron: "30 5 * * *", job: report }
  - { name: evening, cron: "0 18 * * *", job: extract, options: { query: quarter } }
`;

/** A folder of a live service. A proxy between them counts the requests for accounts. */
async function liveFolder(settings: string, { strict = false } = {}) {
  const folder = tempDir();
  await runInProcess(['init', '--time-zone', 'Europe/Berlin'], { folder, env: {} });
  writeFileSync(join(folder, 'queries', 'quarter.sql'), QUARTER);
  writeFileSync(join(folder, 'pacekeeper.yaml'), settings);
  const clock = fakeClock('2026-03-01T04:00:00Z');
  const service = await startSandbox({ stateFile: ':memory:', clock, seed: 1, strict });
  onTestFinished(() => service.close());
  const proxy = await forwardProxy();
  const env = {
    PACEKEEPER_TARGET: 'live',
    ADS_URL: service.url,
    ADS_ACCESS_TOKEN: service.credentials.accessToken,
    HTTP_PROXY: proxy.url,
  };
  const run = (now: string, ...args: string[]) => {
    clock.set(now);
    return runInProcess(args, { folder, env: { ...env, PACEKEEPER_NOW: now } });
  };
  const operations = async (now: string) => {
    const { stdout } = await run(now, 'doctor', '--format', 'json');
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'operations');
  };
  const asked = () => proxy.requests.filter(({ target }) => /\/customers\/\d+\//.test(target)).length;
  return { run, operations, asked };
}

const numberIn = (found: string) => Number(/about ([\d,]+) operation/.exec(found)?.[1]?.replaceAll(',', ''));

/** Changes, retries and days that an earlier run of the day has completed are not in the forecast. */
const MARGIN = 0.1;

describe('the forecast of a day', () => {
  it.each([
    ['a service with all operations', false],
    ['a service with only the specified operations', true],
  ])('is what %s counts: on the first day, and on the following ones', async (_, strict) => {
    const { run, operations, asked } = await liveFolder(SCHEDULE, { strict });
    const seen: number[] = [];
    for (const day of ['2026-03-01', '2026-03-02', '2026-03-03']) {
      const forecast = numberIn((await operations(`${day}T04:00:00Z`)).found);
      const before = asked();
      await run(`${day}T05:30:00Z`, 'report');
      await run(`${day}T18:00:00Z`, 'extract', '--query', 'quarter');
      const needed = asked() - before;
      expect(Math.abs(forecast - needed), `${day}: ${forecast} of ${needed}`).toBeLessThanOrEqual(needed * MARGIN);
      seen.push(needed);
    }
    expect(seen[0]).toBeGreaterThanOrEqual(seen[1] ?? 0);
  });

  it('is a warning of doctor and check --online before the limit is reached', async () => {
    const { run, operations } = await liveFolder(`ads: { access: 60 }\n${SCHEDULE}`);
    expect(await operations('2026-03-01T04:00:00Z')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/^the next 24 hours need about \d+ operations \(2 runs, 4 accounts\)/),
      expected: 'at most 54, 90% of ads.access (60)',
      next_step: expect.stringContaining('Ask for a higher access level'),
    });
    const { code, stderr } = await run('2026-03-01T04:00:00Z', 'check', '--online');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/For the schedule, .* expected at most 54, 90% of/)]);
  });

  it('asks for the access level if it is unknown and the schedule needs more than the lowest level', async () => {
    const often = 'schedule: [{ name: often, cron: "*/10 * * * *", job: extract }]\n';
    const { operations } = await liveFolder(often);
    expect(await operations('2026-03-01T04:00:00Z')).toMatchObject({
      state: 'missing',
      found: expect.stringMatching(/need about 5,185 operations \(144 runs, 4 accounts\)/),
      next_step: 'Set ads.access to the level of your cloud project.',
    });
  });

  it('is well within the level explorer', async () => {
    const { run, operations } = await liveFolder(`ads: { access: explorer }\n${SCHEDULE}`);
    const expected = 'at most 2,592, 90% of ads.access (2,880)';
    expect(await operations('2026-03-01T04:00:00Z')).toMatchObject({ state: 'ok', expected });
    const { stderr } = await run('2026-03-01T04:00:00Z', 'check', '--online');
    expect(stderr).not.toContain('expected at most');
  });
});
