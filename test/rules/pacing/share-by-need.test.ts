import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Sharing, shareByNeed } from '../../../src/language/rules/pacing/share-amount.ts';
import { byEffort } from '../../support/effort.ts';

const part = (need: bigint, least = 0n, most?: bigint): Sharing => ({ need, least, most });

it.each<[string, bigint, Sharing[], bigint[]]>([
  ['by need', 100n, [part(3n), part(1n)], [75n, 25n]],
  ['what rounding leaves to the largest remainder', 10n, [part(1n), part(1n), part(1n)], [4n, 3n, 3n]],
  ['equally where none needs anything', 10n, [part(0n), part(0n)], [5n, 5n]],
  ['what one may not have to the others', 100n, [part(9n, 0n, 50n), part(1n)], [50n, 50n]],
  ['what one must have before the others', 100n, [part(0n, 10n), part(1n)], [10n, 90n]],
  ['less where all are at their most', 100n, [part(1n, 0n, 20n), part(1n, 0n, 30n)], [20n, 30n]],
  ['more only where all are at their least', 10n, [part(1n, 8n), part(1n, 8n)], [8n, 8n]],
])('shares %s', (_, sum, parts, expected) => {
  expect(shareByNeed(sum, parts)).toEqual(expected);
});

it('adds up to the sum within any bounds', () => {
  const parts = fc.array(
    fc
      .record({
        need: fc.bigInt({ min: 0n, max: 10n ** 12n }),
        least: fc.bigInt({ min: 0n, max: 500n }),
        room: fc.option(fc.bigInt({ min: 0n, max: 500n }), { nil: undefined }),
      })
      .map(({ need, least, room }) => part(need, least, room === undefined ? undefined : least + room)),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 5_000n }), parts, (sum, all) => {
      const shares = shareByNeed(sum, all);
      const total = shares.reduce((one, other) => one + other, 0n);
      shares.forEach((share, index) => {
        const { least = 0n, most } = all[index] ?? {};
        expect(share).toBeGreaterThanOrEqual(least);
        if (most !== undefined) expect(share).toBeLessThanOrEqual(most);
      });
      const least = all.reduce((one, other) => one + other.least, 0n);
      const isBounded = all.every(({ most }) => most !== undefined);
      const most = isBounded ? all.reduce((one, other) => one + (other.most ?? 0n), 0n) : undefined;
      const expected = sum < least ? least : most !== undefined && sum > most ? most : sum;
      expect(total).toBe(expected);
    }),
    { numRuns: byEffort({ quick: 200, thorough: 500 }) },
  );
});
