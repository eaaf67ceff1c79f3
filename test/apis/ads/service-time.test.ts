import { expect, it } from 'vitest';
import { callAds } from '../../../src/services/ads/ads-connection.ts';
import { ServiceTime } from '../../../src/services/ads/service-time.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo } from './ads-client.ts';

interface Told {
  readonly date?: string;
  readonly age?: string;
  readonly status?: number;
  /** How long the answer takes by this machine's clock. */
  readonly until?: string;
}

const HOUR_MS = 3_600_000;
const LATE = 'Fri, 20 Nov 2026 13:00:00 GMT';

/** Asks the service at noon; each answer is as told. */
async function hear(...answers: readonly Told[]): Promise<ServiceTime> {
  const clock = fakeClock('2026-11-20T12:00:00Z');
  let asked = 0;
  const { url } = await stubServer((_, response) => {
    const { status = 200, until, ...headers } = answers[asked] ?? {};
    asked += 1;
    if (until !== undefined) clock.set(until);
    response.writeHead(status, { ...headers }).end('{}');
  });
  const time = new ServiceTime(clock);
  for (const _ of answers) {
    clock.set('2026-11-20T12:00:00Z');
    await callAds(connectTo(url, { time }), { method: 'GET', path: 'x' }).catch(() => undefined);
  }
  return time;
}

it.each<[string, readonly Told[], number | undefined]>([
  ['an hour earlier', [{ date: LATE }], -HOUR_MS],
  ['two hours later', [{ date: 'Fri, 20 Nov 2026 10:00:00 GMT' }], 2 * HOUR_MS],
  ['the same, because the answer took two hours', [{ date: LATE, until: '2026-11-20T14:00:00Z' }], 0],
  ['unknown from an answer of a cache', [{ date: LATE, age: '3600' }], undefined],
  ['unknown from an answer that is no success', [{ date: LATE, status: 502 }], undefined],
  ['unknown from a date that is none', [{ date: 'soon' }], undefined],
  ['unknown without a date', [{}], undefined],
  [
    'the largest difference of several answers',
    [{}, { date: LATE }, { date: 'Fri, 20 Nov 2026 12:00:00 GMT' }],
    -HOUR_MS,
  ],
])('compared with the service, the clock is %s', async (_, answers, aheadMs) => {
  expect((await hear(...answers)).found?.aheadMs).toBe(aheadMs);
});

it.each<[string, readonly Told[], boolean]>([
  ['answered without a date', [{}], true],
  ['answered once with a date', [{}, { date: LATE }], false],
  ['was not asked', [], false],
])('a service that %s is silent: %s', async (_, answers, isSilent) => {
  expect((await hear(...answers)).isSilent).toBe(isSilent);
});
