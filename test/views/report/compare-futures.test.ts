import { describe, expect, it } from 'vitest';
import { differenceText } from '../../../src/views/report/compare-futures.ts';

describe('the difference between two forecasts', () => {
  it.each<[what: string, now: bigint, before: bigint, text: string]>([
    ['an increase', 10_941n, 10_000n, '+9.4%'],
    ['a decrease', 9_059n, 10_000n, '-9.4%'],
    ['a larger decrease', 7_249n, 10_000n, '-27.5%'],
    ['a half of a tenth more', 10_005n, 10_000n, '+0.1%'],
    ['a half of a tenth less', 9_995n, 10_000n, '-0.1%'],
    ['less than half of a tenth less', 9_996n, 10_000n, '0.0%'],
    ['nothing left', 0n, 7n, '-100.0%'],
    ['no difference', 7n, 7n, '0.0%'],
    ['nothing to compare with', 7n, 0n, ''],
  ])('is rounded to the nearest tenth of a percent: %s', (_what, now, before, text) => {
    expect(differenceText(now, before)).toBe(text);
  });
});
