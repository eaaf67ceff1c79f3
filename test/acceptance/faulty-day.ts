import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseFault, type FaultChoice } from '../../src/sandbox/faults.ts';
import type { ProgramResult } from '../commands/run-in-process.ts';
import { fakeClock } from '../support/fake-time.ts';
import { createProduct, leftBy, type Product } from '../support/product.ts';
import { TRIMMED } from '../support/trim-rule.ts';

/** Row by row with a key, so that a row which came twice would show. */
const QUERIES = {
  'stats.sql': `SELECT campaign.id, campaign.name, ad_group.id, ad_group_criterion.criterion_id,
    ad_group_criterion.keyword.text, metrics.clicks, metrics.cost_micros, segments.date
    FROM keyword_view WHERE segments.date DURING LAST_7_DAYS AND campaign.name = '${TRIMMED.campaignName}'`,
};

const NEXT_DAY = '2026-11-21T12:00:00Z';
const LATER = '2026-11-21T13:05:00Z';
export const OLD_AMOUNT = 51_000_000n;
export const NEW_AMOUNT = 43_350_000n;

/** Of a change that was made at once, or found to have been made. */
const MADE = /^Budget change(?:d| confirmed): .*\n51\.00 EUR to 43\.35 EUR/;

export interface Tries {
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

type Left = ReadonlyMap<string, Uint8Array>;

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

export interface FaultyDay {
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
export const isStatistics = (request: Parameters<FaultChoice>[0]) => request.query?.includes('keyword_view') === true;

/** The second day after a first, its run under a fault as `--fault` takes it. */
export async function faultyDay(
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
    ...{ product, faulty, met, amount: product.amount() },
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

/** Tables of the published file that say nothing of single runs. */
const PUBLISHED = [
  ...['stats', 'stats_by_day', 'stats_by_week', 'stats_by_month', 'dim_campaign', 'dim_ad_group', 'dim_keyword'],
  ...['account', 'account_day', 'dim_calendar', 'foreign_change', 'budget_proposal', 'data_dictionary'],
];
const CHANGES = `SELECT customer_id, budget_id, account_day, currency, from_micros, to_micros, rule, actor,
  state IN ('applied', 'confirmed') AS made`;

/** Everything that must be the same however often and however a day was read and decided. */
export function standing({ rows, sandbox }: Product): Record<string, unknown> {
  const sorted = (table: Record<string, unknown>[]) =>
    table.map((row) => Object.values(row).map(String).join(' | ')).toSorted();
  const published = PUBLISHED.map((name) => [`published ${name}`, sorted(rows(`SELECT * FROM ${name}`, 'warehouse'))]);
  return {
    ...Object.fromEntries(published),
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

/** A run's own words on one line. */
export function words({ stdout, stderr }: ProgramResult): string {
  return `${stdout}\n${stderr}`.replace(/\s+/g, ' ').replace(/127\.0\.0\.1:\d+/g, 'HOST');
}
