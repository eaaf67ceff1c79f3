import {
  endOf,
  FINAL_AFTER_MS,
  type KeywordDay,
  MARKET,
  type MarketAccount,
  rowsOf,
  versionAt,
} from '../services/market.ts';
import type { FaultWorld, ProcessEnd } from '../world.ts';

interface DayRow {
  readonly customer_id: bigint;
  readonly date: string;
  readonly state: 'provisional' | 'settled';
  readonly rows: bigint;
  readonly totals: string;
  readonly read_at: string;
  readonly slice_state: string | null;
  readonly started_at: string;
  readonly ended_at: string;
}

/** Instants are written down in whole seconds. */
const SECOND_MS = 999;

/** What is wrong with the tables: each day is as the service knew it at an instant of its reading, and nothing else is there. */
export function checkTables(world: FaultWorld): string[] {
  if (!hasTable(world)) return [];
  const days = world.rows<DayRow>(
    `SELECT d.*, s.state AS slice_state, s.started_at, s.ended_at FROM account_day AS d
      LEFT JOIN slice AS s ON s.id = d.slice_id WHERE d.query = 'stats' ORDER BY d.customer_id, d.date`,
  );
  const stored = storedRows(world, hasWider(world));
  const wrong: string[] = [];
  for (const day of days) {
    const key = `${day.customer_id} ${day.date}`;
    wrong.push(...wrongInDay(day, stored.get(key) ?? [], isWider(world, day)));
    stored.delete(key);
  }
  for (const key of stored.keys()) wrong.push(`there are rows of ${key}, which was never read`);
  return wrong;
}

const hasTable = ({ store }: FaultWorld) => store.columns('stats').length > 0;
const hasWider = ({ store }: FaultWorld) => store.columns('stats').includes('impressions');

/** Whether the day was read with the column that the query has gained; undefined for one that two processes may have read. */
function isWider(world: FaultWorld, day: DayRow): boolean | undefined {
  if (Date.parse(day.started_at) >= world.widerSinceMs) return true;
  return Date.parse(day.ended_at) + SECOND_MS < world.maybeWiderSinceMs ? false : undefined;
}

function storedRows(world: FaultWorld, wider: boolean): Map<string, string[]> {
  const rows = world.rows<{ customer_id: bigint; date: string; line: string }>(
    `SELECT customer_id, date, campaign_id || ' ' || campaign_name || ' ' || ad_group_criterion_criterion_id || ' ' || clicks ||
      ' ' || cost_micros || ' ' || ${wider ? "coalesce(CAST(impressions AS text), 'none')" : "'none'"} AS line FROM stats ORDER BY customer_id, date, line`,
  );
  const byDay = new Map<string, string[]>();
  for (const { customer_id, date, line } of rows) {
    const key = `${customer_id} ${date}`;
    byDay.set(key, [...(byDay.get(key) ?? []), line]);
  }
  return byDay;
}

const textOf = ({ campaign, keyword, clicks, costMicros, impressions }: KeywordDay, wider: boolean) =>
  `${campaign.id} ${campaign.name} ${keyword} ${clicks} ${costMicros} ${wider ? impressions : 'none'}`;

function wrongInDay(day: DayRow, stored: readonly string[], wider: boolean | undefined): string[] {
  const { customer_id, date, state, slice_state, totals } = day;
  const about = `${customer_id} ${date}`;
  const account = MARKET.find(({ id }) => id === `${customer_id}`);
  if (account === undefined) return [`${about} is of an account that there is not`];
  if (slice_state !== 'done') return [`${about} is of a slice that is ${slice_state}`];
  const fromMs = Date.parse(day.started_at);
  const toMs = Date.parse(day.ended_at) + SECOND_MS;
  const wrong: string[] = [];
  const ways = wider === undefined ? [true, false] : [wider];
  const held = [...stored].sort().join('\n');
  const fitting = versionsBetween(account, date, fromMs, toMs).find((rows) =>
    ways.some(
      (way) =>
        rows
          .map((row) => textOf(row, way))
          .sort()
          .join('\n') === held,
    ),
  );
  if (fitting === undefined)
    wrong.push(`${about} holds what the service never said while it was read: ${stored.join(', ')}`);
  const said = fitting ?? [];
  if (BigInt(stored.length) !== day.rows) wrong.push(`${about} has ${stored.length} rows and says ${day.rows}`);
  const {
    metrics_clicks,
    clicks = metrics_clicks,
    metrics_cost_micros,
    cost_micros = metrics_cost_micros,
  } = JSON.parse(totals) as Record<string, string>;
  const sums = [said.reduce((sum, one) => sum + one.clicks, 0), said.reduce((sum, one) => sum + one.costMicros, 0)];
  if (fitting && `${clicks} ${cost_micros}` !== sums.join(' ')) wrong.push(`${about} has the totals ${totals}`);
  const isOver = Date.parse(day.read_at) + SECOND_MS >= endOf(date, account.timeZone);
  if (state === 'settled' && !isOver) wrong.push(`${about} was settled before it was over`);
  return wrong;
}

function versionsBetween(account: MarketAccount, date: string, fromMs: number, toMs: number): KeywordDay[][] {
  const first = versionAt(date, account.timeZone, fromMs);
  const last = versionAt(date, account.timeZone, toMs);
  return Array.from({ length: last - first + 1 }, (_, index) => rowsOf(account, date, first + index));
}

/** Where a day counts as final so long after its end that its numbers cannot change any more, they are the last there are. */
export function checkFinal(world: FaultWorld): string[] {
  const { settleDays } = world.story;
  if (settleDays * 24 * 3_600_000 < FINAL_AFTER_MS) return [];
  const days = world.rows<{ customer_id: bigint; date: string; totals: string }>(
    "SELECT customer_id, date, totals FROM account_day WHERE query = 'stats' AND state = 'settled'",
  );
  return days.flatMap(({ customer_id, date, totals }) => {
    const account = MARKET.find(({ id }) => id === `${customer_id}`);
    if (account === undefined) return [];
    const clicks = rowsOf(account, date, 11).reduce((sum, one) => sum + one.clicks, 0);
    const said = Object.entries(JSON.parse(totals) as Record<string, string>).find(([name]) =>
      name.endsWith('clicks'),
    )?.[1];
    return said === `${clicks}` ? [] : [`${customer_id} ${date} is settled at ${said} clicks, and has ${clicks}`];
  });
}

/** A run that ended well has published what the records say. */
export function checkPublished(world: FaultWorld, ends: readonly ProcessEnd[]): string[] {
  const published = ends.some(({ how, runId, stopped }) => how === 'done' && runId !== undefined && !stopped);
  // What runs beside may have written since.
  const { story, store } = world;
  if (!published || ends.length > 1 || !(story.publishes || store.url) || !hasTable(world)) return [];
  return store.wrongPublished();
}
