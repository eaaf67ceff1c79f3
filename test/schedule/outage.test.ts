import { expect, it } from 'vitest';
import { createProduct } from '../support/product.ts';
import { scheduleInProcess } from './schedule-in-process.ts';

const CONFIG = `schedule:
  - { name: morning, cron: "30 5 * * *", job: report }
`;

it('an outage at 05:30 costs no day: the report runs again, and changes budgets once', async () => {
  const product = await createProduct({ config: CONFIG });
  const once = async (now: string) => {
    product.at(now);
    const run = scheduleInProcess(product.folder, now, { once: true, isReal: true, env: product.env() });
    return { code: await run.ended, text: run.stderr() };
  };
  await once('2026-11-20T05:20:00Z');
  product.fault = () => ({ kind: 'status', status: 503 });
  const failed = await once('2026-11-20T05:30:00Z');
  expect(failed).toEqual({ code: 1, text: expect.stringMatching(/tried again at 2026-11-20T05:45:0\dZ/) });
  product.fault = undefined;
  expect((await once('2026-11-20T05:40:00Z')).code).toBe(0);
  expect(product.sends()).toEqual([]);
  expect((await once('2026-11-20T05:50:00Z')).code).toBe(0);
  expect((await once('2026-11-20T06:30:00Z')).code).toBe(0);
  expect([product.amount(), product.sends().length]).toEqual([51_000_000n, 1]);
});
