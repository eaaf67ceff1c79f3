import { describe, expect, it } from 'vitest';
import { BatchScanner } from '../../src/services/http/batch-scanner.ts';
import { byEffort } from '../support/effort.ts';
import { days, type Load, loadInto, queryOf, row, rowsOf, STATS, stateWith } from './loads.ts';

const DAY = '2026-11-19';
const WEEK = days('2026-11-16', '2026-11-22');
const ONE = row(1, DAY, 7);

/** The rows that are there after rows of these texts came. */
async function stored(texts: readonly string[], columns?: string, load: Partial<Load> = {}): Promise<unknown[]> {
  const state = await stateWith(load.query ?? STATS);
  await loadInto(state, { days: WEEK, pieces: [texts], ...load });
  return rowsOf(state, columns);
}

/** The failure of a load of these rows, after which the slice is as it was. */
async function refusal(texts: readonly string[] | string, load: Partial<Load> = {}): Promise<string> {
  const state = await stateWith(load.query ?? STATS);
  const good: Load = { days: WEEK, pieces: [], ...load };
  await loadInto(state, load.query ? good : { ...good, pieces: [[ONE]] });
  const before = rowsOf(state, '*');
  const failure = await loadInto(state, { ...good, pieces: [texts] }).then(
    () => 'was loaded',
    (error: Error) => error.message,
  );
  expect(rowsOf(state, '*')).toEqual(before);
  return failure;
}

describe('the day of a row', () => {
  it.each([
    ['that does not exist', '"2026-02-30"', 'its date is "2026-02-30", expected YYYY-MM-DD'],
    ['that does not exist, within the range', '"2026-11-190"', 'its date is "2026-11-190", expected'],
    ['that is empty', '""', 'its date is "", expected'],
    ['that is a word', '"yesterday"', 'its date is "yesterday", expected'],
    ['that has a time', '"2026-11-19T00:00:00Z"', 'its date is "2026-11-19T00:00:00Z", expected'],
    ['that is a number', '20261119', 'its date is "20261119", expected'],
    ['that is null', 'null', 'it has no segments.date'],
    ['that is true', 'true', 'it has true or false, but the query expects another type'],
    ['that is a list', '["2026-11-19"]', 'its date is "[\\"2026-11-19\\"]", expected'],
    ['that is shortened', '"2026-11-1"', 'its date is "2026-11-1", expected'],
    ['of another calendar', '"+002026-11-19"', 'its date is "+002026-11-19", expected'],
  ])('%s refuses the load with a reason', async (_, date, words) => {
    const bad = row(2, DAY, 1).replace(`"${DAY}"`, date);
    expect(await refusal([ONE, bad])).toContain(`A row of the stream cannot be stored: ${words}`);
  });

  it('that is missing refuses the load', async () => {
    expect(await refusal(['{"campaign":{"id":"1"},"segments":{}}'])).toContain('it has no segments.date');
  });

  it('outside the request refuses the load', async () => {
    expect(await refusal([ONE, row(1, '2026-10-01', 3)])).toBe(
      'The answer was not stored: A row has the day 2026-10-01, but the query asks for 2026-11-16 to 2026-11-22.',
    );
  });
});

describe('a number', () => {
  it.each([
    ['the smallest', '"-9223372036854775808"', '-9223372036854775808'],
    ['the largest', '"9223372036854775807"', '9223372036854775807'],
    ['the smallest, bare', '-9223372036854775808', '-9223372036854775808'],
    ['the largest, bare', '9223372036854775807', '9223372036854775807'],
    ['too precise for a float', '"9007199254740993"', '9007199254740993'],
    ['a whole number with an exponent', '1e3', '1000'],
    ['a whole number with an exponent, as text', '"1e3"', '1000'],
    ['negative zero', '-0', '0'],
    ['null', 'null', '0'],
  ])('of 64 bits is exact: %s', async (_, written, value) => {
    const rows = await stored([ONE.replace('"7"', written)], 'CAST(clicks AS TEXT)');
    expect(rows).toEqual([[value]]);
  });

  it.each([
    ['one more than the largest', '"9223372036854775808"'],
    ['one less than the smallest', '"-9223372036854775809"'],
    ['the same bare', '9223372036854775808'],
    ['far beyond', '1e30'],
    ['a fraction', '1.5'],
    ['a fraction as text', '"1.5"'],
    ['not a number', '"many"'],
    ['nothing', '""'],
    ['hexadecimal', '"0x10"'],
    ['a list', '[1]'],
    ['an object', '{"value":1}'],
    ['true', 'true'],
  ])('outside 64 bits refuses the load: %s', async (_, written) => {
    expect(await refusal([ONE.replace('"7"', written)])).toMatch(
      /cannot store (TEXT|REAL) value in INTEGER|true or false/,
    );
  });

  it('is zero for a missing metric, with its group or without', async () => {
    const bare = `{"campaign":{"id":"1"},"segments":{"date":"${DAY}"}}`;
    const empty = `{"campaign":{"id":"2"},"metrics":{},"segments":{"date":"${DAY}"}}`;
    expect(await stored([bare, empty], 'campaign_id, clicks, campaign_name')).toEqual([
      [1, 0, null],
      [2, 0, null],
    ]);
  });
});

describe('true and false', () => {
  const CRITERIA = queryOf(`SELECT ad_group.id, ad_group_criterion.criterion_id, ad_group_criterion.negative,
    ad_group_criterion.keyword.text FROM ad_group_criterion`);
  const criterion = (negative: string, text = '"k"') =>
    `{"adGroup":{"id":"1"},"adGroupCriterion":{"criterionId":"2","negative":${negative},"keyword":{"text":${text}}}}`;
  const load = { query: CRITERIA, days: undefined };

  it.each([
    ['true', 1],
    ['false', 0],
    ['null', null],
  ])('are stored in a boolean field: %s', async (written, value) => {
    expect(await stored([criterion(written)], 'ad_group_criterion_negative', load)).toEqual([[value]]);
  });

  it('are text in a text field', async () => {
    expect(await stored([criterion('true', '"true, false"')], 'ad_group_criterion_keyword_text', load)).toEqual([
      ['true, false'],
    ]);
  });

  it.each([
    ['a text', criterion('true', 'true')],
    ['an id', criterion('true').replace('"2"', 'false')],
    ['an invalid word', criterion('"TRUE"')],
  ])('are refused in fields of other types, and other values in boolean fields: %s', async (_, text) => {
    expect(await refusal([text], load)).toMatch(/true or false|cannot store TEXT value in INTEGER/);
  });
});

describe('a row', () => {
  it.each([
    ['without the group of its id', `{"metrics":{},"segments":{"date":"${DAY}"}}`, 'it has no campaign.id'],
    ['without its id', ONE.replace('"id":"1",', ''), 'it has no campaign.id'],
    ['that is a text', '"row"', 'malformed JSON'],
    ['that is a list', `[${ONE}]`, 'it is not an object'],
    ['that is null', 'null', 'it is not an object'],
    [
      'nested deeper than SQLite allows',
      ONE.replace('"7"', `${'['.repeat(1001)}${']'.repeat(1001)}`),
      'malformed JSON',
    ],
  ])('%s refuses the load with a reason', async (_, text, words) => {
    expect(await refusal([text])).toContain(`A row of the stream cannot be stored: ${words}`);
  });

  it.each([
    ['no comma', `[${ONE} ${ONE}]`],
    ['text after it', `[${ONE}] []`],
    ['the wrong bracket', `[${ONE.slice(0, -1)}]]`],
  ])('with %s refuses the load', async (_, piece) => {
    expect(await refusal(piece)).toContain('cannot be stored: malformed JSON');
  });

  it('may have unrequested fields, also nested ones', async () => {
    const deep = ONE.replace(/}$/, `,"other":${'['.repeat(900)}${']'.repeat(900)},"campaigns":{"id":9}}`);
    expect(await stored([deep])).toEqual([[DAY, 1, 7]]);
  });

  it('with a duplicate key is loaded with the same one of the two every time', async () => {
    const twice = ONE.replace('"clicks":"7"', '"clicks":"7","clicks":"8"');
    expect(await stored([twice])).toEqual(await stored([twice]));
  });
});

describe('a missing segment of the key', () => {
  const DEVICES =
    queryOf(`SELECT campaign.id, segments.device, segments.hour, metrics.clicks, segments.date FROM campaign
    WHERE segments.date DURING LAST_7_DAYS`);

  it('is stored as an empty value, so that a repeated row is stored once', async () => {
    const state = await stateWith(DEVICES);
    const load = { query: DEVICES, days: WEEK };
    await loadInto(state, { ...load, pieces: [[ONE.replace('"7"', '"8"')]] });
    await loadInto(state, { ...load, pieces: [[ONE.replace('"7"', '"9"')]] });
    expect(rowsOf(state, 'device, hour, clicks')).toEqual([['', 0, 9]]);
  });
});

describe('a table without a key', () => {
  const LOOSE = queryOf(`SELECT campaign.name, metrics.clicks, segments.date FROM campaign
    WHERE segments.date DURING LAST_7_DAYS`);

  it('keeps all rows, including duplicates, and is replaced slice by slice', async () => {
    const state = await stateWith(LOOSE);
    const load = { query: LOOSE, days: WEEK };
    const early = { query: LOOSE, days: days('2026-11-15'), pieces: [[row(1, '2026-11-15', 1)]] };
    await loadInto(state, early);
    await loadInto(state, { ...load, customer: '2', pieces: [[ONE]] });
    await loadInto(state, { ...load, pieces: [[ONE, ONE], [ONE]] });
    const here = 'customer_id <> 2';
    expect(rowsOf(state, 'date, clicks', here)).toEqual([
      ['2026-11-15', 1],
      [DAY, 7],
      [DAY, 7],
      [DAY, 7],
    ]);
    const again = await loadInto(state, { ...load, pieces: [[ONE, ONE]] });
    expect(again).toMatchObject({ rows: 2n, written: 2n });
    expect(rowsOf(state, 'date, clicks', here)).toEqual([
      ['2026-11-15', 1],
      [DAY, 7],
      [DAY, 7],
    ]);
    await expect(loadInto(state, { ...load, pieces: [[row(1, '2026-11-15', 4)]] })).rejects.toThrow(
      'A row has the day 2026-11-15',
    );
    expect(rowsOf(state, 'date, clicks', here)).toHaveLength(3);
    expect(rowsOf(state, 'date, clicks', 'customer_id = 2')).toEqual([[DAY, 7]]);
  });

  it('refuses a row without a day, because every run would add it again', async () => {
    const state = await stateWith(LOOSE);
    const dayless = '{"campaign":{"name":"c"},"metrics":{"clicks":"1"}}';
    const load = { query: LOOSE, days: WEEK, pieces: [[ONE, dayless]] };
    await expect(loadInto(state, load)).rejects.toThrow('it has no segments.date');
    expect(rowsOf(state, 'date, clicks', '1')).toEqual([]);
  });
});

describe('a text', () => {
  const named = (json: string) => ONE.replace('"c1"', json);
  it.each([
    ['a pair of escapes', '"\\ud83d\\udc5f"', '👟'],
    ['half of a pair', '"a\\ud83db"', 'a\ufffdb'],
    ['NUL', '"a\\u0000b"', 'a\ufffdb'],
    ['an escaped backslash before u', '"\\\\u0000"', '\\u0000'],
    ['quotes and brackets', '"\\"}],[{\\""', '"}],[{"'],
    ['a literal as text', '"null"', 'null'],
  ])('is stored unchanged: %s', async (_, json, text) => {
    expect(await stored([named(json)], 'campaign_name')).toEqual([[text]]);
  });

  it('is complete wherever the network splits it', async () => {
    const text = 'Läufer 👟 東京 𝄞 \\u0041';
    const bytes = Buffer.from(`[{"results":[${named(JSON.stringify(text))}]}]`);
    const state = await stateWith(STATS);
    for (let cut = 1; cut < bytes.length; cut++) {
      const scanner = new BatchScanner();
      // Copies, as each chunk of a network has memory of its own.
      const events = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap((chunk) =>
        scanner.push(Uint8Array.from(chunk)),
      );
      scanner.end();
      const pieces = events.filter(({ kind }) => kind === 'rows').map(({ json }) => Buffer.from(json).toString());
      await loadInto(state, { days: WEEK, pieces: [[ONE]] });
      await loadInto(state, { days: WEEK, pieces });
      expect(rowsOf(state, 'campaign_name')).toEqual([[text]]);
    }
  });

  it.each(byEffort({ quick: [5], thorough: [5, 50] }))('of %d MB is stored like any other', async (megabytes) => {
    const state = await stateWith(STATS);
    const length = megabytes * 1024 * 1024;
    const long = named(`"${'x'.repeat(length)}"`);
    await loadInto(state, { days: WEEK, pieces: [[long]] });
    expect(rowsOf(state, 'campaign_id, length(campaign_name)')).toEqual([[1, length]]);
  });
});
