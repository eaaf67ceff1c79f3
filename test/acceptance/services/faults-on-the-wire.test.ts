import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_MODES } from '../../../src/sandbox/fault-modes.ts';
import { chooseFault, type FaultChoice } from '../../../src/sandbox/faults.ts';
import type { ProgramResult } from '../../commands/run-in-process.ts';
import { isThorough } from '../../support/effort.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { createProduct, type Left, leftBy, type Product } from '../../support/product.ts';
import { byEngine } from '../../support/state.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

/** Row by row with a key, so that a row which came twice would show. */
const QUERIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, ad_group.id, ad_group_criterion.criterion_id,
    ad_group_criterion.keyword.text, metrics.clicks, metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND campaign.name = '${TRIMMED.campaignName}'`,
};

const NEXT_DAY = '2026-11-21T12:00:00Z';
const LATER = '2026-11-21T13:05:00Z';
const OLD_AMOUNT = 51_000_000n;
const NEW_AMOUNT = 43_350_000n;

/** Of a change that was made at once, or found to have been made. */
const MADE = /^Budget change(?:d| confirmed): .*\n51\.00 EUR to 43\.35 EUR/;

interface Tries {
  readonly attempts: number;
  /** How long an answer is waited for, and the next piece of one. */
  readonly waitMs: number;
}

const ONE_TRY: Tries = { attempts: 1, waitMs: 20_000 };

/** The product in the folder as it was left, or in a new one, on its first day. */
async function open(left: Left | undefined, { attempts, waitMs }: Tries): Promise<Product> {
  const product = await createProduct({ queries: QUERIES, ...(left === undefined ? {} : { left }) });
  const retry = `{ attempts: ${attempts}, first_delay_ms: 0 }`;
  const lines = [
    'automation: { mode: apply }',
    `ads: { retry: ${retry}, timeouts: { headers_ms: ${waitMs}, body_idle_ms: ${waitMs} } }`,
    'messages: { retry: { attempts: 1, first_delay_ms: 0 } }',
    'alerts: { digest_at: never }',
  ];
  writeFileSync(join(product.folder, 'pacekeeper.yaml'), lines.join('\n'));
  return product;
}

let first: Promise<Left> | undefined;

/** What a first day without any fault leaves; made once. */
function firstDay(): Promise<Left> {
  first ??= (async () => {
    const product = await open(undefined, ONE_TRY);
    const { code, stdout } = await product.run(['report']);
    if (code !== 0 || product.amount() !== OLD_AMOUNT) throw new Error(stdout);
    return leftBy(product);
  })();
  return first;
}

interface FaultyDay {
  readonly product: Product;
  /** The run under the fault. */
  readonly faulty: ProgramResult;
  /** How many requests met the fault. */
  readonly met: number;
  /** Whether the days of the table are those of the day before, or the new ones. */
  readonly days: 'old' | 'new' | 'neither';
  readonly amount: bigint;
  /** The next run, an hour later, without a fault. */
  next(): Promise<ProgramResult>;
  /** How many requests for a change the service got, in both runs. */
  changesAsked(): number;
  /** How often the phone was told that the change of the day was made. */
  changesTold(): number;
}

/** Which requests the fault may meet beside what it says of itself: those for statistics, in `extract`. */
const isStatistics = (request: Parameters<FaultChoice>[0]) => request.query?.includes('keyword_view') === true;

/** The second day after a first, its run under a fault as `--fault` takes it. */
async function faultyDay(
  fault: string | undefined,
  options: {
    readonly only?: typeof isStatistics;
    readonly tries?: Partial<Tries>;
    readonly env?: Record<string, string>;
  },
): Promise<FaultyDay> {
  const product = await open(await firstDay(), { ...ONE_TRY, ...options.tries });
  product.at(NEXT_DAY);
  const { choose } = chooseFault({ clock: fakeClock(NEXT_DAY), faults: fault === undefined ? [] : [fault] });
  let met = 0;
  let asked = 0;
  const count = ({ path, validateOnly }: Parameters<FaultChoice>[0]) => {
    if (path.endsWith(':mutate') && validateOnly !== true) asked += 1;
    return undefined;
  };
  product.fault = (request) => {
    count(request);
    const chosen = options.only && !options.only(request) ? undefined : choose(request);
    if (chosen) met += 1;
    return chosen;
  };
  const before = lastDay(product);
  const env = Object.fromEntries(
    Object.entries(options.env ?? {}).map(([name, value]) => [name, value.replace('URL', product.sandbox.url)]),
  );
  const faulty = await product.run(['report'], { env });
  product.fault = count;
  const after = lastDay(product);
  return {
    product,
    faulty,
    met,
    amount: product.amount(),
    days: after === before ? 'old' : after === '2026-11-20' ? 'new' : 'neither',
    next: () => {
      product.at(LATER);
      return product.run(['report'], { env });
    },
    changesAsked: () => asked,
    changesTold: () => product.sandbox.messages().filter(({ body }) => MADE.test(body)).length,
  };
}

function lastDay(product: Product): unknown {
  return product.rows('SELECT max(date) AS last FROM stats')[0]?.last;
}

/** Published tables that say nothing of single runs. */
const PUBLISHED = [
  'stats_by_day',
  'stats_by_week',
  'stats_by_month',
  'dim_campaign',
  'dim_ad_group',
  'dim_keyword',
  'account',
  'account_day',
  'dim_calendar',
  'foreign_change',
  'budget_proposal',
  'data_dictionary',
];
const CHANGES = `SELECT customer_id, budget_id, account_day, currency, from_micros, to_micros, rule, actor,
  state IN ('applied', 'confirmed') AS made`;

/** Everything that must be the same however often and however a day was read and decided. */
function standing({ rows, sandbox }: Product): Record<string, unknown> {
  const sorted = (table: Record<string, unknown>[]) =>
    table.map((row) => Object.values(row).map(String).join(' | ')).toSorted();
  const published = PUBLISHED.map((name) => [`published ${name}`, sorted(rows(`SELECT * FROM ${name}`, 'warehouse'))]);
  return {
    ...Object.fromEntries(published),
    'published stats': sorted(rows(PUBLISHED_STATS, 'warehouse')),
    stats: sorted(rows(`SELECT ${STATS} FROM stats`)),
    days: sorted(rows('SELECT query, customer_id, date, query_text, state, rows, totals, read_at FROM account_day')),
    unpublished: rows('SELECT * FROM unpublished_day'),
    changes: sorted(rows(`${CHANGES} FROM budget_intent WHERE state NOT IN ('rejected', 'expired')`)),
    'published changes': sorted(rows(`${CHANGES} FROM budget_change`, 'warehouse')),
    budgets: sandbox.market.accounts.flatMap(({ customerId, budgets }) =>
      budgets.map(({ budgetId }) => `${customerId} ${budgetId} ${sandbox.budgetAmount(customerId, budgetId)}`),
    ),
  };
}

const STATS = `customer_id, campaign_id, campaign_name, ad_group_id, ad_group_criterion_criterion_id,
  ad_group_criterion_keyword_text, clicks, cost_micros, date`;
/** On PostgreSQL, the table itself is published. */
const PUBLISHED_STATS = byEngine({ sqlite: 'SELECT * FROM stats', postgres: `SELECT ${STATS} FROM stats` });

/** A run's own words on one line. */
function words({ stdout, stderr }: ProgramResult): string {
  return `${stdout}\n${stderr}`.replace(/\s+/g, ' ').replace(/127\.0\.0\.1:\d+/g, 'HOST');
}

/** Where nothing is said the run fails, its days are those of the day before, and so is the budget. */
interface Seen {
  readonly code?: 0 | 1 | 2;
  readonly days?: 'old' | 'new' | 'neither';
  readonly amount?: bigint;
  /** What the user reads. */
  readonly says: RegExp;
  readonly tries?: Partial<Tries>;
  readonly env?: Record<string, string>;
}

type Row = readonly [fault: string, sentence: string, seen: Seen];

const FOUND_BROKEN = 'Every try breaks off, the days stay as they were, and the reason is named';
const SHORT = { waitMs: 500 };

/** The fault meets every request for statistics of the run. */
const AT_STATISTICS: readonly Row[] = [
  [
    'reset-before',
    'Nobody answers, and it is not tried again beyond the settings',
    { says: /the connection was reset \(ECONNRESET\)/ },
  ],
  [
    'reset-after',
    'A query that was answered into nothing changes nothing',
    { says: /the connection was reset \(ECONNRESET\)/ },
  ],
  [
    'hang-before',
    'A service that is silent is given up after the time allowed',
    { says: /no answer within the time limit/, tries: SHORT },
  ],
  [
    'stall,bytes=60,nth=1',
    'An answer that stops in the middle is asked for again in two halves',
    {
      code: 0,
      days: 'new',
      amount: NEW_AMOUNT,
      tries: SHORT,
      says: /warning: .* the answer stalled \(UND_ERR_BODY_TIMEOUT\)\. pacekeeper reads the days in two halves/,
    },
  ],
  ['cut,bytes=60', FOUND_BROKEN, { says: /the connection was closed early/ }],
  ['reset-at,bytes=60', FOUND_BROKEN, { says: /the connection was (?:closed in the middle|reset)/ }],
  ['truncate,bytes=60', FOUND_BROKEN, { says: /the compressed answer is cut off/ }],
  [
    'drip,piece=64,pause=0',
    'A slow answer is an answer',
    { code: 0, days: 'new', amount: NEW_AMOUNT, says: /81 rows read, 1 budget changed/ },
  ],
  [
    'drip,pause=20,nth=1',
    'An answer that comes byte by byte is given up, and asked for again',
    {
      code: 0,
      days: 'new',
      amount: NEW_AMOUNT,
      tries: SHORT,
      says: /the answer is too slow \(BODY_TOO_SLOW\)\. pacekeeper reads the days in two halves/,
    },
  ],
  ['length-long,bytes=60', FOUND_BROKEN, { says: /the connection was closed early/ }],
  ['length-short', FOUND_BROKEN, { says: /the compressed answer is cut off/ }],
  ['bad-chunk,bytes=60', FOUND_BROKEN, { says: /the answer is not HTTP \(HPE_INVALID\)/ }],
  [
    'bad-chunk,bytes=60,nth=1',
    'What is no HTTP once is asked for again',
    { code: 0, days: 'new', amount: NEW_AMOUNT, says: /the answer is not HTTP .* two halves/ },
  ],
  ['gzip-flip', 'A wrong bit is found, in the rows or by the checksum', { says: /the compressed answer is damaged/ }],
  ['gzip-cut', 'Rows without their checksum do not count', { says: /the compressed answer is cut off/ }],
  ['gzip-plain', FOUND_BROKEN, { says: /the compressed answer is damaged/ }],
  [
    '401',
    'The token is refused, and the next step names the settings',
    { says: /UNAUTHENTICATED \(401\).* Set ADS_ACCESS_TOKEN to an OAuth 2\.0 access token/ },
  ],
  [
    '404',
    'A page not found points at address and version',
    { says: /HTTP 404 with an HTML page, expected JSON\. Check ADS_URL and ADS_VERSION/ },
  ],
  [
    '411',
    'A length required points at what stands between',
    { says: /HTTP 411 with an HTML page.* Check your proxies/ },
  ],
  [
    '429',
    'The account is left for the next run at once where there are no more tries',
    { says: /left for the next run: the service accepts no more requests for the account for now/ },
  ],
  [
    '429,wait=7200',
    'Hours are not waited for',
    { says: /left for the next run: the service asks for a pause of 2 hours/, tries: { attempts: 3 } },
  ],
  [
    '429,wait=120,nth=1',
    'Minutes beyond the time for failures are not waited for',
    { says: /left for the next run/, tries: { attempts: 3 } },
  ],
  ['429-date', 'A date says it as well', { says: /left for the next run/ }],
  ['quota-minute', 'A short quota says so in the body alone', { says: /left for the next run/ }],
  [
    'quota',
    'The quota of the day is not waited for',
    { says: /the service asks for a pause of 24 hours \(RESOURCE_EXHAUSTED\)/ },
  ],
  ['500', 'The sentence is the service’s own', { says: /answered INTERNAL \(500\): Internal error encountered/ }],
  ['502', 'A page of a gateway is told as one', { says: /HTTP 502 with an HTML page, expected JSON/ }],
  ['503', 'The sentence is the service’s own', { says: /answered UNAVAILABLE \(503\)/ }],
  [
    '504',
    'Too much for the service is asked for in halves, and then told',
    { says: /DEADLINE_EXCEEDED \(504\).* pacekeeper reads the days in two halves/ },
  ],
  ['html', 'A page with status 200 is no stream', { says: /The answer is an HTML page, expected a stream of batches/ }],
  [
    'error-element',
    'An error behind good rows undoes the rows',
    { says: /answered INTERNAL \(500\): .* \[internalError\.INTERNAL_ERROR\] at query/ },
  ],
  ['empty', 'Nothing is no empty answer', { says: /The answer is empty, expected a stream/ }],
  [
    'other-answer',
    'Rows without what was asked for are not stored',
    { says: /A row of the stream cannot be stored: it has no segments\.date/ },
  ],
  [
    'other-account',
    'An account without a row in the answer looks like a day without clicks: no rule fires, and the next run has the rows',
    {
      code: 0,
      days: 'neither',
      says: /0 rows read, 0 budgets changed/,
    },
  ],
];

const RENEWABLE = {
  ADS_ACCESS_TOKEN: '',
  ADS_CLIENT_ID: 'sandbox-client-id',
  ADS_CLIENT_SECRET: 'sandbox-client-secret',
  ADS_REFRESH_TOKEN: 'sandbox-refresh-token',
  ADS_TOKEN_URL: 'URL/token',
};
const UNKNOWN = { days: 'new', says: /has an unknown outcome: .* The next run checks the budget/ } as const;
const NOT_SENT = { days: 'new', says: /was not sent: .* The next run decides again/ } as const;
const CHANGED = { code: 0, days: 'new', amount: NEW_AMOUNT, says: /1 budget changed, 1 alert sent/ } as const;
const TOLD_LATER = { days: 'new', amount: NEW_AMOUNT } as const;

/** The fault says itself which requests it meets. */
const ELSEWHERE: readonly Row[] = [
  [
    'other-account,at=stream,nth=1',
    'Another account’s place in the tree is not believed',
    { says: /The answer for account 4081725530 contains rows of account \d+/ },
  ],
  [
    'cut,at=stream,nth=3,bytes=60',
    'Without budgets no rule is evaluated',
    { days: 'new', says: /its budgets could not be read, so no rule was evaluated/ },
  ],
  [
    'other-account,at=stream,nth=3',
    'Another account’s budgets are not taken for these',
    { days: 'new', says: /budgets could not be read.* contains rows of account/ },
  ],
  [
    'other-account,at=stream,nth=4',
    'Another account’s budgets do not end a change',
    { ...NOT_SENT, says: /was not sent: .* contains rows of account/ },
  ],
  [
    'token-expires,after=3',
    'A token that expires within a run is renewed, and nobody notices',
    { ...CHANGED, env: RENEWABLE },
  ],
  [
    'token-expires,at=mutate,after=0',
    'A change that was refused with the token is unknown, and made by the next run',
    UNKNOWN,
  ],
  [
    '500,at=token',
    'A token endpoint that fails does not blame the credentials',
    {
      env: RENEWABLE,
      says: /The token endpoint answered HTTP 500: no token in the answer\. (?:Account Spent|Done)/,
    },
  ],
  [
    'html,at=token',
    'A page is no token, and the address is the place to look',
    { env: RENEWABLE, says: /HTTP 200: an HTML page\. Check ADS_TOKEN_URL/ },
  ],
  [
    '401,at=token',
    'Refused credentials are bad input',
    { env: RENEWABLE, code: 2, says: /The token endpoint answered HTTP 401.* Check ADS_CLIENT_ID/ },
  ],
  ['reset-at,at=validate,bytes=1', 'A validation without an answer changes nothing', NOT_SENT],
  ['reset-before,at=mutate', 'A change that never arrived is unknown, and made by the next run', UNKNOWN],
  [
    'reset-after,at=mutate',
    'A change without an answer is unknown, and confirmed by the next run',
    { ...UNKNOWN, amount: NEW_AMOUNT },
  ],
  ['hang-after,at=mutate', 'So is one that is made in silence', { ...UNKNOWN, amount: NEW_AMOUNT, tries: SHORT }],
  ['length-short,at=mutate', 'So is one whose answer is short', { ...UNKNOWN, amount: NEW_AMOUNT }],
  ['bad-chunk,at=mutate,bytes=10', 'So is one whose answer is no HTTP', { ...UNKNOWN, amount: NEW_AMOUNT }],
  ['gzip-flip,at=mutate', 'So is one whose answer is damaged', { ...UNKNOWN, amount: NEW_AMOUNT }],
  ['other-account,at=mutate', 'So is one whose answer names another account', { ...UNKNOWN, amount: NEW_AMOUNT }],
  ['html,at=mutate', 'A page in place of an answer is no proof of anything', UNKNOWN],
  ['503,at=mutate', 'Nor is a server error', UNKNOWN],
  ['429,at=mutate', 'A change that was refused for now is unknown, and made by the next run', UNKNOWN],
  ['empty,at=mutate', 'A success without a word is read back', CHANGED],
  ['other-answer,at=mutate', 'So is one with the words of another answer', CHANGED],
  [
    '500,at=message',
    'A message that may be out is looked for, and sent by the next run',
    { ...TOLD_LATER, says: /is not confirmed as delivered: .* pacekeeper checks again later/ },
  ],
  [
    '429,at=message',
    'A message that was refused for now waits for the next run',
    { ...TOLD_LATER, says: /was not sent and waits: .* HTTP 429/ },
  ],
  ['reset-after,at=message', 'A message that is out is found, and not sent twice', CHANGED],
  ['template-withdrawn,at=message', 'A template that is gone holds up no free text', CHANGED],
];

/** Those of `npm test`: one of each kind of outcome. `npm run test:thorough` tries them all. */
const QUICK = new Set([
  'cut,bytes=60',
  'bad-chunk,bytes=60,nth=1',
  '429',
  'error-element',
  'other-account,at=stream,nth=4',
  'token-expires,after=3',
  'reset-before,at=mutate',
  'reset-after,at=mutate',
  '500,at=message',
  'reset-after,at=message',
]);
const chosen = (rows: readonly Row[]) => rows.filter(([fault]) => isThorough || QUICK.has(fault));

const want = async () => {
  const clean = await faultyDay(undefined, {});
  const next = await clean.next();
  return { clean, codes: [clean.faulty.code, next.code], standing: standing(clean.product), told: clean.changesTold() };
};
let reference: ReturnType<typeof want> | undefined;

async function holds(fault: string, seen: Seen, only?: typeof isStatistics): Promise<void> {
  reference ??= want();
  const { standing: wanted, codes } = await reference;
  expect(codes).toEqual([0, 0]);
  const { code = 1, days = 'old', amount = OLD_AMOUNT, says, tries, env } = seen;
  const day = await faultyDay(fault, { ...(only && { only }), ...(tries && { tries }), ...(env && { env }) });
  expect(day.met).toBeGreaterThan(0);
  expect(words(day.faulty)).toMatch(says);
  expect([day.faulty.code, day.days, day.amount]).toEqual([code, days, amount]);
  expect((await day.next()).code).toBe(0);
  expect(standing(day.product)).toEqual(wanted);
  expect(day.changesTold()).toBe(1);
  // Asked for again only where the fault kept the first request from being answered, and then once.
  const mayRepeat = fault.includes('at=mutate') || fault.startsWith('token-expires');
  expect(day.changesAsked()).toBeLessThanOrEqual(mayRepeat ? 2 : 1);
  expect(day.changesAsked()).toBeGreaterThan(0);
}

describe('the main job with a fault in every statistics request, and the next run', () => {
  it.each(chosen(AT_STATISTICS))('%s: %s', (fault, _, seen) => holds(fault, seen, isStatistics));
});

describe('the main job with a fault in another request, and the next run', () => {
  it.each(chosen(ELSEWHERE))('%s: %s', (fault, _, seen) => holds(fault, seen));
});

describe('the tables above', () => {
  it('have a row for every fault that can be requested', () => {
    const faults = [...AT_STATISTICS, ...ELSEWHERE].map(([fault]) => fault);
    const tried = new Set(faults.map((fault) => fault.split(',')[0]));
    expect(Object.keys(FAULT_MODES).filter((mode) => !tried.has(mode))).toEqual([]);
    expect([...QUICK].filter((fault) => !faults.includes(fault))).toEqual([]);
  });

  it('detect a different value, a missing row and a missing day', async () => {
    const { product } = await faultyDay(undefined, {});
    let before = standing(product);
    for (const sql of [
      'UPDATE stats SET clicks = clicks + 1 WHERE _row = (SELECT min(_row) FROM stats)',
      'DELETE FROM stats WHERE _row = (SELECT min(_row) FROM stats)',
      "DELETE FROM account_day WHERE date = '2026-11-20'",
    ]) {
      product.execute(sql);
      const after = standing(product);
      expect(after).not.toEqual(before);
      before = after;
    }
  });
});
