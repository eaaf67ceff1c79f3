import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateFile } from '../../src/store/open-state.ts';
import { dropQueryTable, ensureQueryTable } from '../../src/warehouse/evolve-table.ts';
import {
  contentsOf,
  freshState,
  integrityOf,
  load,
  NOW_MS,
  publishedWhole,
  publishTo,
  QUERIES,
  type QueryName,
  type SmallLoad,
  setAccount,
  writesOf,
} from './renewed.ts';

type Step =
  | { readonly kind: 'load'; readonly load: SmallLoad }
  | { readonly kind: 'account'; readonly account: number; readonly currency: string | null }
  | { readonly kind: 'rebuild'; readonly query: QueryName }
  | { readonly kind: 'days pass' };

const names = Object.keys(QUERIES) as QueryName[];
const small = (max: number) => fc.integer({ min: 0, max });
const loads: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('load' as const),
  load: fc
    .record({
      query: fc.constantFrom(...names),
      account: small(2),
      day: small(8),
      days: fc.integer({ min: 1, max: 3 }),
      rows: fc.array(fc.record({ offset: small(12), thing: small(7), name: small(4), clicks: small(3) }), {
        maxLength: 10,
      }),
    })
    // Now and then a day comes that was not asked for.
    .map(({ rows, ...rest }) => ({
      ...rest,
      rows: rows.map(({ offset, ...row }) => ({ ...row, day: rest.day + (offset === 12 ? 5 : offset % rest.days) })),
    })),
});
const steps = fc.oneof(
  { weight: 12, arbitrary: loads },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant('account' as const), account: small(2) },
      currency: fc.constantFrom('EUR', 'USD', null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const), query: fc.constantFrom(...names) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'days pass' as const }) },
);

async function take(state: StateFile, step: Exclude<Step, { kind: 'days pass' }>): Promise<void> {
  if (step.kind === 'load') return load(state, step.load);
  if (step.kind === 'account') return setAccount(state, step.account, step.currency);
  await dropQueryTable(state, step.query);
  await ensureQueryTable(state, QUERIES[step.query]);
}

describe('a file that is carried on', () => {
  it('holds what a file would that is written whole, whatever was loaded, renamed and taken away between', async () => {
    let carriedOn = 0;
    const rounds = fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rounds, async (played) => {
        const state = await freshState();
        for (const account of [0, 1]) setAccount(state, account, 'EUR');
        let nowMs = NOW_MS;
        let writes = 0;
        for (const round of played) {
          for (const step of round) {
            if (step.kind === 'days pass') nowMs += 2 * 86_400_000;
            else await take(state, step);
          }
          await publishTo(state, state.warehouse, nowMs);
          expect(contentsOf(state.warehouse)).toEqual(await publishedWhole(state, nowMs));
          expect(integrityOf(state.warehouse)).toBe('ok');
          if (writesOf(state.warehouse) > writes && writes > 0) carriedOn += 1;
          writes = writesOf(state.warehouse);
        }
        await state.close();
      }),
      { numRuns: Number(process.env.RUNS ?? 25) },
    );
    expect(carriedOn).toBeGreaterThan(20);
  }, 120_000);
});
