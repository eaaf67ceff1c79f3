import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysOf } from '../../../src/domain/civil-date.ts';
import { ensureQueryTable } from '../../../src/storage/warehouse/evolve-table.ts';
import { CUSTOMER, days, type Load, loadInto, queryOf, row, rowsOf, STATS, stateWith } from '../../extract/loads.ts';

const MON = '2026-11-16';
const TUE = '2026-11-17';
const WED = '2026-11-18';
const THU = '2026-11-19';
const FRI = '2026-11-20';
const A = [row(1, MON, 10), row(2, MON, 20)];
const B = [row(1, TUE, 30), row(2, TUE, 40)];
const C = [row(1, WED, 50)];
const WEEK = days(MON, WED);

describe('a slice that is loaded again', () => {
  it('may have chunks without rows', async () => {
    const state = await stateWith(STATS);
    const load = { days: WEEK, pieces: [[], A, [], B] };
    await loadInto(state, load);
    expect(await loadInto(state, load)).toMatchObject({ rows: 4n, written: 0n });
  });

  type Case = [sentence: string, written: bigint, before: readonly Load[], last: Load, rows: readonly unknown[]];
  const whole: Load = { days: WEEK, pieces: [A, B, C] };
  const all = [
    [MON, 1, 10],
    [MON, 2, 20],
    [TUE, 1, 30],
    [TUE, 2, 40],
    [WED, 1, 50],
  ];
  it.each<Case>([
    ['skips the same chunks', 0n, [whole], whole, all],
    ['however often', 0n, [whole, whole, whole], whole, all],
    ['skips the same chunks in another order', 0n, [whole], { days: WEEK, pieces: [C, A, B] }, all],
    [
      'loads only the changed chunk',
      1n,
      [whole],
      { days: WEEK, pieces: [A, [row(1, TUE, 31)], C] },
      [all[0], all[1], [TUE, 1, 31], all[4]],
    ],
    [
      'works after a failed load of other chunks',
      0n,
      [whole, { days: WEEK, pieces: [A, [row(1, TUE, 99)]], fails: true }],
      whole,
      all,
    ],
    ['works after a failed load without chunks', 0n, [whole, { days: WEEK, pieces: [], fails: true }], whole, all],
    [
      'works after a load of other days',
      5n,
      [whole, { days: days(FRI), pieces: [[row(1, FRI, 5)]] }],
      whole,
      [...all, [FRI, 1, 5]],
    ],
    ['works after a load of another account', 0n, [whole, { ...whole, customer: '2', pieces: [C] }], whole, all],
    [
      'moves rows to a slice with overlapping days',
      1n,
      [whole],
      { days: days(TUE, THU), pieces: [B, C, [row(1, THU, 60)]] },
      [...all, [THU, 1, 60]],
    ],
  ])('%s (%i rows written)', async (_sentence, written, before, last, rows) => {
    const state = await stateWith(STATS);
    for (const load of before) {
      if (load.fails) await expect(loadInto(state, load)).rejects.toThrow('broke off');
      else await loadInto(state, load);
    }
    const result = await loadInto(state, last);
    expect(rowsOf(state, 'date, campaign_id, clicks', `customer_id = ${CUSTOMER}`)).toEqual(rows);
    expect(result.rows).toBe(BigInt(last.pieces.flat().length));
    expect(result.written).toBe(written);
  });

  const SAME_KEY = /1 of \d rows have the same segments\.date, campaign\.id as another row\. Add a field to SELECT/;
  const UNASKED = /A row has the day 2026-11-17, but the query asks for 2026-11-20/;
  it.each<[sentence: string, load: Load, words: RegExp]>([
    ['the same row twice', { days: WEEK, pieces: [[...A, row(1, MON, 10)], B, C] }, SAME_KEY],
    ['two rows with one key in a chunk', { days: WEEK, pieces: [[...A, row(1, MON, 11)], B, C] }, SAME_KEY],
    ['a row of a known chunk again in a new one', { days: WEEK, pieces: [A, B, C, [row(1, MON, 11)]] }, SAME_KEY],
    ['a row of a new chunk again in a known one', { days: WEEK, pieces: [[row(1, MON, 11)], A, B, C] }, SAME_KEY],
    ['two new chunks with one key', { days: WEEK, pieces: [[row(1, MON, 11)], [row(1, MON, 13)], C] }, SAME_KEY],
    ['a chunk twice', { days: WEEK, pieces: [A, A] }, /2 of 4 rows have the same/],
    ['a new row of another day', { days: days(FRI), pieces: [[row(1, FRI, 5), row(3, TUE, 1)]] }, UNASKED],
    ['a known row of another day', { days: days(FRI), pieces: [[row(1, FRI, 5), row(1, TUE, 1)]] }, UNASKED],
    ['a known chunk of another day', { days: days(FRI), pieces: [B, [row(1, FRI, 5)]] }, UNASKED],
  ])('is refused with %s, and stays as it was', async (_sentence, load, words) => {
    const state = await stateWith(STATS);
    await loadInto(state, whole);
    await expect(loadInto(state, load)).rejects.toThrow(words);
    expect(rowsOf(state)).toEqual(all);
    expect(await loadInto(state, whole)).toMatchObject({ rows: 5n, written: 0n });
  });

  it('is loaded in full when its query gains a column, although the bytes are the same', async () => {
    const state = await stateWith(STATS);
    const wider =
      queryOf(`SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, segments.date FROM campaign
      WHERE segments.date DURING LAST_7_DAYS`);
    const withStatus = A.map((text) => text.replace('"name"', '"status":"ENABLED","name"'));
    await loadInto(state, { days: WEEK, pieces: [withStatus] });
    await ensureQueryTable(state, wider);
    const again = await loadInto(state, { query: wider, days: WEEK, pieces: [withStatus] });
    expect(again.written).toBe(2n);
    expect(rowsOf(state, 'campaign_id, campaign_status')).toEqual([
      [1, 'ENABLED'],
      [2, 'ENABLED'],
    ]);
    const narrow = await loadInto(state, { query: STATS, days: WEEK, pieces: [withStatus] });
    expect(narrow.written).toBe(2n);
  });
});

const DAYS = [MON, TUE, WED, THU, FRI];
const anyRow = fc
  .tuple(fc.integer({ min: 1, max: 2 }), fc.constantFrom(...DAYS.slice(0, 4)), fc.integer({ min: 0, max: 1 }))
  .map(([campaign, date, clicks]) => ({ campaign, date, clicks }));
const anyPiece = fc.array(anyRow, { minLength: 1, maxLength: 3 });
/** Indices into the pieces of the load before: what comes again does so in any order, twice, or not at all. */
const anyLoad = fc.record({
  customer: fc.constantFrom('1', '1', '1', '2'),
  first: fc.nat({ max: 3 }),
  length: fc.nat({ max: 3 }),
  again: fc.oneof(fc.constant('all' as const), fc.array(fc.nat({ max: 5 }), { maxLength: 6 })),
  fresh: fc.array(anyPiece, { maxLength: 2 }),
  freshFirst: fc.boolean(),
  fails: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
});

type Row = { readonly campaign: number; readonly date: string; readonly clicks: number };

describe('any sequence of loads', () => {
  it('keeps, for every day and key, the row from the last load of that day that was complete and unambiguous', async () => {
    const state = await stateWith(STATS);
    let account = 100;
    await fc.assert(
      fc.asyncProperty(fc.array(anyLoad, { minLength: 1, maxLength: 7 }), async (loads) => {
        account += 10;
        const model = new Map<string, Row>();
        let earlier: Row[][] = [];
        for (const { customer, first, length, again, fresh, freshFirst, fails } of loads) {
          const id = String(account + Number(customer));
          const range = days(DAYS[first] as string, DAYS[Math.min(4, first + length)]);
          const repeated =
            again === 'all' ? earlier : again.flatMap((index) => (earlier[index] ? [earlier[index]] : []));
          const pieces = freshFirst ? [...fresh, ...repeated] : [...repeated, ...fresh];
          const texts = pieces.map((piece) => piece.map((one) => row(one.campaign, one.date, one.clicks)));
          const load = loadInto(state, { customer: id, days: range, pieces: texts, fails });
          const came = pieces.flat();
          const asked = new Set<string>(daysOf(range));
          const keys = new Set(came.map(({ campaign, date }) => `${campaign} ${date}`));
          const isRefused = came.length > keys.size || came.some(({ date }) => !asked.has(date));
          if (fails || isRefused) {
            await expect(load).rejects.toThrow(fails ? 'broke off' : 'The answer was not stored');
            continue;
          }
          await load;
          earlier = pieces;
          for (const [key, { date }] of model) if (key.startsWith(`${id} `) && asked.has(date)) model.delete(key);
          for (const one of came) model.set(`${id} ${one.date} ${one.campaign}`, one);
        }
        const expected = [...model].map(([key, one]) => [
          Number(key.split(' ')[0]),
          one.date,
          one.campaign,
          one.clicks,
        ]);
        const where = `customer_id BETWEEN ${account} AND ${account + 9}`;
        const sorted = expected.map((values) => JSON.stringify(values)).sort();
        const found = rowsOf(state, 'customer_id, date, campaign_id, clicks', where);
        expect(found.map((values) => JSON.stringify(values)).sort()).toEqual(sorted);
      }),
      { numRuns: 200 },
    );
  });
});
