import { describe, expect, it } from 'vitest';
import { readSoakOptions } from '../../bench/soak/read-soak-options.ts';
import { type Curve, judgeCurve, type SoakHour } from '../../bench/soak/soak-hour.ts';

const EMPTY: SoakHour = {
  hour: 0,
  seconds: 0,
  runPeakMiB: 0,
  runDescriptors: 0,
  daemonMiB: 0,
  daemonDescriptors: 0,
  serveMiB: 0,
  serveDescriptors: 0,
  walMiB: 0,
  stateMiB: 0,
  warehouseMiB: 0,
  inboxMiB: 0,
  files: 0,
};
const MEMORY: Curve = { name: 'daemonMiB', title: 'memory', unit: 'MiB', ratioMax: 1.1 };
const hoursOf = (values: readonly number[]) => values.map((daemonMiB, at) => ({ ...EMPTY, hour: at + 1, daemonMiB }));

const EACH = { account: 10, webhook: 200 };

describe('a curve of the soak', () => {
  it.each([
    ['that stays level is flat', [80, 80, 80, 80, 80, 80, 80, 80], 1, true],
    ['that grows only in the first quarter is flat', [40, 60, 80, 80, 80, 80, 80, 80], 1, true],
    ['that peaks between the judged quarters is flat', [80, 80, 80, 80, 200, 200, 80, 80], 1, true],
    ['that grows within the limit is flat', [80, 80, 100, 100, 100, 100, 110, 110], 1.1, true],
    ['that grows a little every hour is not flat', [80, 82, 84, 86, 88, 90, 94, 99], 193 / 170, false],
    ['that jumps at the end is not flat', [80, 80, 80, 80, 80, 80, 80, 120], 1.25, false],
    ['of zeros is flat', [0, 0, 0, 0], 1, true],
    ['that starts late is not flat', [0, 0, 0, 5], Number.POSITIVE_INFINITY, false],
    ['with an unknown value is not flat', [80, Number.NaN, 80, 80], Number.NaN, false],
  ])('%s', (_, values, ratio, flat) => {
    const judged = judgeCurve(MEMORY, hoursOf(values), EACH);
    expect([judged.ratio, judged.flat]).toEqual([ratio, flat]);
  });

  it('with frequent gaps is judged by its maximum', () => {
    const highest = { ...MEMORY, byHighest: true };
    expect(judgeCurve(highest, hoursOf([50, 50, 130, 50, 50, 50, 130, 130]), EACH)).toMatchObject({
      ratio: 1,
      flat: true,
    });
    expect(judgeCurve(highest, hoursOf([50, 50, 130, 50, 50, 50, 50, 150]), EACH).flat).toBe(false);
  });

  it.each([
    ['by less than a run may record per account', 1_000, true],
    ['by exactly that much', 2_000, true],
    ['by more than that', 2_001, false],
    ['by nothing', 0, true],
  ])('that may grow with the runs is judged by bytes: %s', (_, grown, flat) => {
    const curve = { ...MEMORY, ratioMax: Number.POSITIVE_INFINITY, grownMax: 2_000 };
    // Ten accounts, a run an hour; what the first quarter fills counts for nothing.
    const sizes = [1, 2, 3, 4, 5, 6, 7, 8].map((hour) => (hour > 2 ? 50 : 0) + (hour * grown * 10) / 2 ** 20);
    const judged = judgeCurve(curve, hoursOf(sizes), EACH);
    expect([Math.round(judged.grown ?? Number.NaN), judged.flat]).toEqual([grown, flat]);
  });

  it('that may grow with arriving data is judged by that', () => {
    const curve = { ...MEMORY, ratioMax: Number.POSITIVE_INFINITY, grownMax: 500, grownWith: 'webhook' } as const;
    const sizes = [1, 2, 3, 4, 5, 6, 7, 8].map((hour) => (hour * 400 * EACH.webhook) / 2 ** 20);
    expect(judgeCurve(curve, hoursOf(sizes), EACH)).toMatchObject({ flat: true });
    expect(judgeCurve({ ...curve, grownMax: 399 }, hoursOf(sizes), EACH)).toMatchObject({ flat: false });
  });

  it('with fewer hours than quarters is not judged', () => {
    expect(() => judgeCurve(MEMORY, hoursOf([80, 80, 80]), EACH)).toThrow('found 3 hours, expected at least 4');
  });
});

describe('the options of the soak', () => {
  it('default to a day of a thousand accounts, with the page', () => {
    expect(readSoakOptions([])).toEqual({
      kind: 'options',
      sizes: { accounts: 1000, hours: 24, latencyMs: 50, webhooks: 200 },
      page: 'docs/benchmarks.md',
      command: 'npm run soak',
    });
  });

  it('for a smaller size skip the page, unless it is named', () => {
    expect(readSoakOptions(['--accounts', '999'])).toMatchObject({ page: undefined });
    expect(readSoakOptions(['--hours', '23'])).toMatchObject({ page: undefined });
    expect(readSoakOptions(['--hours', '8', '--page', 'mine.md'])).toMatchObject({ page: 'mine.md' });
  });

  it.each([
    ['fewer hours than quarters', ['--hours', '3'], 'Reading --hours: found 3, expected at least 4, a quarter each.'],
    ['no account', ['--accounts', '0'], 'Reading --accounts: found 0, expected a whole number from 1 on.'],
    ['an unknown option', ['--account', '5'], "Unknown option '--account'"],
  ])('refuse %s', (_, args, message) => {
    const read = readSoakOptions(args);
    expect(read.kind === 'wrong' && read.message).toContain(message);
  });
});
