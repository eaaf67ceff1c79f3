import { describe, expect, it } from 'vitest';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { composeDigest, type DigestFacts, dueDigest } from '../../src/engine/tell/digest.ts';

const BERLIN = 'Europe/Berlin';
const DAY = civilDate('2026-11-21');
const NOTHING: DigestFacts = {
  since: '2026-11-20 08:00',
  changes: [],
  proposals: [],
  conditions: [],
  targets: [],
  failedAccounts: [],
  lostMessages: 0,
  alertsToNobody: 0,
  recordHead: '4:ab',
  sunset: undefined,
};

describe('the daily digest', () => {
  it.each<[sentence: string, at: string, timeZone: string, firstRun: string, now: string, day: string | undefined]>([
    [
      'is not due before its time on the day of the first run',
      '08:00',
      BERLIN,
      '2026-11-20T05:00:00Z',
      '2026-11-20T06:59:59Z',
      undefined,
    ],
    ['is due at its time', '08:00', BERLIN, '2026-11-20T05:00:00Z', '2026-11-20T07:00:00Z', '2026-11-20'],
    ['is still due late in the evening', '08:00', BERLIN, '2026-11-20T05:00:00Z', '2026-11-20T22:59:59Z', '2026-11-20'],
    [
      'is not due if the first run was after its time',
      '08:00',
      BERLIN,
      '2026-11-20T07:00:00Z',
      '2026-11-20T12:00:00Z',
      undefined,
    ],
    [
      'of yesterday is due until today’s time',
      '08:00',
      BERLIN,
      '2026-11-19T05:00:00Z',
      '2026-11-20T06:00:00Z',
      '2026-11-19',
    ],
    [
      'of yesterday is not due once today’s is',
      '08:00',
      BERLIN,
      '2026-11-10T05:00:00Z',
      '2026-11-20T07:00:00Z',
      '2026-11-20',
    ],
    [
      'is due by the recipient’s clock',
      '08:00',
      'Asia/Tokyo',
      '2026-11-10T05:00:00Z',
      '2026-11-19T23:00:00Z',
      '2026-11-20',
    ],
    [
      'is not due before a skipped time, which counts as an hour later',
      '02:30',
      BERLIN,
      '2026-03-01T00:00:00Z',
      '2026-03-29T01:29:59Z',
      '2026-03-28',
    ],
    [
      'is due an hour later if its time is skipped',
      '02:30',
      BERLIN,
      '2026-03-01T00:00:00Z',
      '2026-03-29T01:30:00Z',
      '2026-03-29',
    ],
    [
      'is due at the first occurrence of a repeated time',
      '02:30',
      BERLIN,
      '2026-10-01T00:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25',
    ],
  ])('%s', (_sentence, at, timeZone, firstRun, now, day) => {
    expect(dueDigest(at, timeZone, Date.parse(firstRun), Date.parse(now))).toBe(day);
  });

  it('says that there is nothing to report', () => {
    expect(composeDigest(DAY, NOTHING)).toBe(
      'Pacekeeper, 2026-11-21: since 2026-11-20 08:00\nNothing to report.\nRecord 4:ab',
    );
  });

  it('sums up the day in few lines, with the commands that show the rest', () => {
    const change = (id: number, currency: string, from: bigint, to: bigint) => ({
      line: `B${id} …`,
      currency,
      from,
      to,
    });
    const text = composeDigest(DAY, {
      since: '2026-11-20 08:00',
      changes: [
        change(5, 'EUR', 60_000_000n, 51_000_000n),
        change(4, 'EUR', 40_000_000n, 34_000_000n),
        change(3, 'USD', 90_000_000n, 99_000_000n),
        change(2, 'EUR', 20_000_000n, 17_000_000n),
        change(1, 'EUR', 10_000_000n, 10_200_000n),
      ],
      proposals: ['7K3Q 40.00 EUR to 34.00 EUR (-15%)\n  Trail Shoes (campaign 21), Shop'],
      conditions: ['critical: Trail Shoes cost nothing (Shop, rule stopped-spending)', 'info: A', 'info: B', 'info: C'],
      targets: [],
      failedAccounts: ['Account Shop (1234567890)'],
      lostMessages: 1,
      alertsToNobody: 2,
      recordHead: '4:ab',
      sunset: 'v22 of the advertising interface ended on 2026-10-07',
    });
    expect(text).toMatchInlineSnapshot(`
      "Pacekeeper, 2026-11-21: since 2026-11-20 08:00
      v22 of the advertising interface ended on 2026-10-07: pacekeeper doctor
      5 budgets changed, 130.00 EUR to 112.20 EUR (-13.7%), 90.00 USD to 99.00 USD (+10%):
      - B5 …
      - B4 …
      - B3 …
      - and 2 more: pacekeeper budgets history
      1 change awaits approval:
      - 7K3Q 40.00 EUR to 34.00 EUR (-15%)
        Trail Shoes (campaign 21), Shop
      4 conditions firing:
      - critical: Trail Shoes cost nothing (Shop, rule stopped-spending)
      - info: A
      - info: B
      - and 1 more: pacekeeper alerts list
      1 account could not be read:
      - Account Shop (1234567890)
      1 message not confirmed as delivered: pacekeeper alerts list
      2 alerts went to nobody: pacekeeper alerts list --all
      Record 4:ab"
    `);
  });

  it('leaves room for other alerts in a message, however much there is to report', () => {
    const many = Array.from({ length: 10_000 }, () => 'x'.repeat(81));
    const changes = many.map((line) => ({ line, currency: 'EUR', from: 10n ** 18n, to: 10n ** 17n }));
    const facts = {
      since: '2026-11-20 08:00',
      recordHead: `4:${'a'.repeat(64)}`,
      sunset: undefined,
      changes,
      proposals: many,
      conditions: many,
      targets: [],
      failedAccounts: many,
    };
    const text = composeDigest(DAY, { ...facts, lostMessages: 10_000, alertsToNobody: 10_000 });
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toMatch(/\n10,000 alerts went to nobody: pacekeeper alerts list --all\nRecord 4:a{64}$/);
  });
});
