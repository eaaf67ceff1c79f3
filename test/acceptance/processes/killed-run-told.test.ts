import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSchedule } from '../../../src/engine/schedule/read-schedule.ts';
import { scheduleInProcess } from '../../schedule/schedule-in-process.ts';
import { createProduct, type Product } from '../../support/product.ts';

const ALERTS = 'alerts: { recipients: { anna: { messages: "whatsapp:+4915112345678" } }, digest_at: never }\n';
const NIGHTLY = 'schedule: [{ name: nightly, cron: "30 5 * * *", job: report }]\n';
const YEARLY = 'schedule: [{ name: yearly, cron: "0 0 1 1 *", job: report }]\n';

/** Minutes after five, one morning. */
const at = (minute: number) => `2026-11-21T05:${minute}:00Z`;
const LATEST = at(45);

const DIED = /^Run died: report of 2026-11-21 05:30 UTC \(run 1\)\nIts process ended without a word\./;

async function nightOf(config = ''): Promise<Product> {
  const product = await createProduct({ config: `${ALERTS}${config}`, rules: {} });
  product.at(at(30));
  return product;
}

/** The service answers the first query of rows with SIGKILL for the run, and never with rows. */
function killAtFirstRows(pid: () => number | undefined): NonNullable<Product['fault']> {
  let isKilled = false;
  return ({ kind }) => {
    const victim = pid();
    if (kind !== 'stream' || isKilled || victim === undefined) return undefined;
    isKilled = true;
    process.kill(victim, 'SIGKILL');
    return { kind: 'hang_before' };
  };
}

/** A report as cron starts it, killed while it reads. */
async function killReport(product: Product): Promise<void> {
  let child: ChildProcess | undefined;
  product.fault = killAtFirstRows(() => child?.pid);
  const { code } = await product.cli(['report'], (started) => {
    child = started;
  });
  expect([code, product.rows('SELECT state FROM run')]).toEqual([null, [{ state: 'running' }]]);
}

const sent = ({ sandbox }: Product) => sandbox.messages().map(({ body }) => body.replace(/\nRef pk-\w{8}$/, ''));

describe('a run killed by SIGKILL at 05:30', () => {
  it('is told once by the cron line of watch, and its end after the next run', async () => {
    const product = await nightOf();
    await killReport(product);
    for (const minute of [40, 50]) {
      product.at(at(minute));
      expect((await product.cli(['watch', '--once'])).code).toBe(0);
      expect(sent(product)).toEqual([expect.stringMatching(DIED)]);
    }
    product.at('2026-11-21T06:30:00Z');
    expect((await product.run(['report'])).code).toBe(0);
    for (const _ of [1, 2]) expect((await product.run(['watch', '--once'])).code).toBe(0);
    expect(sent(product)).toEqual([
      expect.stringMatching(DIED),
      'Resolved: Run died: report of 2026-11-21 05:30 UTC (run 1)',
    ]);
  });

  it('as a job is told at once by the schedule that started it', async () => {
    const product = await nightOf(NIGHTLY);
    product.at(at(29));
    expect((await product.cli(['schedule', '--once'])).code).toBe(0);
    product.at(at(30));
    const data = join(product.folder, 'data');
    const kill = killAtFirstRows(() => readSchedule(data)?.jobs[0]?.lastRun?.child?.pid);
    const isTold = new Promise<void>((told) => {
      product.fault = (request) => {
        if (request.kind === 'message') told();
        return kill(request);
      };
    });
    let schedule: ChildProcess | undefined;
    const ended = product.cli(['schedule'], (started) => {
      schedule = started;
    });
    await isTold;
    schedule?.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('it was killed') });
    expect(sent(product)).toEqual([expect.stringMatching(DIED)]);
    const [message] = product.rows('SELECT accepted_at FROM message');
    expect(String(message?.accepted_at) < LATEST).toBe(true);
  });

  it('is told once by a schedule that did not start it, within ten minutes', async () => {
    const product = await nightOf(YEARLY);
    await killReport(product);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const schedule = scheduleInProcess(product.folder, at(30), { env: product.env() });
    await schedule.ready();
    for (const minute of [40, 50]) {
      vi.advanceTimersByTime(10 * 60_000);
      const look = schedule.jobs.at(-1);
      expect(look).toMatchObject({
        args: ['watch', '--once'],
        env: { PACEKEEPER_NOW: `2026-11-21T05:${minute}:00.000Z` },
      });
      product.at(at(minute));
      const { code } = await product.cli(look?.args ?? []);
      expect(code).toBe(0);
      look?.end(code);
      // The schedule notes the end of the look before the next one.
      await Promise.resolve();
      expect(sent(product)).toEqual([expect.stringMatching(DIED)]);
    }
    expect(schedule.jobs).toHaveLength(2);
    schedule.stop();
    expect(await schedule.ended).toBe(0);
  });
});
