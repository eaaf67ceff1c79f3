import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { rational } from '../../src/domain/rational.ts';
import { rateText, shownRate } from '../../src/language/rules/pacing/pace-words.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { NOON, writeFolder } from '../support/world.ts';

const SPEND = `SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date
FROM campaign WHERE segments.date DURING LAST_30_DAYS`;

const WHOLE = {
  description: 'Northwind buys 40,000 EUR a month.',
  currency: 'EUR',
  amount: '40000',
  members: '[{ account: 4081725530 }, { account: 735-092-6148 }]',
  limits: '{ floor: 5 }',
};

const textOf = (keys: Readonly<Record<string, string | undefined>>) =>
  Object.entries(keys)
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}\n`]))
    .join('');

const RATES = 'date,from,to,rate\n2026-11-19,GBP,EUR,1.17\n2026-11-19,USD,EUR,0.92\n2026-11-19,EUR,JPY,165\n';

interface Files {
  readonly targets?: Readonly<Record<string, string>>;
  readonly rules?: Readonly<Record<string, string>>;
  readonly beside?: Readonly<Record<string, string>>;
}

function folderWith({ targets = {}, rules = {}, beside = {} }: Files): string {
  const folder = tempDir();
  writeFolder(folder, 'queries', {
    'campaign_days.sql': SPEND,
    'campaign_values.sql': SPEND.replace('metrics.clicks', 'metrics.conversions_value'),
  });
  writeFolder(folder, 'rules', rules);
  writeFolder(folder, 'targets', targets);
  for (const [name, text] of Object.entries(beside)) writeFileSync(join(folder, name), text);
  return folder;
}

/** What `pacekeeper check` finds: file, line and message of each error and warning. */
async function found(files: Files): Promise<string[]> {
  const { stdout } = await runInProcess(['check', '--format', 'json'], {
    folder: folderWith(files),
    env: { PACEKEEPER_NOW: NOON },
  });
  interface Shown {
    readonly file: string;
    readonly diagnostics: readonly { readonly start: { readonly line: number }; readonly message: string }[];
  }
  const { files: shown } = JSON.parse(stdout) as { readonly files: readonly Shown[] };
  return shown.flatMap(({ file, diagnostics }) =>
    diagnostics.map(
      ({ start, message }) => `${file.replace(/^.*?\/(?=targets\/|[^/]+$)/, '')}:${start.line} ${message}`,
    ),
  );
}

describe('a target’s file', () => {
  it('of two accounts has no findings', async () => {
    expect(await found({ targets: { 'northwind.yaml': textOf(WHOLE) } })).toEqual([]);
  });

  it.each<[what: string, changes: Readonly<Record<string, string | undefined>>, message: RegExp]>([
    ['no account', { members: '[]' }, /^targets\/a\.yaml:4 .*expected at least one account/],
    [
      'an account twice',
      { members: '[{ account: 4081725530 }, { account: 408-172-5530 }]' },
      /:4 .* is a member already/,
    ],
    ['no currency', { currency: undefined }, /"currency" is missing/],
    ['an amount of 0', { amount: '0' }, /:3 Found "0" for "amount"/],
    ['a month and days', { month: '2026-12', from: '2026-12-01', to: '2026-12-24' }, /has "month" and days of its own/],
    ['a month and a year', { year: '2026', month: '2026-12' }, /has "month" and "year"/],
    [
      'a year of which the query reads a month',
      { year: '2026' },
      /:3 "from 2026-01-01 to 2026-12-31" starts 364 days ago/,
    ],
    [
      'pauses on all days',
      { month: '2026-12', pauses: '[{ from: 2026-11-20, to: 2027-01-03 }]' },
      /:7 Every day from 2026-12-01 to 2026-12-31 has the weight 0/,
    ],
    [
      'shares that do not add up',
      {
        split: 'shares',
        members: '[{ account: 4081725530, share: 60% }, { account: 7350926148, share: 39.999999% }]',
      },
      /:4 The shares add up to 99.999999%, expected 100%/,
    ],
    [
      'a share missing',
      { split: 'shares', members: '[{ account: 4081725530, share: 100% }, { account: 7350926148 }]' },
      /:4 The account 7350926148 has no fixed share/,
    ],
    [
      'bounds that cannot add up',
      {
        split: 'return',
        table: 'campaign_values',
        members: '[{ account: 4081725530, share: 20% to 40% }, { account: 7350926148, share: 10% to 50% }]',
      },
      /:4 The shares add up to 30% to 90%, expected 100%/,
    ],
    [
      'return without values',
      { split: 'return' },
      /:6 "split: return" needs metrics.conversions_value in the query campaign_days/,
    ],
    ['a share without a split', { members: '[{ account: 4081725530, share: 60% }]' }, /:4 .* has no "split: shares"/],
    ['no last day', { from: '2026-12-01' }, /"to" is missing/],
    ['days the wrong way round', { from: '2026-12-24', to: '2026-12-01' }, /expected 2026-12-24 or later/],
    ['an unknown table', { table: 'nowhere' }, /No query or model gives a table "nowhere"/],
    ['an unknown column', { members: '[{ account: 4081725530, where: "campaign_nam = 1" }]' }, /:4 .*campaign_nam/],
    [
      'a floor above the ceiling',
      { limits: '{ floor: 9, ceiling: 5 }' },
      /:5 The floor of 9 is above the ceiling of 5/,
    ],
    ['money carried over', { rollover: 'both' }, /Unknown setting "rollover"/],
  ])('is refused with %s', async (_what, changes, message) => {
    const messages = await found({ targets: { 'a.yaml': textOf({ ...WHOLE, ...changes }) } });
    expect(messages).toEqual([expect.stringMatching(message)]);
  });

  it('is refused with the name of a rule', async () => {
    const rule =
      'description: Paces.\nfrom: campaign_days\nfor: account\ncurrency: EUR\nchange: pace budget to 900 per month\nlimits: { floor: 5 }\n';
    expect(await found({ rules: { 'a.yaml': rule }, targets: { 'a.yaml': textOf(WHOLE) } })).toEqual([
      'targets/a.yaml:1 A rule or target has the name "a".',
    ]);
  });
});

const MOVING = {
  description: 'The best campaigns get the money of the worst.',
  currency: 'EUR',
  amount: undefined,
  reallocate: 'conversions_value / cost',
  over: '14 days',
  table: 'campaign_values',
  members: '[{ account: 4081725530 }]',
  limits: '{ step: 10%, floor: 5 }',
};

describe('a target that reallocates', () => {
  it('has no findings', async () => {
    expect(await found({ targets: { 'a.yaml': textOf(MOVING) } })).toEqual([]);
  });

  it.each<[what: string, changes: Readonly<Record<string, string | undefined>>, message: RegExp]>([
    ['no value and no amount', { reallocate: undefined, over: undefined }, /^targets\/a\.yaml:1 "amount" is missing/],
    ['an amount as well', { amount: '40000' }, /Found "amount" and "reallocate", expected one of them/],
    ['an amount and days of the value', { amount: '40000', reallocate: undefined }, /"over" is only for "reallocate"/],
    ['no members', { members: '[]' }, /:6 .*expected at least one account/],
    ['a text', { reallocate: 'campaign_name' }, /:3 Found text, expected a number such as conversions_value \/ cost/],
    ['a condition', { reallocate: 'clicks > 3' }, /:3 Found ">", expected/],
    ['a fixed number', { reallocate: '3' }, /:3 Found no metric, expected a number/],
    ['half a value', { reallocate: 'clicks /' }, /:3 The value ends too early/],
    ['a column that the table lacks', { table: 'campaign_days' }, /:3 .*"conversions_value"/],
    ['no days', { over: undefined }, /:3 .*"over"/],
    ['days that the table lacks', { over: '60 days' }, /:4 /],
    ['no step', { limits: '{ floor: 5 }' }, /:7 "limits.step" is missing/],
    ['no limits', { limits: undefined }, /"limits.step" is missing/],
    ['a step of 0%', { limits: '{ step: 0%, floor: 5 }' }, /:7 A step of 0% allows no change/],
    ['a step of 100%', { limits: '{ step: 100%, floor: 5 }' }, /:7 A step of 100% or more/],
    ['a month', { month: '2026-12' }, /:8 "month" is only for targets with an amount/],
    ['a share', { members: '[{ account: 4081725530, share: 60% }]' }, /:6 .* has no "split: shares"/],
  ])('is refused with %s', async (_what, changes, message) => {
    const messages = await found({ targets: { 'a.yaml': textOf({ ...MOVING, ...changes }) } });
    expect(messages).toEqual([expect.stringMatching(message)]);
  });

  it('has no campaigns of another target', async () => {
    const files = { 'a.yaml': textOf(WHOLE), 'b.yaml': textOf(MOVING) };
    expect(await found({ targets: files })).toEqual([
      expect.stringMatching(/^targets\/b\.yaml:3 The target a has the same campaigns of account 4081725530/),
    ]);
  });

  it('is no rule', async () => {
    const rule = textOf({ description: 'Moves.', from: 'campaign_values', for: 'account', reallocate: 'clicks' });
    expect(await found({ rules: { 'a.yaml': rule } })).toContainEqual(expect.stringContaining('"reallocate"'));
  });
});

describe('two targets with the same account', () => {
  const other = (where: string, days: Readonly<Record<string, string>> = {}) =>
    textOf({ ...WHOLE, ...days, members: `[{ account: 408-172-5530${where} }]` });
  const BRAND = `, where: "campaign_name LIKE 'Brand%'"`;
  const GENERIC = `, where: "campaign_name LIKE 'Generic%'"`;

  it.each<[what: string, one: string, two: string, messages: RegExp[]]>([
    [
      'all campaigns',
      other(''),
      other(''),
      [/^targets\/b\.yaml:3 The target a has the same campaigns of account 4081725530/],
    ],
    ['the same "where"', other(BRAND), other(BRAND), [/The target a has the same campaigns/]],
    ['one "where"', other(BRAND), other(''), [/The target a has some of the same campaigns/]],
    ['two "where"', other(BRAND), other(GENERIC), []],
    ['other months', other('', { month: '2026-12' }), other('', { month: '2027-01' }), []],
    ['a month of its own', other(''), other('', { month: '2027-01' }), [/The target a has the same campaigns/]],
  ])('and %s', async (_what, one, two, messages) => {
    expect(await found({ targets: { 'a.yaml': one, 'b.yaml': two } })).toEqual(
      messages.map((message) => expect.stringMatching(message)),
    );
  });
});

describe('targets.csv', () => {
  const csv = (...rows: readonly string[]) => ({
    beside: { 'targets.csv': ['name;currency;amount;members;floor', ...rows, ''].join('\n') },
  });

  it('has a target in each row, and may begin with a byte order mark', async () => {
    const files = csv('north;EUR;3000;4081725530;5', '"south";EUR;900.50;6193047821 7350926148;5');
    expect(await found(files)).toEqual([]);
    expect(await found({ beside: { 'targets.csv': `\ufeff${files.beside['targets.csv']}` } })).toEqual([]);
  });

  it('has shares beside its members', async () => {
    const text = 'name,currency,amount,members,split,floor\nnorth,EUR,900,4081725530:60% 7350926148:40%,shares,5\n';
    expect(await found({ beside: { 'targets.csv': text } })).toEqual([]);
    expect(await found({ beside: { 'targets.csv': text.replace('40%', '30%') } })).toEqual([
      'targets.csv:2 The shares add up to 90%, expected 100%.',
    ]);
    expect(await found({ beside: { 'targets.csv': text.replace('60%', '60') } })).toEqual([
      expect.stringMatching(/csv:2 Found "4081725530:60 7350926148:40%" for "members", expected a percentage/),
    ]);
  });

  it('is refused with all its errors at once, each with its line', async () => {
    expect(await found(csv('west;EUR;10;4081725530'))).toEqual(['targets.csv:2 Found 4 cells, expected 5.']);
    const messages = await found(
      csv('north;EUR;3000,50;4081725530;5', 'north;EUR;;4081725530;5', 'south;EU;10;4081725530;5'),
    );
    expect(messages).toEqual([
      'targets.csv:2 Found "3000,50" for "amount", expected a point: 3000.50.',
      expect.stringMatching(/csv:3 "amount" is missing/),
      expect.stringMatching(/csv:4 Found "EU" for "currency"/),
    ]);
  });

  it('is refused with a name twice, a wrong column, and half a row', async () => {
    expect(await found(csv('north;EUR;900;4081725530;5', 'north;EUR;900;4081725530;5'))).toEqual([
      expect.stringMatching(/csv:3 Another row has the name "north"/),
    ]);
    expect(await found({ beside: { 'targets.csv': 'name,currency,amont,members\n' } })).toEqual([
      expect.stringMatching(/csv:1 The column "amount" is missing/),
      expect.stringMatching(/csv:1 Unknown column "amont"/),
    ]);
    expect(await found(csv('north;EUR;9;"4081725530'))).toEqual([expect.stringMatching(/csv:\d+ Invalid CSV/)]);
  });

  it('is refused with half a last row, an account twice, and no customer id', async () => {
    const half = 'name,currency,amount,members,floor\nnorth,EUR,900,4081725530,5\nsouth,EUR,900,73509';
    expect(await found({ beside: { 'targets.csv': half } })).toEqual(['targets.csv:3 Found 4 cells, expected 5.']);
    expect(await found(csv('north;EUR;900;northwind;5'))).toEqual([
      expect.stringMatching(/csv:2 Found "northwind" for "members", expected a customer id/),
    ]);
    expect(await found(csv('north;EUR;900;4081725530 408-172-5530;5'))).toEqual([
      'targets.csv:2 The account 4081725530 is a member already.',
    ]);
  });

  it('may have a thousand rows', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => `client ${index};EUR;900;${4_000_000_000 + index};5`);
    expect(await found(csv(...rows))).toEqual([]);
    expect(await found(csv(...rows, 'client 7;EUR;900;4081725530;5'))).toEqual([
      'targets.csv:1002 Another row has the name "client 7".',
    ]);
  });

  it('ends what awaits approval only for the rows that changed', async () => {
    const rowsOf = (south: number) =>
      `name,currency,amount,members,floor,mode\nnorth,EUR,3000,4081725530,5,approve\nsouth,GBP,${south},7350926148,5,approve\n`;
    const folder = folderWith({ beside: { 'targets.csv': rowsOf(3000) } });
    const customers = ['--customer', '4081725530', '--customer', '7350926148'];
    const codesAt = async (now: string) => {
      const options = { folder, env: { PACEKEEPER_NOW: now } };
      expect((await runInProcess(['report', '--no-extract', ...customers], options)).code).toBe(0);
      const { stdout } = await runInProcess(['budgets', 'list', '--format', 'json'], options);
      const { proposals } = JSON.parse(stdout) as {
        readonly proposals: readonly { readonly rule: string; readonly code: string }[];
      };
      const codesOf = (name: string) => proposals.flatMap(({ rule, code }) => (rule === name ? [code] : [])).sort();
      return { north: codesOf('north'), south: codesOf('south') };
    };
    await runInProcess(['extract', ...customers], { folder, env: { PACEKEEPER_NOW: NOON } });
    const before = await codesAt('2026-11-20T12:00:00Z');
    writeFileSync(join(folder, 'targets.csv'), rowsOf(4000));
    const after = await codesAt('2026-11-20T13:00:00Z');
    expect(before.north).not.toHaveLength(0);
    expect(after.north).toEqual(before.north);
    expect(after.south).toHaveLength(before.south.length);
    expect(after.south).not.toEqual(before.south);
  });
});

describe('exchange_rates.csv', () => {
  it('is refused with two rates for a day, also in both directions', async () => {
    const text = 'date,from,to,rate\n2026-11-19,GBP,EUR,1.17\n2026-11-19,EUR,GBP,0.85\n';
    expect(await found({ beside: { 'exchange_rates.csv': text } })).toEqual([
      expect.stringMatching(/csv:3 Another row has the rate of 2026-11-19 EUR GBP\./),
    ]);
  });

  it.each([
    ['1 JPY = 0.006 EUR on 2026-11-19', rational(6n, 1000n)],
    ['1 EUR = 165 JPY on 2026-11-19', rational(1n, 165n)],
    ['1 JPY = 0.428571 EUR on 2026-11-19', rational(3n, 7n)],
  ])('has rates that are shown as they were written: %s', (words, rate) => {
    expect(rateText(shownRate({ date: civilDate('2026-11-19'), from: 'JPY', to: 'EUR', rate }))).toBe(words);
  });

  it('is refused with a rate of zero, an unknown currency and a wrong day', async () => {
    const text = 'date,from,to,rate\n2026-11-19,GBP,EUR,0\n2026-11-19,GBP,EURO,1.2\n19.11.2026,GBP,EUR,1.2\n';
    expect(await found({ beside: { 'exchange_rates.csv': text } })).toEqual([
      expect.stringMatching(/csv:2 Found "0" for "rate", expected a number above 0/),
      expect.stringMatching(/csv:3 Found "EURO" for "to"/),
      expect.stringMatching(/csv:4 Found "19.11.2026" for "date"/),
    ]);
  });
});

describe('four accounts in four currencies', () => {
  const MEMBERS =
    '[{ account: 4081725530 }, { account: 7350926148 }, { account: 6193047821 }, { account: 9264813507 }]';
  const northwind = { 'northwind.yaml': textOf({ ...WHOLE, members: MEMBERS, limits: '{ floor: 5, ceiling: 800 }' }) };
  const pacing = async (rates: string, settings = '') => {
    const beside = { 'exchange_rates.csv': rates, 'pacekeeper.yaml': settings };
    const folder = folderWith({ targets: northwind, beside });
    const options = { folder, env: { PACEKEEPER_NOW: NOON } };
    expect((await runInProcess(['extract'], options)).code).toBe(0);
    const { stdout } = await runInProcess(['pacing', '--format', 'json'], options);
    return JSON.parse(stdout);
  };

  it('have one target, whose changes together cost what is left of it', async () => {
    const { targets } = await pacing(RATES);
    expect(targets).toHaveLength(1);
    const [{ customer_id, currency, decisions, state, target_micros, spent_micros, should_be_micros }] = targets;
    expect([customer_id, currency, state, target_micros]).toEqual([null, 'EUR', 'high', 40_000_000_000]);
    expect(new Set(decisions.map((one: { currency: string }) => one.currency)).size).toBe(4);
    const left = (BigInt(target_micros) - BigInt(spent_micros)) / 11n;
    expect(BigInt(should_be_micros)).toBeLessThanOrEqual(left);
    expect(BigInt(should_be_micros)).toBeGreaterThan((left * 99n) / 100n);
  });

  it('are left alone if a rate is missing or old, by name', async () => {
    const withoutGbp = RATES.replace(/.*GBP.*\n/, '');
    const old = RATES.replace('2026-11-19,GBP', '2026-11-12,GBP');
    for (const [rates, why] of [
      [withoutGbp, 'no exchange rate of GBP to EUR is known'],
      [old, 'the newest exchange rate of GBP to EUR is of 2026-11-12, older than 7 days'],
    ] as const) {
      const { targets, rules } = await pacing(rates);
      expect(targets).toEqual([]);
      expect(rules.map((one: { not_evaluated: string }) => one.not_evaluated)).toEqual([why, why, why, why]);
    }
  });

  it('use a fixed rate before those of the file, from its day on, and say that it is fixed', async () => {
    const { targets } = await pacing(
      RATES,
      `exchange_rates:
  - { date: 2026-01-01, from: GBP, to: EUR, rate: 1.25 }
  - { date: 2026-11-21, from: GBP, to: EUR, rate: 1.5 }
`,
    );
    const because = targets[0].decisions.map((one: { reason: string }) => one.reason);
    expect(because.join('\n')).toContain('1 GBP = 1.25 EUR since 2026-01-01');
    expect(because.join('\n')).toContain('1 USD = 0.92 EUR on 2026-11-19');
  });

  it('have a setting that is refused with a rate of zero', async () => {
    const { code, stderr } = await runInProcess(['check'], {
      folder: folderWith({
        targets: northwind,
        beside: { 'pacekeeper.yaml': 'exchange_rates: [{ date: 2026-01-01, from: GBP, to: EUR, rate: 0 }]\n' },
      }),
      env: { PACEKEEPER_NOW: NOON },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected a number above 0 such as 0.925')]);
  });
});
